/* export_file.h
 * A file that appears when it is complete, not before. What it will have is collected beside it, in files without a
 * name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_FILE_H
#define LATENCY_EXPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* What is collected. The first ones become the file, in this order. */
enum export_part { PART_HEAD, PART_SEGMENTS, PART_ROWS, PART_LATE_ROWS, PART_SPILL_BUFFER, EXPORT_PARTS };

struct export_file;

/* `path` NULL, "-" or /dev/stdout: standard output. Returns NULL, having said why, if nothing can be written there, or
 * if it would replace what is not ours or is being read (output_check.h). */
struct export_file *export_file_new(const char *path);
void export_file_free(struct export_file *file);

/* To be written, and read, by the caller. */
FILE *export_file_part(const struct export_file *file, enum export_part part);

/* To be called soon after writing to a part: if that failed, errno still says why. */
void export_file_check(struct export_file *file);

/* Notes that something failed for this reason, an errno; 0: nothing did. The first reason stays. */
void export_file_note_error(struct export_file *file, int error);

/* Makes the file of the parts, and of what `write_end` writes, who is told their SHA-256. False, having said why, if it
 * could not. */
bool export_file_finish(struct export_file *file, void (*write_end)(void *data, const char *digest, FILE *out),
                        void *data);

#endif
