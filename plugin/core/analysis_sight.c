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
    const struct process **owner = &connection->points->process[received ? !sighting->sender : sighting->sender];
    if (process && !process->bystander && !*owner)
        *owner = process;
}

bool
analysis_sight(struct analysis *analysis, const struct fingerprint *fingerprint, const struct sighting *seen,
               const struct segment *segment)
{
    items_enter(analysis->items, seen->frame);
    struct sighting *sighting = sightings_take(analysis->sightings, fingerprint, seen, items_are_kept(analysis->items));
    if (!analysis->hides_sightings)
        items_add(analysis->items, seen->frame, ITEM_SIGHTING)->sighting = sighting;
    if (!segment)
        return false;
    struct connection *connection = connection_of(analysis->connections, segment, analysis->requests.settings);
    sighting->connection = connection;
    sighting->sender = connection_sender(connection, segment);
    if (!connection->points)
        connection->points = wmem_new0(analysis->requests.scope, struct connection_points);
    meet_process(connection, sighting);
    sighting->traffic = preferred_point_take(&connection->points->preferred[sighting->sender], sighting,
                                             analysis->points, analysis->requests.settings->points);
    if (analysis->sighted)
        analysis->sighted(analysis->sighted_data, sighting);
    return sighting->traffic;
}

const struct process *
analysis_process(const struct sighting *sighting)
{
    const struct connection *connection = sighting->connection;
    if (sighting->process || !connection || !connection->points)
        return sighting->process;
    uint8_t local = sighting->heading == HEADING_RECEIVED ? !sighting->sender : sighting->sender;
    const struct process *const *processes = connection->points->process;
    return processes[local] ? processes[local] : processes[!local];
}
