/* fuzz-merge.c
 * latency-merge's reading of files: lines, records, replay, and the tables of them.
 *
 * Input: the lines of files, one file after the other, with a byte 0 between two. The last line of each, which agrees,
 * is added here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE /* memfd_create() */

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "../../latency-merge/merge.h"
#include "../../latency-merge/report.h"
#include "json/line_kinds.h"

enum { FILES_MOST = 4 };

/* How many lines of the type there are: as latency-merge reads them, if the type stands first. */
static unsigned
count_lines(const char *lines, const char *type)
{
    char *begin = g_strdup_printf("{\"type\":\"%s\"", type);
    unsigned count = 0;
    for (const char *at = lines; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        count += g_str_has_prefix(at, begin);
    g_free(begin);
    return count;
}

/* The lines with their last one. */
static char *
seal(const char *lines)
{
    GString *text = g_string_new(lines);
    if (text->len && text->str[text->len - 1] != '\n')
        g_string_append_c(text, '\n');
    char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, (gssize)text->len);
    GString *counts = g_string_new(NULL);
    for (unsigned i = 0; i < LINE_TYPES; i++) {
        unsigned count = count_lines(text->str, line_types[i]);
        if (count)
            g_string_append_printf(counts, "%s\"%s\":%u", counts->len ? "," : "", line_types[i], count);
    }
    g_string_append_printf(text, "{\"type\":\"" LINE_END "\",\"lines\":{%s},\"" LINE_DIGEST "\":\"%s\"}\n", counts->str,
                           digest);
    g_string_free(counts, TRUE);
    g_free(digest);
    return g_string_free(text, FALSE);
}

/* A file in memory: its descriptor. */
static int
make_file(const char *lines)
{
    char *text = seal(lines);
    int file = memfd_create("lines", 0);
    g_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    g_free(text);
    return file;
}

static void
merge(struct capture *const *captures, unsigned count)
{
    GError *error = NULL;
    struct merge *merged = merge_new(captures[0]);
    FILE *nowhere = fopen("/dev/null", "w");
    g_assert(nowhere);
    for (unsigned i = 0; i < count && !error; i++)
        merge_take(merged, captures[i], &error);
    if (!error)
        report_print(merge_finish(merged), &(struct made_of){ "", "", "", "", "" },
                     &(struct report_form){ .format = TABLE_TEXT, .columns = TABLE_COLUMNS_WIDE }, nowhere);
    g_clear_error(&error);
    merge_free(merged);
    fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool begun;
    struct capture *captures[FILES_MOST];
    int files[FILES_MOST];
    unsigned count = 0, read = 0;
    if (!begun)
        wmem_init();
    begun = true;
    for (const uint8_t *end = data + size; data < end && count < FILES_MOST; count++) {
        const uint8_t *next = memchr(data, '\0', (size_t)(end - data));
        char *lines = g_strndup((const char *)data, (size_t)((next ? next : end) - data));
        files[count] = make_file(lines);
        g_free(lines);
        char *path = g_strdup_printf("/proc/self/fd/%d", files[count]);
        GError *error = NULL;
        captures[read] = capture_read(path, &error);
        read += captures[read] != NULL;
        g_clear_error(&error);
        g_free(path);
        data = next ? next + 1 : end;
    }
    if (read)
        merge(captures, read);
    for (unsigned i = 0; i < read; i++)
        capture_free(captures[i]);
    for (unsigned i = 0; i < count; i++)
        close(files[i]);
    return 0;
}
