/* output_file.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

enum { READABLE_BY_ALL = 0666, MINE_ONLY = 0600, PERMISSIONS = 0777 };

struct output_file {
    FILE *stream;
    enum output_kind kind;
    char *place;     /* where it belongs; NULL: it is written there */
    char *name;      /* until then; NULL likewise */
    sigset_t before; /* mask of signals; they are blocked while something is beside the place */
};

void
output_file_survive_limits(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

bool
output_is_in_place(const struct stat *status)
{
    return !S_ISREG(status->st_mode) || status->st_nlink == 0;
}

/* What a link leads to is replaced, not the link. Returns NULL, with errno set, if it leads nowhere. */
static char *
resolve(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode))
        return g_strdup(path);
    char *real = realpath(path, NULL), *resolved = g_strdup(real);
    free(real);
    return resolved;
}

static FILE *
new_beside(const char *place, int mode, char **name)
{
    char *folder = g_path_get_dirname(place);
    *name = g_build_filename(folder, ".latency-XXXXXX", NULL);
    g_free(folder);
    const int descriptor = g_mkstemp_full(*name, O_RDWR | O_CLOEXEC, mode);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "w+b");
    if (descriptor >= 0 && !stream)
        close(descriptor);
    return stream;
}

static void
hold_signals(sigset_t *before)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending, before);
}

FILE *
output_file_nameless(const char *path)
{
    char *place = resolve(path), *name = NULL;
    sigset_t before;
    hold_signals(&before);
    FILE *stream = place ? new_beside(place, MINE_ONLY, &name) : NULL;
    const int error = errno;
    if (stream)
        g_unlink(name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    g_free(place);
    g_free(name);
    errno = error;
    return stream;
}

static void
discard(struct output_file *file)
{
    if (file->place)
        pthread_sigmask(SIG_SETMASK, &file->before, NULL);
    g_free(file->place);
    g_free(file->name);
    g_free(file);
}

/* `replaced`: what is in its place; NULL if nothing is. A file that is not to be written is not to be replaced. */
static void
open_beside(struct output_file *file, const char *path, const struct stat *replaced)
{
    file->place = resolve(path);
    if (!file->place)
        return;
    hold_signals(&file->before);
    if (replaced && access(file->place, W_OK) != 0)
        return;
    file->stream = new_beside(file->place, READABLE_BY_ALL, &file->name);
    if (file->stream && replaced)
        fchmod(fileno(file->stream), replaced->st_mode & PERMISSIONS);
}

struct output_file *
output_file_open(const char *path, enum output_kind kind)
{
    struct stat status;
    struct output_file *file = g_new0(struct output_file, 1);
    const bool exists = stat(path, &status) == 0;
    file->kind = kind;
    output_file_survive_limits();
    if (output_is_standard(path))
        file->stream = fdopen(dup(STDOUT_FILENO), "wb");
    else if (exists && output_is_in_place(&status))
        file->stream = fopen(path, "wbe");
    else
        open_beside(file, path, exists ? &status : NULL);
    if (file->stream)
        return file;
    const int error = errno;
    discard(file);
    errno = error;
    return NULL;
}

FILE *
output_file_stream(const struct output_file *file)
{
    return file->stream;
}

/* Returns 0 or an errno. */
static int
close_stream(struct output_file *file)
{
    errno = 0;
    int error = fflush(file->stream) != 0 || ferror(file->stream) ? errno ? errno : EIO : 0;
    if (fclose(file->stream) != 0 && !error)
        error = errno ? errno : EIO;
    return error;
}

int
output_file_commit(struct output_file *file)
{
    int error = close_stream(file);
    if (file->name && !error && !output_is_ours(file->place, file->kind))
        error = EEXIST;
    if (file->name && !error && g_rename(file->name, file->place) != 0)
        error = errno;
    if (file->name && error)
        g_unlink(file->name);
    discard(file);
    return error;
}

void
output_file_abort(struct output_file *file)
{
    fclose(file->stream);
    if (file->name)
        g_unlink(file->name);
    discard(file);
}
