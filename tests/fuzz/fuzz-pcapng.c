/* fuzz-pcapng.c
 * Whole capture files as latency-scan reads them: records with their interfaces, packet ids and comments (pcapng's
 * options), of one file or several, and what frames say of points and processes, into every table. Files of pcap and
 * pcapng are read twice, by the plain reader and, from a pipe, by wiretap: frames, and where they were seen, are alike.
 *
 * Input: a file of any format that wiretap reads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE /* memfd_create(), F_SETPIPE_SZ */

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "every_table.h"
#include "lazy_wiretap.h"
#include "report.h"
#include "say.h"
#include "preferences.h"
#include "reader/recorded_point.h"

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

static wireshark_bool
foreach_option(wtap_block_t block, wtap_block_foreach_func read, void *data)
{
    return wiretap()->wtap_block_foreach_option(block, read, data);
}

/* Of one way to read. */
struct way {
    char *path;
    struct reading *reading;
    wmem_allocator_t *scope;
    struct point_reader points;
};

static void
way_begin(struct way *way, int file)
{
    static const struct point_calls calls = { .foreach_option = foreach_option,
                                              .interface_name = reading_interface_name };
    bool failed = false;
    way->path = g_strdup_printf("/proc/self/fd/%d", file);
    char *paths[] = { way->path, NULL };
    way->reading = reading_open(paths, false, &failed);
    way->scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    way->points = (struct point_reader){
        .calls = &calls,
        .points = points_new(way->scope),
        .processes = process_table_new(way->scope),
    };
}

static void
way_end(struct way *way)
{
    if (way->reading)
        reading_close(way->reading);
    wmem_destroy_allocator(way->scope);
    g_free(way->path);
}

static bool
are_processes_alike(const struct process *a, const struct process *b)
{
    return (!a && !b) || (a && b && a->pid == b->pid && a->tid == b->tid && strcmp(a->name, b->name) == 0);
}

static void
check_points(struct way *plain, struct way *whole, struct frame *a, struct frame *b)
{
    struct fingerprint prints[2];
    struct sighting seen[2];
    const bool is_known = recorded_point_read(&plain->points, a, &prints[0], &seen[0]);
    g_assert(is_known == recorded_point_read(&whole->points, b, &prints[1], &seen[1]));
    g_assert(plain->points.active == whole->points.active);
    g_assert(points_count(plain->points.points) == points_count(whole->points.points));
    if (!is_known)
        return;
    g_assert(prints[0].has_packet_id == prints[1].has_packet_id);
    g_assert(!prints[0].has_packet_id || prints[0].packet_id == prints[1].packet_id);
    g_assert(prints[0].tracking_id == prints[1].tracking_id);
    g_assert(seen[0].point == seen[1].point && seen[0].heading == seen[1].heading && seen[0].lost == seen[1].lost);
    g_assert(seen[0].sample == seen[1].sample && are_processes_alike(seen[0].process, seen[1].process));
    g_assert_cmpstr(points_at(plain->points.points, seen[0].point)->name, ==,
                    points_at(whole->points.points, seen[1].point)->name);
}

static void
check_frames(const struct frame *a, const struct frame *b)
{
    g_assert(a->rec->rec_type == b->rec->rec_type);
    g_assert(a->captured == b->captured && a->reported == b->reported && a->encapsulation == b->encapsulation);
    g_assert(a->has_time == b->has_time && a->time_ns == b->time_ns);
    g_assert(a->captured == 0 || memcmp(a->bytes, b->bytes, a->captured) == 0);
}

/* By the magic numbers of what is read plainly. */
static bool
may_be_plain(const uint8_t *data, size_t size)
{
    static const uint8_t magics[][4] = {
        { 0x0a, 0x0d, 0x0d, 0x0a }, { 0xd4, 0xc3, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0xc3, 0xd4 },
        { 0x4d, 0x3c, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0x3c, 0x4d },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(magics) && size >= sizeof magics[0]; i++)
        if (memcmp(data, magics[i], sizeof magics[0]) == 0)
            return true;
    return false;
}

/* Reads both to their ends. */
static void
check_ways(int file, const uint8_t *data, size_t size)
{
    enum { PIPE_BYTES = 1 << 20 };
    int ends[2];
    g_assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) >= (int)size);
    g_assert(write(ends[1], data, size) == (ssize_t)size && close(ends[1]) == 0);
    struct way plain, whole;
    way_begin(&plain, file);
    way_begin(&whole, ends[0]);
    g_assert(!plain.reading == !whole.reading);
    struct frame *a = NULL, *b = NULL;
    do {
        a = plain.reading ? reading_next(plain.reading) : NULL;
        b = whole.reading ? reading_next(whole.reading) : NULL;
        g_assert(!a == !b);
        if (a) {
            check_frames(a, b);
            check_points(&plain, &whole, a, b);
        }
    } while (a);
    g_assert(!plain.reading || reading_has_failed(plain.reading) == reading_has_failed(whole.reading));
    way_end(&plain);
    way_end(&whole);
    close(ends[0]);
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
    if (may_be_plain(data, size))
        check_ways(file, data, size);
    struct reading *reading = reading_open(paths, false, &failed);
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
