/* row_sorter.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "row_sorter.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "read_at.h"

enum { MEMORY_BYTES = 8 << 20, WINDOW_BYTES = 1 << 15 };

struct row {
    struct row_key key;
    uint64_t at; /* in `bytes` */
    uint32_t length;
};

/* In a file a row's key and length stand before its bytes, without padding. */
enum { HEAD_BYTES = sizeof(struct row_key) + sizeof(uint32_t) };

struct row_sorter {
    FILE *file;
    bool owns_file;
    GArray *rows;      /* of struct row */
    GByteArray *bytes; /* theirs */
    GArray *ends;      /* of int64_t: where each run ends in the file */
    int error;
};

/* A run that is being read: the file's, or what is in memory. */
struct run {
    int64_t next, end;  /* in the file: what has not been asked for */
    GByteArray *window; /* what has been, from `at` on */
    uint32_t at;
    unsigned row; /* in memory */
    struct row first;
    const uint8_t *bytes; /* the first row's */
};

struct row_sorter *
row_sorter_new(FILE *file)
{
    struct row_sorter *sorter = g_new0(struct row_sorter, 1);
    sorter->file = file;
    sorter->rows = g_array_new(FALSE, FALSE, sizeof(struct row));
    sorter->bytes = g_byte_array_new();
    sorter->ends = g_array_new(FALSE, FALSE, sizeof(int64_t));
    return sorter;
}

void
row_sorter_free(struct row_sorter *sorter)
{
    if (sorter->owns_file)
        fclose(sorter->file);
    g_array_free(sorter->rows, TRUE);
    g_byte_array_free(sorter->bytes, TRUE);
    g_array_free(sorter->ends, TRUE);
    g_free(sorter);
}

int
row_sorter_error(const struct row_sorter *sorter)
{
    return sorter->error;
}

static void
note_error(struct row_sorter *sorter, int error)
{
    if (!sorter->error)
        sorter->error = error ? error : EIO;
}

static void
open_file(struct row_sorter *sorter)
{
    char *name = NULL;
    int descriptor = g_file_open_tmp("latency-XXXXXX", &name, NULL);
    sorter->file = descriptor < 0 ? NULL : fdopen(descriptor, "w+b");
    sorter->owns_file = sorter->file != NULL;
    if (!sorter->file)
        note_error(sorter, errno);
    if (descriptor >= 0 && !sorter->file)
        close(descriptor);
    if (name)
        g_unlink(name);
    g_free(name);
}

int
row_key_compare(const struct row_key *a, const struct row_key *b)
{
    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    return (a->minor > b->minor) - (a->minor < b->minor);
}

static int
compare_rows(const void *a, const void *b)
{
    return row_key_compare(&((const struct row *)a)->key, &((const struct row *)b)->key);
}

/* Returns where what is in the file ends. */
static int64_t
end_of(const struct row_sorter *sorter)
{
    return sorter->ends->len > 0 ? g_array_index(sorter->ends, int64_t, sorter->ends->len - 1) : 0;
}

/* What is in memory goes to the file. */
static void
spill(struct row_sorter *sorter)
{
    if (!sorter->file && !sorter->error)
        open_file(sorter);
    if (!sorter->error && fseeko(sorter->file, end_of(sorter), SEEK_SET) != 0)
        note_error(sorter, errno);
    g_array_sort(sorter->rows, compare_rows);
    for (unsigned i = 0; i < sorter->rows->len && !sorter->error; i++) {
        const struct row *row = &g_array_index(sorter->rows, struct row, i);
        if (fwrite(&row->key, sizeof row->key, 1, sorter->file) != 1 ||
            fwrite(&row->length, sizeof row->length, 1, sorter->file) != 1 ||
            fwrite(sorter->bytes->data + row->at, 1, row->length, sorter->file) != row->length)
            note_error(sorter, errno);
    }
    if (!sorter->error && fflush(sorter->file) != 0)
        note_error(sorter, errno);
    if (!sorter->error) {
        const int64_t end = ftello(sorter->file);
        g_array_append_val(sorter->ends, end);
    }
    g_array_set_size(sorter->rows, 0);
    g_byte_array_set_size(sorter->bytes, 0);
}

