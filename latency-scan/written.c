/* written.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "written.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "core/util/output_check.h"
#include "core/util/output_file.h"
#include "json/export.h"
#include "preferences.h"
#include "say.h"

/* Makes another file of JSON lines. A program of its own: the libraries that one needs can take longer to load than a
 * small capture to read. */
struct maker {
    const char *option, *program, *output; /* the program's option for the file */
    enum output_kind kind;
    bool takes_name; /* of the capture: --name */
};

static const struct maker makers[] = {
    { "html", "latency-report", "-o", OUTPUT_PAGE, true },
    { "otlp", "latency-export", "--otlp", OUTPUT_OTLP, false },
    { "har", "latency-export", "--har", OUTPUT_HAR, false },
    { "trace", "latency-export", "--trace", OUTPUT_TRACE, false },
};

struct output {
    char *path;                /* of JSON lines */
    char *made;                /* the file that is made of them; NULL: none */
    const struct maker *maker; /* of that */
    FILE *lines;               /* on their way to it, in a file without a name: no signal can leave it */
    struct json_export *json;  /* NULL before it takes something */
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
    if (!output->lines)
        return;
    fclose(output->lines);
    g_free(output->path);
    output->lines = NULL;
    output->path = NULL;
}

static void
free_output(void *data)
{
    struct output *output = data;
    end_output(output);
    g_free(output->path);
    g_free(output->made);
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

static struct output *
add(struct written *written)
{
    struct output *output = g_new0(struct output, 1);
    g_ptr_array_add(written->outputs, output);
    return output;
}

void
written_add_json(struct written *written, const char *path)
{
    add(written)->path = g_strdup(path);
}

/* Returns where the program is: beside this one, or where the shell would look; NULL: nowhere. */
static char *
find_program(const char *name)
{
    char *self = g_file_read_link("/proc/self/exe", NULL), *folder = g_path_get_dirname(self ? self : "");
    char *beside = g_build_filename(folder, name, NULL), *program = g_find_program_in_path(beside);
    g_free(self);
    g_free(folder);
    g_free(beside);
    return program ? program : g_find_program_in_path(name);
}

char *
written_add_made(struct written *written, const char *option, const char *path)
{
    const struct maker *maker = makers;
    while (strcmp(maker->option, option) != 0)
        maker++;
    char *program = find_program(maker->program);
    if (!program)
        return g_strdup_printf("--%s %s needs %s, which is not installed.", option, path, maker->program);
    g_free(program);
    struct output *output = add(written);
    output->made = g_strdup(path);
    output->maker = maker;
    return NULL;
}

unsigned
written_count(const struct written *written)
{
    return written->outputs->len;
}

/* The path leads to the file in this program, and in the one that makes another of it, which has it open, too. */
static bool
open_lines(struct output *output)
{
    char *beside = g_build_filename(g_get_tmp_dir(), "latency-lines", NULL);
    output->lines = output_file_nameless(beside);
    if (output->lines && fcntl(fileno(output->lines), F_SETFD, 0) == 0)
        output->path = g_strdup_printf("/proc/self/fd/%d", fileno(output->lines));
    else
        say("--%s needs a temporary file in \"%s\": %s.", output->maker->option, g_get_tmp_dir(), g_strerror(errno));
    g_free(beside);
    return output->path;
}

/* False, having said why. */
static bool
may_write(const char *path, enum output_kind kind, char *const *captures)
{
    const unsigned n = g_strv_length((char **)captures);
    char *refused = output_check(path, kind, captures, n);
    if (refused)
        say("%s", refused);
    g_free(refused);
    return !refused;
}

bool
written_check(const struct written *written, char *const *captures)
{
    bool may = true;
    for (unsigned i = 0; may && i < written->outputs->len; i++) {
        const struct output *output = g_ptr_array_index(written->outputs, i);
        may = output->made ? may_write(output->made, output->maker->kind, captures)
                           : may_write(output->path, OUTPUT_LINES, captures);
    }
    return may;
}

bool
written_begin(struct written *written, struct scan *scan)
{
    for (unsigned i = 0; i < written->outputs->len; i++) {
        struct output *output = g_ptr_array_index(written->outputs, i);
        if (output->made && !open_lines(output))
            return false;
        const enum json_content content = output->made ? JSON_ROWS : preferences_json_content();
        const bool has_calls = output->made || preferences_has_json_calls();
        output->json = export_new(scan_source(scan), output->path, NULL, content, has_calls);
        if (!output->json)
            return false;
        scan_keep_conversations(scan);
        scan_listen(scan, &(struct listener){ output->json, export_take, export_take_ca, true });
    }
    return true;
}

/* Runs the maker. False, having said why, if the file is not made. */
static bool
make(const struct output *output, char *const *captures)
{
    const struct maker *maker = output->maker;
    unsigned n = g_strv_length((char **)captures);
    char *first = g_path_get_basename(captures[0]), *program = find_program(maker->program);
    char *name = n > 1 ? g_strdup_printf("%s and %u more", first, n - 1) : g_strdup(first);
    char *arguments[] = {
        program, (char *)maker->output, output->made, output->path, maker->takes_name ? "--name" : NULL, name, NULL
    };
    char *said = NULL; /* "latency-report: a sentence" */
    GError *error = NULL;
    int status = 1;
    if (!g_spawn_sync(NULL, arguments, NULL, G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL, NULL, NULL, &said, &status,
                      &error)) {
        say("--%s: %s cannot be run: %s.", maker->option, maker->program, error->message);
        g_error_free(error);
    } else if (*said) {
        say("%s", g_strchomp(strstr(said, ": ") ? strstr(said, ": ") + 2 : said));
    }
    g_free(said);
    g_free(first);
    g_free(program);
    g_free(name);
    return status == 0;
}

bool
written_finish(struct written *written, char *const *captures)
{
    bool all = true;
    for (unsigned i = 0; i < written->outputs->len; i++) {
        struct output *output = g_ptr_array_index(written->outputs, i);
        bool made = export_finish(output->json);
        all &= made && (!output->made || make(output, captures));
    }
    return all;
}

void
written_end(struct written *written)
{
    for (unsigned i = 0; i < written->outputs->len; i++)
        end_output(g_ptr_array_index(written->outputs, i));
}
