/* lingering.h
 * Connections by how long they have been quiet, to come back to those that have been for CONNECTION_LINGERS_S: those
 * that have ended, to end what waited for more, and others, to forget what was to know whose late segments are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LINGERING_H
#define LATENCY_LINGERING_H

#include "connection.h"

/* Zeroed at first. In each row the connection stands first that has been quiet longest. When those that have ended are
 * come back to must not depend on whether the others stand here, too. */
struct lingering {
    struct lingering_row {
        struct connection *first, *last; /* NULL for none */
        uint32_t count;
    } ended, open;
};

/* The connection has gone on. One that has not ended stands here only if `with_open`. */
void lingering_note(struct lingering *lingering, struct connection *connection, bool with_open);

/* Takes it out, if it stands there. */
void lingering_drop(struct lingering *lingering, struct connection *connection);

/* Takes out of the row, which is one of lingering's, the connection that has been quiet longest, if that is long enough
 * by `now_ns`, or there are more than `most`; NULL if there is none. */
struct connection *lingering_next(struct lingering *lingering, const struct lingering_row *row, int64_t now_ns,
                                  uint32_t most);

#endif