void
row_sorter_add(struct row_sorter *sorter, struct row_key key, const void *bytes, uint32_t length)
{
    const struct row row = { key, sorter->bytes->len, length };
    g_array_append_val(sorter->rows, row);
    g_byte_array_append(sorter->bytes, bytes, length);
    if (sorter->bytes->len + sorter->rows->len * sizeof row > MEMORY_BYTES)
        spill(sorter);
}

/* That so many bytes of the run's next row are in its window. */
static bool
fill(struct row_sorter *sorter, struct run *run, uint32_t wanted)
{
    if (run->window->len - run->at >= wanted)
        return true;
    g_byte_array_remove_range(run->window, 0, run->at);
    run->at = 0;
    const uint32_t had = run->window->len;
    const uint32_t more = (uint32_t)MIN(MAX(wanted - had, WINDOW_BYTES), run->end - run->next);
    g_byte_array_set_size(run->window, had + more);
    if (had + more < wanted || read_at(sorter->file, run->window->data + had, more, run->next) != more) {
        note_error(sorter, errno);
        return false;
    }
    run->next += more;
    return true;
}

/* False after the last. */
static bool
step_in_file(struct row_sorter *sorter, struct run *run)
{
    if (run->at == run->window->len && run->next == run->end)
        return false;
    if (!fill(sorter, run, HEAD_BYTES))
        return false;
    memcpy(&run->first.key, run->window->data + run->at, sizeof run->first.key);
    memcpy(&run->first.length, run->window->data + run->at + sizeof run->first.key, sizeof run->first.length);
    if (!fill(sorter, run, HEAD_BYTES + run->first.length))
        return false;
    run->bytes = run->window->data + run->at + HEAD_BYTES;
    run->at += HEAD_BYTES + run->first.length;
    return true;
}

static bool
step(struct row_sorter *sorter, struct run *run)
{
    if (run->window)
        return step_in_file(sorter, run);
    if (run->row == sorter->rows->len)
        return false;
    run->first = g_array_index(sorter->rows, struct row, run->row++);
    run->bytes = sorter->bytes->data + run->first.at;
    return true;
}

/* Runs that have a row, those with the lowest first; equal ones in their order. They hardly overlap: so the place of
 * the first is soon found. */
static void
put_in_place(struct run **runs, unsigned n)
{
    struct run *run = runs[0];
    unsigned i = 0;
    while (i + 1 < n) {
        int order = row_key_compare(&runs[i + 1]->first.key, &run->first.key);
        if (order > 0 || (order == 0 && runs[i + 1] > run))
            break;
        runs[i] = runs[i + 1];
        i++;
    }
    runs[i] = run;
}

void
row_sorter_read(struct row_sorter *sorter,
                void (*take)(void *data, struct row_key key, const uint8_t *bytes, uint32_t length), void *data)
{
    const unsigned in_file = sorter->ends->len;
    struct run *runs = g_new0(struct run, in_file + 1); /* what is in memory came last */
    struct run **waiting = g_new(struct run *, in_file + 1);
    unsigned n = 0;
    g_array_sort(sorter->rows, compare_rows);
    for (unsigned i = in_file + 1; i-- > 0;) {
        if (i < in_file) {
            runs[i].next = i > 0 ? g_array_index(sorter->ends, int64_t, i - 1) : 0;
            runs[i].end = g_array_index(sorter->ends, int64_t, i);
            runs[i].window = g_byte_array_new();
        }
        if (!step(sorter, &runs[i]))
            continue;
        memmove(waiting + 1, waiting, n++ * sizeof *waiting);
        waiting[0] = &runs[i];
        put_in_place(waiting, n);
    }
    while (n > 0) {
        take(data, waiting[0]->first.key, waiting[0]->bytes, waiting[0]->first.length);
        if (step(sorter, waiting[0]))
            put_in_place(waiting, n);
        else
            memmove(waiting, waiting + 1, --n * sizeof *waiting);
    }
    for (unsigned i = 0; i < in_file; i++)
        g_byte_array_free(runs[i].window, TRUE);
    g_free(runs);
    g_free(waiting);
}

void
row_sorter_clear(struct row_sorter *sorter)
{
    g_array_set_size(sorter->rows, 0);
    g_byte_array_set_size(sorter->bytes, 0);
    g_array_set_size(sorter->ends, 0);
}
