/* sql.h
 * What the parsers of databases share: a statement's text as an operation, and the texts of what was prepared.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SQL_H
#define LATENCY_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

enum sql_dialect { SQL_POSTGRESQL, SQL_MYSQL, SQL_TSQL };

/* Writes a statement (`cut`: its beginning, at most 512 bytes) into `operation` (OPERATION_ROOM bytes): literals are
 * `?`, white space is one space, comments and what ends it are left out. Empty, it is "empty query". */
void sql_operation(const uint8_t *text, size_t length, bool cut, enum sql_dialect dialect, char *operation);

/* The first word, in upper case and at most `room` - 1 bytes; "" if it is none. */
void sql_first_word(const char *statement, char *word, size_t room);

/* Names or numbers, up to 63 bytes each, of what a client has prepared, and operations. Of more than SQL_NAMES_MOST the
 * oldest are forgotten. All zero at first. */
enum { SQL_NAMES_MOST = 256, SQL_NAME_BYTES = 63 };

struct sql_names {
    struct sql_name **names;
    uint32_t count, room, oldest;
};

void sql_names_put(wmem_allocator_t *scope, struct sql_names *names, const void *name, size_t bytes,
                   const char *operation);
/* NULL if it is not known. */
const char *sql_names_find(const struct sql_names *names, const void *name, size_t bytes);
void sql_names_drop(wmem_allocator_t *scope, struct sql_names *names, const void *name, size_t bytes);
void sql_names_free(wmem_allocator_t *scope, struct sql_names *names);

#endif
