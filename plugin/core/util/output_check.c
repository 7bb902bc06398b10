/* output_check.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "output_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

enum { FIRST_BYTES = 512 };

/* What a file of ours begins with, and has within its first bytes. */
static const struct {
    const char *begin, *mark, *absence;
} kinds[] = {
    [OUTPUT_LINES] = { "{\"type\":\"capture\",", "\"format\":", "has no JSON lines of latency,json" },
    [OUTPUT_PAGE] = { "<!DOCTYPE html>", "<meta name=\"generator\" content=\"latency-report\">",
                      "is no page of latency-report" },
    [OUTPUT_OTLP] = { "{\"resourceSpans\":[", "\"wireshark-latency\"", "has no traces of latency-export" },
    [OUTPUT_HAR] = { "{\"log\":{\"version\":", "\"wireshark-latency\"", "is no HTTP archive of latency-export" },
    [OUTPUT_TRACE] = { "{\"otherData\":{", "\"wireshark-latency ", "is no trace of latency-export" },
    [OUTPUT_METRICS] = { "# wireshark-latency ", "\n", "has no metrics of latency-scan" },
    [OUTPUT_VIEW] = { "{\"type\":\"view\",", "\"by\":", "has no JSON lines of the live view" },
};

static bool
is_same(const struct stat *one, const struct stat *other)
{
    return S_ISREG(one->st_mode) && S_ISREG(other->st_mode) && one->st_dev == other->st_dev &&
           one->st_ino == other->st_ino;
}

/* Whether this program has the file open to read. Only Linux says which files are open. */
static bool
is_being_read(const struct stat *output)
{
    GDir *folder = g_dir_open("/proc/self/fd", 0, NULL);
    const char *name;
    bool is = false;
    while (folder && !is && (name = g_dir_read_name(folder))) {
        struct stat status;
        const int descriptor = atoi(name), flags = fcntl(descriptor, F_GETFL);
        is = flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && fstat(descriptor, &status) == 0 &&
             is_same(&status, output);
    }
    if (folder)
        g_dir_close(folder);
    return is;
}

/* Whether the input is the file. */
static bool
is_read_from(const char *input, const struct stat *file)
{
    struct stat status;
    const int failed = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(input, &status);
    return failed == 0 && is_same(&status, file);
}

static bool
is_input(const struct stat *output, char *const *inputs, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (is_read_from(inputs[i], output))
            return true;
    return is_being_read(output);
}

bool
output_is_ours(const char *path, enum output_kind kind)
{
    struct stat status;
    char bytes[FIRST_BYTES + 1] = "";
    /* O_NONBLOCK keeps a pipe that has taken the file's place meanwhile from blocking the program */
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool is_other = descriptor >= 0 && fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode);
    const ssize_t length = descriptor < 0 ? -1 : is_other ? 0 : read(descriptor, bytes, FIRST_BYTES);
    const int error = length < 0 ? errno : 0;
    if (descriptor >= 0)
        close(descriptor);
    errno = error;
    if (error)
        return error == ENOENT;
    if (is_other)
        return false;
    return length == 0 || (g_str_has_prefix(bytes, kinds[kind].begin) && strstr(bytes, kinds[kind].mark));
}

bool
output_is_standard(const char *path)
{
    static const char *const names[] = { "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1" };
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return false;
}

char *
output_check(const char *path, enum output_kind kind, char *const *inputs, unsigned n)
{
    struct stat status;
    if (output_is_standard(path) || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    if (is_input(&status, inputs, n))
        return g_strdup_printf("\"%s\" is the file that is read, and is not overwritten. Name another file.", path);
    if (output_is_ours(path, kind))
        return NULL;
    if (errno)
        return g_strdup_printf("\"%s\" exists and cannot be read (%s): it is not replaced.", path, g_strerror(errno));
    return g_strdup_printf("\"%s\" exists and %s: it is not replaced. Name another file, or remove it.", path,
                           kinds[kind].absence);
}

char *
output_check_standard(char *const *inputs, unsigned n)
{
    struct stat output;
    if (fstat(STDOUT_FILENO, &output) != 0)
        return NULL;
    for (unsigned i = 0; i < n; i++)
        if (is_read_from(inputs[i], &output))
            return g_strdup_printf("The standard output is \"%s\", which is the file that is read.", inputs[i]);
    return NULL;
}
