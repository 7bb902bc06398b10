/* export_run.h
 * Writes a file of JSON lines in another tool's format.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef EXPORT_RUN_H
#define EXPORT_RUN_H

#include "format.h"

/* Writes what `lines` has to the file `path`, which appears when it is whole. False, and a sentence in `error`, if
 * `lines` cannot be read, or `path` not be written. */
bool export_run(const char *lines, const struct format *format, const char *path, GError **error);

#endif
