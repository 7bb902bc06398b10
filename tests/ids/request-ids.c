/* request-ids.c
 * request-ids CAPTURE prints the ids that the capture's requests carry, for who finds them in another way: of each the
 * frame in which its request begins, its kind and its hash. Needs nothing but what latency-scan is made of.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "core/analysis.h"
#include "preferences.h"
#include "say.h"
#include "scan.h"

void
say(const char *format G_GNUC_UNUSED, ...)
{
}

/* Of each request of the frame, when it begins there. */
static void
note_frame(void *data, const struct item *item, uint32_t frame)
{
    GArray *frames = data;
    const struct request *request = item_request(item);
    if (!request || request->first_frame != frame)
        return;
    if (request->number >= frames->len)
        g_array_set_size(frames, request->number + 1);
    g_array_index(frames, uint32_t, request->number) = frame;
}

static void
print_ids(const struct requests *requests, const GArray *frames)
{
    static const char *const kinds[] = { "trace", "span", "parent", "request", "text", "client" };
    for (uint32_t number = 1; number < frames->len; number++) {
        unsigned count;
        const struct request_id *ids = request_ids_of(requests, number, &count);
        for (unsigned i = 0; i < count; i++)
            printf("%u %s %016" PRIx64 "\n", g_array_index(frames, uint32_t, number), kinds[ids[i].kind], ids[i].hash);
    }
}

int
main(int argc, char **argv)
{
    bool failed = false;
    struct frame *frame;
    wmem_init();
    preferences_begin();
    struct reading *reading = argc == 2 ? reading_open((char *[]){ argv[1], NULL }, false, &failed) : NULL;
    if (!reading)
        return 2;
    GArray *frames = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    struct scan *scan = scan_new(preferences_settings(), preferences_texts());
    scan_source(scan)->analysis->requests.wants_ids = true;
    const struct listener listener = { .data = frames, .item = note_frame };
    scan_listen(scan, &listener);
    while ((frame = reading_next(reading)))
        scan_take(scan, frame);
    scan_end(scan);
    print_ids(&scan_source(scan)->analysis->requests, frames);
    scan_free(scan);
    reading_close(reading);
    g_array_free(frames, TRUE);
    preferences_end();
    return failed;
}
