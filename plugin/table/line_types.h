/* line_types.h
 * The types of docs/json.md's objects, as -z latency,json counts them and latency-merge reads them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LINE_TYPES_H
#define LATENCY_LINE_TYPES_H

/* All but that of the last line, LINE_END, which says how many there are of these. */
enum { LINE_TYPES = 22 };
extern const char *const line_types[LINE_TYPES];

#define LINE_END "end"

/* The member of the last line that has the SHA-256 of the lines before it, in hexadecimal digits. */
#define LINE_DIGEST "sha256"

/* A type's number; LINE_TYPES if there is none of this name. */
unsigned line_type_find(const char *type);

#endif
