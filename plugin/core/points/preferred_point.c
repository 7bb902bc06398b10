/* preferred_point.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "preferred_point.h"

#include "path.h"

static uint64_t
bit(uint16_t point)
{
    return point < POINTS_IN_SET ? UINT64_C(1) << point : 0;
}

/* A host's stages are all passed, but the lowest. */
static void
choose(struct preferred_point *preferred_point, const struct sighting *sighting, const struct points *points)
{
    enum heading heading = point_heading(points_at(points, sighting->point)->kind);
    preferred_point->point = sighting->point;
    if (heading == HEADING_UNKNOWN)
        return;
    preferred_point->point = points_lowest(points, heading);
    preferred_point->passed_over |= points_stages(points) & ~bit(preferred_point->point);
}

/* The packet has counted at `counted`, and passes another point. Interfaces are numbered in their order in the capture;
 * they are below a host's stages. */
static void
learn(struct preferred_point *preferred_point, uint16_t counted, uint16_t point, const struct points *points)
{
    bool is_stage = points_at(points, point)->kind != POINT_OTHER;
    bool above_stage = points_at(points, counted)->kind != POINT_OTHER;
    bool lower = is_stage == above_stage ? point < counted && !is_stage : above_stage;
    if (point == counted)
        return;
    if (lower && counted == preferred_point->point)
        preferred_point->point = point;
    preferred_point->passed_over |= bit(lower ? counted : point);
    preferred_point->passed_over &= ~bit(preferred_point->point);
}

bool
preferred_point_take(struct preferred_point *preferred_point, const struct sighting *sighting, struct points *points,
                     const char *wanted)
{
    uint16_t counted = path_traffic(sighting->path, sighting->range);
    if (*wanted && points_any_named(points, wanted))
        return !counted && point_is_named(points_at(points, sighting->point), wanted);
    if (!preferred_point->point)
        choose(preferred_point, sighting, points);
    if (counted)
        learn(preferred_point, counted, sighting->point, points);
    return !counted && !(preferred_point->passed_over & bit(sighting->point));
}
