/* export_connections.h
 * The objects of -z latency,json of which a connection has one: attempt, handshake, unmatched.
 *
 * What becomes of them can turn out late: so a connection is noted, and read when its records vanish.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_CONNECTIONS_H
#define LATENCY_EXPORT_CONNECTIONS_H

#include "export_head.h"
#include "export_late.h"
#include "export_tallies.h"

struct connection_rows;

/* All is borrowed. */
struct connection_rows *connection_rows_new(const struct table_source *source, struct export_head *head,
                                            struct tallies *tallies, struct late_rows *late);
void connection_rows_free(struct connection_rows *rows);

/* So many connections were in the captures before. */
void connection_rows_set_before(struct connection_rows *rows, uint32_t before);

/* An item of the frame. */
void connection_rows_take(struct connection_rows *rows, const struct item *item, uint32_t frame);

/* The connection's records are about to vanish, or those of all. */
void connection_rows_forget(struct connection_rows *rows, const struct connection *connection);
void connection_rows_end_capture(struct connection_rows *rows);

#endif
