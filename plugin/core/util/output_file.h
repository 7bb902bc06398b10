/* output_file.h
 * A file that appears when it is whole: it is written beside its place, under a name that nobody can know, and renamed.
 * What is no file (a pipe, a device, standard output), or a file without a name, is written where it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OUTPUT_FILE_H
#define LATENCY_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "output_check.h"

struct output_file;

/* Begins the file. Until it is committed or aborted, signals that would end the program wait if something is beside its
 * place, for the program would leave that. Returns NULL, with errno set, if it cannot be written. */
struct output_file *output_file_open(const char *path, enum output_kind kind);

/* Returns whether what has this status is written where it is. */
bool output_is_in_place(const struct stat *status);

/* Where to write it. */
FILE *output_file_stream(const struct output_file *file);

/* Puts the file in its place, and frees `file`. Returns 0, or an errno if something could not be written: then what was
 * in its place stays. EEXIST: what has come there meanwhile is not of the same kind. */
int output_file_commit(struct output_file *file);

/* Leaves what is in its place, and frees `file`. */
void output_file_abort(struct output_file *file);

/* Opens a new file without a name, to be written and read, in the folder of `path`, or in that of what this links to.
 * Returns NULL, with errno set, if there can be none. */
FILE *output_file_nameless(const char *path);

/* Lets a write beyond the limit of a file's size fail, which somebody then says, instead of ending the program. */
void output_file_survive_limits(void);

#endif
