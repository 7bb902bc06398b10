/* members.h
 * The members of an object of docs/json.md, one after the other, where a million lines are read and of each a dozen
 * members: nothing is allocated. What is no JSON has no further members.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_MEMBERS_H
#define REPORT_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the line. A text is as it stands there, escaped, without its quotes. */
struct member {
    const char *name;
    size_t name_length;
    const char *value;
    size_t length;
};

/* The next member behind `*at`, which stands at the object's "{" before the first; false at the end. */
bool members_next(const char **at, struct member *member);

bool member_is(const struct member *member, const char *name);
bool member_equals(const struct member *member, const char *text);

/* Of a whole number; 0 of what is none, does not fit, or is not there. */
int64_t member_int(const struct member *member);

/* The same of a time since 1970, and of how long something took, in nanoseconds: no less than 0, and such that one of
 * the first and four of the others can be added. */
int64_t member_time(const struct member *member);
int64_t member_span(const struct member *member);

#endif
