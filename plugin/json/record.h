/* record.h
 * An object of docs/json.md, read member by member. A member that is missing, or of another type, or out of its bounds,
 * is remembered as wrong and read as 0: it is enough to look once, at the end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RECORD_H
#define LATENCY_RECORD_H

#include "../core/tcp/segment.h"
#include "tokens.h"

struct record {
    struct token *object; /* NULL if there is none: all members are missing */
    struct token *next;   /* behind the member asked for last */
    const char *wrong;    /* the first wrong member; NULL if there is none */
};

struct record record_of(struct token *object);

void record_note_wrong(struct record *record, const char *name);

/* The value of a member, not read yet; NULL if there is none. */
struct token *record_member(struct record *record, const char *name);
bool record_has(struct record *record, const char *name);

int64_t record_int(struct record *record, const char *name);

/* From 0 to `most`. */
uint64_t record_uint(struct record *record, const char *name, uint64_t most);

/* Borrowed, "" if it is wrong. */
const char *record_text(struct record *record, const char *name);
const char *record_optional_text(struct record *record, const char *name, const char *absent);

struct record record_object(struct record *record, const char *name);

/* What is left of an array's elements, to be read one after the other. */
struct elements {
    struct token *next;
    unsigned left;
};

/* None if the member is wrong. */
struct elements record_array(struct record *record, const char *name);

void elements_skip(struct elements *elements, unsigned count);

/* The next element, a number from `least` to `most`; what is none, or not there, makes the member `name` wrong. */
int64_t record_next_int(struct record *record, const char *name, struct elements *elements, int64_t least,
                        int64_t most);
const char *record_next_text(struct record *record, const char *name, struct elements *elements);
struct elements record_next_array(struct record *record, const char *name, struct elements *elements);
struct record record_next_object(struct record *record, const char *name, struct elements *elements);

/* What a message asks, or answers, which the core has room for: of fewer than OPERATION_ROOM bytes; "" if no element is
 * left. */
const char *record_next_operation(struct record *record, const char *name, struct elements *elements);

/* An address and, unless `port` is NULL, a port. */
void record_endpoint(struct record *record, const char *name, const char *port, struct endpoint *endpoint, bool *ipv6);

/* False if the text is no address. */
bool address_read(const char *text, struct endpoint *endpoint, bool *ipv6);

#endif
