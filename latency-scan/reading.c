/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include "read_file.h"

struct reading {
    GPtrArray *files;       /* of struct read_file; those awaited in the order of their first frames */
    GPtrArray *open;        /* those that are being read */
    unsigned n_begun;       /* of the files; the others are awaited */
    struct read_file *last; /* whose frame has been handed out; NULL before the first */
    bool has_failed;
};

static int
compare_begins(const void *a, const void *b)
{
    const struct read_file *x = *(struct read_file *const *)a;
    const struct read_file *y = *(struct read_file *const *)b;
    return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

/* Several files: each is looked at, and waits for its turn, so that a ring buffer's thousands are not open at once. A
 * pipe cannot be opened twice. */
static void
await_files(struct reading *reading)
{
    for (unsigned i = 0; i < reading->files->len; i++) {
        struct read_file *file = g_ptr_array_index(reading->files, i);
        read_file_next(file);
        file->first_ns = file->has_next && file->next.has_time ? file->next.time_ns : INT64_MIN;
        if (!file->wth || !file->is_regular)
            continue;
        read_file_end(file);
        file->is_awaited = true;
    }
    g_ptr_array_sort(reading->files, compare_begins);
}

struct reading *
reading_open(char **paths, bool *failed)
{
    struct reading *reading = g_new0(struct reading, 1);
    reading->files = g_ptr_array_new_with_free_func(read_file_free);
    reading->open = g_ptr_array_new();
    for (; *paths; paths++) {
        struct read_file *file = read_file_open(*paths, &reading->has_failed);
        if (file)
            g_ptr_array_add(reading->files, file);
    }
    *failed = reading->has_failed;
    if (reading->files->len == 0) {
        reading_close(reading);
        return NULL;
    }
    if (reading->files->len > 1)
        await_files(reading);
    return reading;
}

void
reading_close(struct reading *reading)
{
    g_ptr_array_free(reading->files, TRUE);
    g_ptr_array_free(reading->open, TRUE);
    g_free(reading);
}

/* Whether its next frame comes before the other's. What has no time stays where it is. */
static bool
is_before(const struct read_file *file, const struct read_file *other)
{
    return !file->next.has_time || (other->next.has_time && file->next.time_ns < other->next.time_ns);
}

/* The file whose next frame comes first, among those that are open; NULL if there is none. */
static struct read_file *
earliest(const struct reading *reading)
{
    struct read_file *found = NULL;
    for (unsigned i = 0; i < reading->open->len; i++) {
        struct read_file *file = g_ptr_array_index(reading->open, i);
        if (file->has_next && (!found || is_before(file, found)))
            found = file;
    }
    return found;
}

/* Begins the files that are due before a frame of `found`, and returns the one whose frame that now is. */
static struct read_file *
begin_due(struct reading *reading, struct read_file *found)
{
    while (reading->n_begun < reading->files->len) {
        struct read_file *file = g_ptr_array_index(reading->files, reading->n_begun);
        if (found && found->next.has_time && found->next.time_ns < file->first_ns)
            break;
        reading->n_begun++;
        if (file->is_awaited && read_file_begin(file))
            read_file_next(file);
        g_ptr_array_add(reading->open, file);
        found = earliest(reading);
    }
    return found;
}

static struct frame *
next_of_several(struct reading *reading)
{
    struct read_file *last = reading->last;
    if (last && last->wth)
        read_file_next(last);
    if (last && !last->has_next)
        g_ptr_array_remove(reading->open, last);
    reading->last = begin_due(reading, earliest(reading));
    return reading->last ? &reading->last->next : NULL;
}

struct frame *
reading_next(struct reading *reading)
{
    if (reading->files->len > 1)
        return next_of_several(reading);
    struct read_file *file = g_ptr_array_index(reading->files, 0);
    if (file->wth)
        read_file_next(file);
    return file->has_next ? &file->next : NULL;
}

bool
reading_is_live(const struct reading *reading)
{
    for (unsigned i = 0; i < reading->files->len; i++)
        if (!((const struct read_file *)g_ptr_array_index(reading->files, i))->is_regular)
            return true;
    return false;
}

bool
reading_has_failed(const struct reading *reading)
{
    return reading->has_failed;
}

int64_t
reading_done_bytes(const struct reading *reading)
{
    int64_t done = 0;
    for (unsigned i = 0; i < reading->files->len; i++) {
        const struct read_file *file = g_ptr_array_index(reading->files, i);
        if (!file->is_awaited)
            done += read_file_done_bytes(file);
    }
    return done;
}

int64_t
reading_all_bytes(const struct reading *reading)
{
    int64_t all = 0;
    for (unsigned i = 0; i < reading->files->len; i++) {
        const struct read_file *file = g_ptr_array_index(reading->files, i);
        if (file->bytes == 0)
            return 0;
        all += file->bytes;
    }
    return all;
}
