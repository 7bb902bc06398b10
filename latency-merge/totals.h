/* totals.h
 * The merged tables, with what the captures come to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_TOTALS_H
#define LATENCY_MERGE_TOTALS_H

#include "core/stats/ca_searched.h"
#include "core/stats/ca_server_tally.h"
#include "core/stats/host_tally.h"
#include "table/call_pairs.h"
#include "table/notes.h"
#include "table/table.h"

/* In the order in which they are printed. */
enum total_number {
    TOTAL_SERVERS,
    TOTAL_OPERATIONS,
    TOTAL_CONNECTIONS,
    TOTAL_HOSTS,
    TOTAL_CALLS,
    TOTAL_CA_SERVERS,
    TOTAL_PVA_SERVERS,
    TOTAL_CA_SEARCHES,
    TOTAL_CA_COMMANDS,
    TOTAL_PVA_SEARCHES,
    TOTAL_PVA_COMMANDS,
    TOTALS
};

struct total {
    const struct table_definition *definition;
    void *rows;
};

struct totals {
    struct table_source source;
    struct total tables[TOTALS];
    struct omitted omitted;                        /* by the tables of requests: pushes and TLS, no more */
    uint64_t orphan_channels, orphan_pva_channels; /* which those of channels leave out */
};

const struct table_definition *total_definition(enum total_number number);

struct totals *totals_new(void);
void totals_free(struct totals *totals);

/* Frees a table's rows, and leaves it without. */
void total_close(struct total *total);

/* What a row with that key comes to. */
struct tally *totals_requests(struct totals *totals, enum total_number number, const struct group_key *key);
struct connect_tally *totals_attempts(struct totals *totals, const struct group_key *key);
struct host_tally *totals_host(struct totals *totals, const struct group_key *key);
struct ca_server_tally *totals_channels(struct totals *totals, enum total_number number, const struct group_key *key);
struct ca_searched *totals_name(struct totals *totals, enum total_number number, const struct group_key *key);
struct statistic *totals_command(struct totals *totals, enum total_number number, const struct group_key *key);

/* What the rows of latency,calls are made of. */
struct call_pairs *totals_calls(struct totals *totals);

/* Adds a request once, with the key of its operation and that of its host. */
void totals_add_request(struct totals *totals, const struct group_key *operation, const struct group_key *host,
                        const struct measured *measured);

/* Adds the response to a request that was waiting when it was added. */
void totals_add_answer(struct totals *totals, const struct group_key *operation, const struct group_key *host,
                       const struct measured *measured);

/* Adds an attempt once. `host`: NULL if it is not known; `pushes`: unsolicited frames of the server; NULL for none. */
void totals_add_attempt(struct totals *totals, const struct group_key *pair, const struct group_key *host,
                        enum connect_result result, int64_t time_ns, uint32_t syn_retries,
                        const struct push_tally *pushes);

/* Adds what the attempt to connect, and the handshake of TLS, of a connection of which nothing more will come have come
 * to at `now_ns`. `pushes`: as above. */
void totals_add_connection(struct totals *totals, const struct connection *connection, const struct push_tally *pushes,
                           int64_t now_ns);

#endif
