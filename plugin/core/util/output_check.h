/* output_check.h
 * Whether a file may be written, or would destroy what a user has: a capture, the file that is being read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OUTPUT_CHECK_H
#define LATENCY_OUTPUT_CHECK_H

#include <stdbool.h>

/* What is written. */
enum output_kind { OUTPUT_LINES, OUTPUT_PAGE, OUTPUT_OTLP, OUTPUT_HAR, OUTPUT_TRACE, OUTPUT_METRICS, OUTPUT_VIEW };

/* Returns whether the path is a name of standard output: "-" or /dev/stdout. */
bool output_is_standard(const char *path);

/* Returns NULL if `path` may be written: nothing is there, or an empty file, or one that by its first bytes is of the
 * same kind, or what is no file (a pipe, a device, standard output); and if it is none of the `n` files `inputs`, by
 * whatever name, nor one that this program has open to read. Otherwise returns a sentence that says why not, to be
 * freed with g_free(). */
char *output_check(const char *path, enum output_kind kind, char *const *inputs, unsigned n);

/* Returns NULL if standard output is none of the `n` files `inputs`, to which tables would be appended; otherwise a
 * sentence that says so, to be freed with g_free(). */
char *output_check_standard(char *const *inputs, unsigned n);

/* Returns whether the file `path`, if there is one, is empty or of this kind by its first bytes; what is no file is
 * not. If it cannot be read, it is not, and errno says why; otherwise errno is 0. */
bool output_is_ours(const char *path, enum output_kind kind);

#endif
