/* stage_times.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stage_times.h"

#include <string.h>

#include <glib.h>

const char *const layer_names[LAYERS] = { "drv", "ip", "tcp", "app" };

/* The stages that stand for a layer, the best first. */
enum { CHOICES = 2 };
static const enum point_kind sent[LAYERS][CHOICES] = {
    [LAYER_DRIVER] = { POINT_TX_DRIVER, POINT_TX_QUEUE },
    [LAYER_IP] = { POINT_TX_IP, POINT_TX_POST },
    [LAYER_TCP] = { POINT_TX_TCP },
    [LAYER_APP] = { POINT_APP_SEND, POINT_CONNECT },
};
static const enum point_kind received[LAYERS][CHOICES] = {
    [LAYER_DRIVER] = { POINT_RX_DRIVER, POINT_RX_GRO },
    [LAYER_IP] = { POINT_RX_IP, POINT_RX_LOCAL },
    [LAYER_TCP] = { POINT_RX_TCP, POINT_RX_READY },
    [LAYER_APP] = { POINT_APP_COPY, POINT_APP_RECV_RET },
};

static const struct sighting *
first_at(const struct path *path, const struct points *points, enum point_kind kind)
{
    for (unsigned i = 0; i < path->count; i++)
        if (points_at(points, path->sightings[i]->point)->kind == kind)
            return path->sightings[i];
    return NULL;
}

bool
passage_read(struct passage *passage, const struct path *path, const struct points *points, enum heading heading)
{
    bool any = false;
    *passage = (struct passage){ 0 };
    if (heading == HEADING_UNKNOWN)
        return false;
    for (unsigned layer = 0; layer < LAYERS; layer++) {
        const enum point_kind *choices = heading == HEADING_SENT ? sent[layer] : received[layer];
        for (unsigned i = 0; i < CHOICES && choices[i] != POINT_OTHER && !passage->seen[layer]; i++) {
            const struct sighting *sighting = first_at(path, points, choices[i]);
            passage->seen[layer] = sighting != NULL;
            passage->time_ns[layer] = sighting ? sighting->time_ns : 0;
        }
        any |= passage->seen[layer];
    }
    return any;
}

static void
take_end(struct stay *stay, enum part part, const struct path *path, struct range range, const struct points *points,
         enum point_kind kind)
{
    const struct sighting *end = path_at(path, range, points, kind);
    stay->has_end[part] = end != NULL;
    stay->ends_ns[part] = end ? end->time_ns : 0;
}

void
stay_take_request(struct stay *stay, const struct path *path, struct range range, const struct points *points)
{
    static const enum point_kind ends[] = { POINT_RX_IP, POINT_RX_READY, POINT_APP_EPOLL, POINT_APP_RECV,
                                            POINT_APP_RECV_RET };
    const struct sighting *arrival = path_at(path, range, points, POINT_RX_DRIVER);
    stay->has_arrived = arrival != NULL;
    stay->arrived_ns = arrival ? arrival->time_ns : 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(ends); i++)
        take_end(stay, PART_RX + i, path, range, points, ends[i]);
}

void
stay_take_response(struct stay *stay, const struct path *path, struct range range, const struct points *points)
{
    take_end(stay, PART_APPLICATION, path, range, points, POINT_APP_SEND);
    take_end(stay, PART_TX, path, range, points, POINT_TX_DRIVER);
}

bool
stay_parts(const struct stay *stay, int64_t parts_ns[PARTS], int64_t *total_ns)
{
    int64_t reached_ns = stay->arrived_ns;
    if (!stay->has_arrived || !stay->has_end[PART_TX] || stay->ends_ns[PART_TX] < reached_ns)
        return false;
    for (unsigned part = 0; part < PARTS; part++) {
        int64_t end_ns =
            stay->has_end[part] ? CLAMP(stay->ends_ns[part], reached_ns, stay->ends_ns[PART_TX]) : reached_ns;
        parts_ns[part] = end_ns - reached_ns;
        reached_ns = end_ns;
    }
    *total_ns = reached_ns - stay->arrived_ns;
    return true;
}
