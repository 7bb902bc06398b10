/* fuzz-pcapng.c
 * Whole capture files as latency-scan reads them: records with their interfaces, packet ids and comments (pcapng's
 * options), of one file or several, and what frames say of points and processes, into every table.
 *
 * Input: a file of any format that wiretap reads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE /* memfd_create() */

#include <sys/mman.h>
#include <unistd.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "every_table.h"
#include "report.h"
#include "say.h"
#include "preferences.h"

/* Most inputs are damaged: nobody wants to read of each. */
void
say(const char *format G_GNUC_UNUSED, ...)
{
}

__attribute__((visibility("default"))) const char *__asan_default_options(void);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* wiretap 4.0 loses its own word of what is wrong with a second section's header. Leaks of ours show in fuzz-frames. */
const char *
__asan_default_options(void)
{
    return "detect_leaks=0";
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report_begin();
    const struct settings *settings = every_table_settings();
    int file = memfd_create("capture", 0);
    g_assert(file >= 0 && write(file, data, size) == (ssize_t)size);
    char *path = g_strdup_printf("/proc/self/fd/%d", file), *paths[] = { path, NULL };
    bool failed = false;
    struct reading *reading = reading_open(paths, &failed);
    struct frame *frame;
    if (reading) {
        struct scan *scan = scan_new(settings, preferences_texts());
        GArray *tables = every_table_open(scan);
        while ((frame = reading_next(reading)))
            scan_take(scan, frame);
        scan_end(scan);
        every_table_close(tables, scan);
        scan_free(scan);
        reading_close(reading);
    }
    g_free(path);
    close(file);
    return 0;
}
