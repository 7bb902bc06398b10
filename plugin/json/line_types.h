/* line_types.h
 * The types of docs/json.md's objects, as -z latency,json counts them and latency-merge reads them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LINE_TYPES_H
#define LATENCY_LINE_TYPES_H

/* What the first line says of all of them. It changes with the meaning of any member. */
enum { LINES_FORMAT = 4 };

/* All but that of the last line, LINE_END, which says how many there are of these. */
/* clang-format off */
#define LINE_TYPE_LIST(X)                                                                                              \
    X("capture") X("segments") X("request") X("open") X("tls") X("attempt") X("handshake") X("unmatched")              \
    X("channel") X("server") X("operation") X("connections") X("host") X("sender") X("search")                         \
    X("ca_server") X("ca_command") X("pva_channel") X("pva_monitor") X("pva_search") X("pva_server") X("pva_command")
/* clang-format on */

#define ONE(word) +1
enum { LINE_TYPES = LINE_TYPE_LIST(ONE) };
#undef ONE
extern const char *const line_types[LINE_TYPES];

#define LINE_END "end"

/* The member of the last line that has the SHA-256 of the lines before it, in hexadecimal digits. */
#define LINE_DIGEST "sha256"

/* A type's number; LINE_TYPES if there is none of this name. */
unsigned line_type_find(const char *type);

#endif
