/* record.h
 * An object of docs/json.md, read member by member. A member that is missing, or of another type, or out of its bounds,
 * is remembered as wrong and read as 0: it is enough to look once, at the end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_RECORD_H
#define LATENCY_MERGE_RECORD_H

#include <json-glib/json-glib.h>

#include "core/tcp/segment.h"
#include "core/stats/statistic.h"

struct record {
    JsonObject *object;
    const char *wrong; /* the first wrong member; NULL if there is none */
};

bool record_has(const struct record *record, const char *name);

int64_t record_int(struct record *record, const char *name);
int64_t record_optional_int(struct record *record, const char *name, int64_t absent);

/* Since 1970, within 2^62: a difference of two never overflows. */
int64_t record_time(struct record *record, const char *name);

/* From 0 to `most`. */
uint64_t record_uint(struct record *record, const char *name, uint64_t most);
uint64_t record_optional_uint(struct record *record, const char *name, uint64_t most); /* 0 if it is absent */

/* Borrowed, "" if it is wrong. */
const char *record_text(struct record *record, const char *name);
const char *record_optional_text(struct record *record, const char *name, const char *absent);

/* The number, below `count`, that has the word by `word`; 0, and wrong, if none has. */
unsigned record_word(struct record *record, const char *name, const char *(*word)(unsigned number), unsigned count);

/* Text that is printed as it stands; "" if it is absent. Control characters, which a terminal would obey, are wrong. */
const char *record_printed_text(struct record *record, const char *name);

/* True or, if it is absent, false. */
bool record_optional_true(struct record *record, const char *name);

/* Borrowed, empty or NULL if it is wrong. */
JsonArray *record_array(struct record *record, const char *name);
struct record record_object(struct record *record, const char *name);

/* The number at `index`, from `least` to `most`; what is none, or not there, makes the member `name` wrong. */
int64_t record_element(struct record *record, const char *name, JsonArray *array, unsigned index, int64_t least,
                       int64_t most);
const char *record_text_element(struct record *record, const char *name, JsonArray *array, unsigned index);

/* What a message asks, or answers, which the core has room for: of fewer than OPERATION_ROOM bytes. */
const char *record_operation_element(struct record *record, const char *name, JsonArray *array, unsigned index);
JsonArray *record_array_element(struct record *record, const char *name, JsonArray *array, unsigned index);

/* An address and, unless `port` is NULL, a port. */
void record_endpoint(struct record *record, const char *name, const char *port, struct endpoint *endpoint, bool *ipv6);

/* False if the text is no address. */
bool address_read(const char *text, struct endpoint *endpoint, bool *ipv6);

/* To be cleared by the caller. */
struct statistic record_statistic(struct record *record, const char *name);

#endif
