/* export_late.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_late.h"

#include <errno.h>
#include <string.h>

#include "../core/util/read_at.h"

enum { WINDOW_BYTES = 1 << 16 };

/* Where a row is in the file. */
struct extent {
    int64_t begin, end;
};

struct late_rows {
    struct line line;
    struct row_sorter *sorter; /* of struct extent */
    int64_t begin;             /* of the row that is being written */
    int error;
};

/* Rows on their way from one file to another. */
struct writing {
    struct late_rows *late;
    FILE *out;
    char *window; /* what was read last, for rows stand in about the order in which they are wanted */
    int64_t begin, end;
};

struct late_rows *
late_rows_new(FILE *file, uint64_t *counts)
{
    struct late_rows *late = g_new0(struct late_rows, 1);
    late->line = (struct line){ .dumper.output_file = file, .counts = counts };
    late->sorter = row_sorter_new(NULL);
    return late;
}

void
late_rows_free(struct late_rows *late)
{
    row_sorter_free(late->sorter);
    g_free(late);
}

struct row_key
late_rows_key(uint32_t capture, enum late_kind kind, uint64_t order)
{
    return (struct row_key){ (uint64_t)capture << 3 | (kind + 1), order };
}

static FILE *
file_of(const struct late_rows *late)
{
    return late->line.dumper.output_file;
}

struct line *
late_rows_begin(struct late_rows *late)
{
    late->begin = ftello(file_of(late));
    return &late->line;
}

void
late_rows_add(struct late_rows *late, enum late_kind kind, uint64_t order)
{
    const struct extent extent = { late->begin, ftello(file_of(late)) };
    if (extent.begin < extent.end)
        row_sorter_add(late->sorter, late_rows_key(0, kind, order), &extent, sizeof extent);
}

/* Some of the file's bytes from there on, before `end`. */
static size_t
look(struct writing *writing, int64_t at, int64_t end, const char **bytes)
{
    if (at < writing->begin || at >= writing->end) {
        const size_t got = read_at(file_of(writing->late), writing->window, WINDOW_BYTES, at);
        if (got == 0) {
            writing->late->error = errno;
            return 0;
        }
        writing->begin = at;
        writing->end = at + (int64_t)got;
    }
    *bytes = writing->window + (at - writing->begin);
    return (size_t)(MIN(end, writing->end) - at);
}

static void
write_row(void *data, struct row_key key G_GNUC_UNUSED, const uint8_t *row, uint32_t length)
{
    struct writing *writing = data;
    struct extent extent;
    memcpy(&extent, row, length);
    int64_t at = extent.begin;
    while (at < extent.end && !writing->late->error) {
        const char *bytes = NULL;
        size_t got = look(writing, at, extent.end, &bytes);
        fwrite(bytes, 1, got, writing->out);
        at += (int64_t)got;
    }
}

void
late_rows_write(struct late_rows *late, FILE *out)
{
    struct writing writing = { late, out, g_malloc(WINDOW_BYTES), 0, 0 };
    if (fflush(file_of(late)) != 0)
        late->error = errno;
    else
        row_sorter_read(late->sorter, write_row, &writing);
    row_sorter_clear(late->sorter);
    if (fseeko(file_of(late), 0, SEEK_SET) != 0)
        late->error = errno;
    g_free(writing.window);
}

int
late_rows_error(const struct late_rows *late)
{
    return late->error ? late->error : row_sorter_error(late->sorter);
}
