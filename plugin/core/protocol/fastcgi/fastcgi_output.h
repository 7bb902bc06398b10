/* fastcgi_output.h
 * What an application says of its success by the fields with which its output begins: RFC 3875 §6.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FASTCGI_OUTPUT_H
#define LATENCY_FASTCGI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a line that are looked at, and of all fields. */
enum { FASTCGI_LINE_LOOKED_AT = 24, FASTCGI_FIELDS_MOST = 65536 };

enum { FASTCGI_STATUS_ROOM = 4 };

/* Reads them as they come; zero before the first. */
struct fastcgi_output {
    uint32_t bytes;
    bool is_over;    /* nothing more is looked for */
    bool is_unknown; /* the status: bytes are missing, or there are no fields */
    uint8_t n_line;
    char line[FASTCGI_LINE_LOOKED_AT + 1];
    char status[FASTCGI_STATUS_ROOM]; /* "" before the fields' end if there has been none */
};

/* Takes the next bytes of an output. */
void fastcgi_output_take(struct fastcgi_output *output, const uint8_t *bytes, size_t length);

/* Notes that the next bytes are missing: a status that has not come by then is not known. */
void fastcgi_output_lose(struct fastcgi_output *output);

/* Returns whether output may begin with these bytes: with a field's name. */
bool fastcgi_output_begins(const uint8_t *bytes, size_t length);

#endif
