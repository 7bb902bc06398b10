/* preferred_point.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "preferred_point.h"

#include <string.h>

#include "path.h"

enum { MOST_POINTS = 64 };

static uint64_t
bit(uint16_t point)
{
    return point < MOST_POINTS ? UINT64_C(1) << point : 0;
}

static bool
is_named(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (; names; names = strchr(names, ',')) {
        names += *names == ',';
        names += strspn(names, " ");
        if (strncmp(names, name, length) == 0 && strchr(", ", names[length]))
            return true;
    }
    return false;
}

static bool
is_any_named(const char *names, const struct points *points)
{
    for (uint16_t number = 1; number <= points_count(points); number++)
        if (is_named(names, points_at(points, number)->name))
            return true;
    return false;
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
    for (uint16_t number = 1; number <= points_count(points); number++)
        if (points_at(points, number)->kind != POINT_OTHER && number != preferred_point->point)
            preferred_point->passed_over |= bit(number);
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
preferred_point_take(struct preferred_point *preferred_point, const struct sighting *sighting,
                     const struct points *points, const char *wanted)
{
    uint16_t counted = path_traffic(sighting->path, sighting->range);
    if (*wanted && is_any_named(wanted, points))
        return !counted && is_named(wanted, points_at(points, sighting->point)->name);
    if (!preferred_point->point)
        choose(preferred_point, sighting, points);
    if (counted)
        learn(preferred_point, counted, sighting->point, points);
    return !counted && !(preferred_point->passed_over & bit(sighting->point));
}
