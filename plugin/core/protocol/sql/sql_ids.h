/* sql_ids.h
 * The ids that a statement's comments carry: sqlcommenter's traceparent (google.github.io/sqlcommenter/spec), and
 * whatever else looks like an id. Comments mostly stand at a statement's end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SQL_IDS_H
#define LATENCY_SQL_IDS_H

#include "../parser.h"

/* The ids that a message has in comments, and where in the client's stream its statement is. */
struct sql_ids {
    struct found_ids found;
    int64_t from, end; /* end 0: nothing is left to be looked at; INT64_MAX: it is not known yet */
};

/* Adds the ids in the comments of some bytes of a statement. `begins`, `ends`: they are its first, its last. */
void sql_find_ids(const uint8_t *text, size_t length, bool begins, bool ends, struct found_ids *found);

/* Takes the bytes with which a statement begins, which take() has been given last; `end`: the offset behind the
 * statement, or INT64_MAX. `ids`: of the connection, NULL before the first call. */
SELDOM void sql_ids_take(struct reading *reading, struct sql_ids **ids, const uint8_t *text, size_t length,
                         int64_t end);

/* Takes the last bytes of the statement that has ended before `end`, if they have not been looked at. */
SELDOM void sql_ids_take_end(struct reading *reading, struct sql_ids *ids, int64_t end);

#endif
