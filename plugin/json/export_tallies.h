/* export_tallies.h
 * The objects of -z latency,json that sum up: server, operation, connections, sender.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_TALLIES_H
#define LATENCY_EXPORT_TALLIES_H

#include "../core/stats/push_tally.h"
#include "../core/stats/tally.h"
#include "../core/util/row_sorter.h"
#include "export_line.h"

struct tallies;

/* The settings are borrowed. */
struct tallies *tallies_new(const struct settings *settings);
void tallies_free(struct tallies *tallies);

/* Takes a request once, when nothing more will come of it. Rows stand in the order of the lowest key of what they were
 * made of. */
void tallies_take_request(struct tallies *tallies, struct row_key key, const struct requests *requests,
                          const struct request *request, const char *operation);

/* Takes a connection's attempt to connect, with what it has come to and how many frames its server sent unasked, and
 * its handshake of TLS, once, likewise. */
void tallies_take_attempt(struct tallies *tallies, struct row_key key, const struct connection *connection,
                          enum connect_result result, const struct push_tally *pushes);
void tallies_take_handshake(struct tallies *tallies, struct row_key key, const struct connection *connection);

/* Takes a payload item. */
void tallies_take_payload(struct tallies *tallies, const struct item *item);

void tallies_write(const struct tallies *tallies, struct line *line);

#endif
