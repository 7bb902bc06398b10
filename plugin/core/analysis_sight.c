/* analysis_sight.c
 * Captures with several points: which sighting of a packet counts, and whose it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "analysis.h"

#include "points/preferred_point.h"

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
analysis_sight(struct analysis *analysis, const struct fingerprint *fingerprint, const struct segment *segment)
{
    items_enter(analysis->items, fingerprint->frame);
    struct sighting *sighting = sightings_take(analysis->sightings, fingerprint, items_are_kept(analysis->items));
    items_add(analysis->items, fingerprint->frame, ITEM_SIGHTING)->sighting = sighting;
    if (!segment)
        return false;
    struct connection *connection = connection_of(analysis->connections, segment, analysis->requests.settings);
    sighting->connection = connection;
    sighting->sender = connection_sender(connection, segment);
    meet_process(connection, sighting);
    struct preferred_point **preferred_point = &connection->sender[sighting->sender].preferred_point;
    if (!*preferred_point)
        *preferred_point = wmem_new0(analysis->requests.scope, struct preferred_point);
    sighting->traffic =
        preferred_point_take(*preferred_point, sighting, analysis->points, analysis->requests.settings->points);
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
