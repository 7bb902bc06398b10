/* analysis.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "analysis.h"

#include "framing.h"
#include "overtaking.h"
#include "reading.h"
#include "turns.h"

struct analysis *
analysis_new(wmem_allocator_t *scope, const struct settings *settings)
{
    struct analysis *analysis = g_new0(struct analysis, 1);
    analysis->items = items_new(true);
    analysis->connections = connection_table_new(scope);
    analysis->points = points_new(scope);
    analysis->processes = process_table_new(scope);
    analysis->sightings = sightings_new(scope);
    analysis->requests = (struct requests){
        .scope = scope,
        .settings = settings,
        .items = analysis->items,
        .operations = wmem_map_new(scope, wmem_str_hash, g_str_equal),
        .last_ns = INT64_MIN,
    };
    return analysis;
}

void
analysis_free(struct analysis *analysis)
{
    items_free(analysis->items);
    g_free(analysis);
}

/* Where a packet is received, it is the other end's process that gets it. */
static void
meet_process(struct connection *connection, const struct sighting *sighting)
{
    const struct process *process = sighting->process;
    bool received = sighting->heading == HEADING_RECEIVED;
    struct sender *owner = &connection->sender[received ? !sighting->sender : sighting->sender];
    if (process && !process->bystander && !owner->process)
        owner->process = process;
}

bool
analysis_sight(struct analysis *analysis, const struct evidence *evidence, const struct segment *segment)
{
    struct sighting *sighting = sightings_take(analysis->sightings, evidence, items_are_kept(analysis->items));
    items_add(analysis->items, evidence->frame, ITEM_SIGHTING)->sighting = sighting;
    if (!segment)
        return false;
    struct connection *connection = connection_of(analysis->connections, segment, analysis->requests.settings);
    sighting->connection = connection;
    sighting->sender = connection_sender(connection, segment);
    meet_process(connection, sighting);
    sighting->traffic = vantage_take(&connection->sender[sighting->sender].vantage, sighting, analysis->points,
                                     analysis->requests.settings->points);
    return sighting->traffic;
}

const struct process *
analysis_process(const struct sighting *sighting)
{
    const struct connection *connection = sighting->connection;
    if (sighting->process || !connection)
        return sighting->process;
    uint8_t local = sighting->heading == HEADING_RECEIVED ? !sighting->sender : sighting->sender;
    const struct process *process = connection->sender[local].process;
    return process ? process : connection->sender[!local].process;
}

/* From now on it is the one that messages are in. */
static void
begin_taking(struct requests *requests, struct connection *connection, const struct segment *segment)
{
    requests->taken = (struct taken){ .connection = connection, .segment = *segment };
    requests->taken.segment.payload = NULL;
    requests->taken.segment.captured_bytes = 0;
}

struct connection *
analysis_take(struct analysis *analysis, const struct segment *segment)
{
    static const enum item_kind kinds[] = {
        [HANDSHAKE_SYN] = ITEM_SYN,
        [HANDSHAKE_SYN_AGAIN] = ITEM_SYN_AGAIN,
        [HANDSHAKE_ANSWER] = ITEM_ANSWER,
        [HANDSHAKE_ACK] = ITEM_ACK,
    };
    struct requests *requests = &analysis->requests;
    struct connection *connection = connection_of(analysis->connections, segment, requests->settings);
    requests->last_ns = MAX(requests->last_ns, segment->time_ns);
    begin_taking(requests, connection, segment);
    if (connection_is_duplicate(connection, segment)) {
        items_add(analysis->items, segment->frame, ITEM_DUPLICATE)->connection = connection;
        return connection;
    }
    enum handshake step = connection_shake_hands(connection, segment, &analysis->attempts, requests->scope);
    if (step != HANDSHAKE_NONE)
        items_add(analysis->items, segment->frame, kinds[step])->connection = connection;
    /* Its server time, if the capture has the answer late. */
    if (step == HANDSHAKE_ANSWER && connection->request)
        request_amend(requests, connection->request);

    struct sender *sender = &connection->sender[connection_sender(connection, segment)];
    struct ipid_step ipid_step;
    bool foreseen = !(segment->flags & (SEGMENT_SYN | SEGMENT_RST)) &&
                    continuity_take(&sender->continuity, segment, requests->settings, &ipid_step);
    turns_take(requests, connection, segment, foreseen ? &ipid_step : NULL);
    connection_close(connection, segment);
    return connection;
}

void
analysis_read(struct analysis *analysis, const struct segment *segment)
{
    reading_take(&analysis->requests, segment);
}

bool
analysis_wants_decrypted(const struct analysis *analysis, const struct connection *connection)
{
    return analysis->requests.taken.connection == connection && reading_wants_decrypted(&analysis->requests);
}

void
analysis_read_decrypted(struct analysis *analysis, const struct segment *segment, const struct decrypted *decrypted)
{
    reading_take_decrypted(&analysis->requests, segment, decrypted);
}

struct connection *
analysis_take_quoted(struct analysis *analysis, const struct segment *quoted)
{
    struct connection *connection =
        connection_find(analysis->connections, &quoted->source, &quoted->destination, quoted->ipv6);
    begin_taking(&analysis->requests, connection, quoted);
    if (connection && connection_unreachable(connection, quoted))
        items_add(analysis->items, quoted->frame, ITEM_ANSWER)->connection = connection;
    return connection;
}

void
analysis_forget(struct analysis *analysis, struct connection *connection)
{
    if (analysis->requests.taken.connection == connection)
        analysis->requests.taken.connection = NULL;
    framing_forget(&analysis->requests, connection);
    requests_forget(&analysis->requests, connection);
    reading_forget(&analysis->requests, connection);
    overtaking_clear(&analysis->requests, connection);
    connection_forget(analysis->connections, connection);
}
