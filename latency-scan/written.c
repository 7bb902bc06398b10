/* written.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "written.h"

#include <errno.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "json/export.h"
#include "preferences.h"
#include "say.h"
#ifdef HAVE_REPORT
#include "../latency-report/html_file.h"
#endif

struct output {
    char *path;               /* of JSON lines */
    char *page;               /* that is made of them, which then are only on the way; NULL: none */
    struct json_export *json; /* NULL before it takes something */
};

struct written {
    GPtrArray *outputs; /* of struct output */
};

static void
end_output(struct output *output)
{
    if (output->json)
        export_free(output->json);
    output->json = NULL;
    if (!output->page)
        return;
    if (output->path)
        g_unlink(output->path);
    g_free(output->path);
    output->path = NULL;
}

static void
free_output(void *data)
{
    struct output *output = data;
    end_output(output);
    g_free(output->path);
    g_free(output->page);
    g_free(output);
}

struct written *
written_new(void)
{
    struct written *written = g_new(struct written, 1);
    written->outputs = g_ptr_array_new_with_free_func(free_output);
    return written;
}

void
written_free(struct written *written)
{
    g_ptr_array_free(written->outputs, TRUE);
    g_free(written);
}

static void
add(struct written *written, const char *path, const char *page)
{
    struct output *output = g_new0(struct output, 1);
    output->path = g_strdup(path);
    output->page = g_strdup(page);
    g_ptr_array_add(written->outputs, output);
}

void
written_add_json(struct written *written, const char *path)
{
    add(written, path, NULL);
}

char *
written_add_page(struct written *written, const char *path)
{
#ifdef HAVE_REPORT
    add(written, NULL, path);
    return NULL;
#else
    (void)written;
    return g_strdup_printf("--html %s is not there: latency-scan was built without json-glib, or without Chart.js.",
                           path);
#endif
}

unsigned
written_count(const struct written *written)
{
    return written->outputs->len;
}

static void
take_item(void *data, const struct item *item, uint32_t frame)
{
    export_take(data, item, frame);
}

static void
take_event(void *data, const struct ca_event *event)
{
    export_take_ca(data, event);
}

/* Lines on their way to a page. */
static bool
name_lines(struct output *output)
{
    GError *error = NULL;
    int descriptor = g_file_open_tmp("latency-XXXXXX.jsonl", &output->path, &error);
    if (descriptor >= 0) {
        close(descriptor);
        return true;
    }
    say("--html needs a temporary file in \"%s\": %s.", g_get_tmp_dir(), error->message);
    g_error_free(error);
    return false;
}

bool
written_begin(struct written *written, struct scan *scan)
{
    for (unsigned i = 0; i < written->outputs->len; i++) {
        struct output *output = g_ptr_array_index(written->outputs, i);
        if (output->page && !name_lines(output))
            return false;
        output->json =
            export_new(scan_source(scan), output->path, NULL, output->page ? JSON_ROWS : preferences_json_content());
        if (!output->json)
            return false;
        scan_keep_conversations(scan);
        scan_listen(scan, &(struct listener){ output->json, take_item, take_event, true });
    }
    return true;
}

static bool
make_page(const struct output *output, char *const *captures)
{
#ifdef HAVE_REPORT
    GPtrArray *paths = g_ptr_array_new(), *names = g_ptr_array_new();
    unsigned n = g_strv_length((char **)captures);
    char *first = g_path_get_basename(captures[0]);
    char *name = n > 1 ? g_strdup_printf("%s and %u more", first, n - 1) : g_strdup(first);
    GError *error = NULL;
    g_ptr_array_add(paths, output->path);
    g_ptr_array_add(names, name);
    bool made = html_file_make(paths, names, output->page, &error);
    if (!made) {
        say("%s", error->message);
        g_error_free(error);
    }
    g_free(first);
    g_free(name);
    g_ptr_array_free(paths, TRUE);
    g_ptr_array_free(names, TRUE);
    return made;
#else
    (void)output, (void)captures;
    return false;
#endif
}

bool
written_finish(struct written *written, char *const *captures)
{
    bool all = true;
    for (unsigned i = 0; i < written->outputs->len; i++) {
        struct output *output = g_ptr_array_index(written->outputs, i);
        bool made = export_finish(output->json);
        all &= made && (!output->page || make_page(output, captures));
    }
    return all;
}

void
written_end(struct written *written)
{
    for (unsigned i = 0; i < written->outputs->len; i++)
        end_output(g_ptr_array_index(written->outputs, i));
}
