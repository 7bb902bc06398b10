/* point.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "point.h"

#include <string.h>

#include "../util/texts.h"

struct points {
    wmem_allocator_t *scope;
    wmem_map_t *numbers; /* by name */
    struct texts texts;
    struct point *points;
    uint16_t count, room;
    uint16_t lowest[HEADINGS]; /* see points_lowest() */
    uint64_t stages;           /* see points_stages() */
    const char *names;         /* asked for last by points_any_named(); NULL before the first */
    uint16_t names_looked_at;  /* how many points were, then */
    bool any_named;            /* of them */
};

static const char *const stage_names[POINT_KINDS] = {
    [POINT_CONNECT] = "connect",
    [POINT_APP_SEND] = "app:send",
    [POINT_TX_TCP] = "tx:tcp",
    [POINT_TX_IP] = "tx:ip",
    [POINT_TX_POST] = "tx:post",
    [POINT_TX_QUEUE] = "tx:queue",
    [POINT_TX_DRIVER] = "tx:driver",
    [POINT_RX_GRO] = "rx:gro",
    [POINT_RX_DRIVER] = "rx:driver",
    [POINT_RX_IP] = "rx:ip",
    [POINT_RX_LOCAL] = "rx:local",
    [POINT_RX_TCP] = "rx:tcp",
    [POINT_RX_READY] = "rx:ready",
    [POINT_APP_EPOLL] = "app:epoll",
    [POINT_APP_RECV] = "app:recv",
    [POINT_APP_COPY] = "app:copy",
    [POINT_APP_RECV_RET] = "app:recv-ret",
};

struct points *
points_new(wmem_allocator_t *scope)
{
    struct points *points = wmem_new0(scope, struct points);
    points->scope = scope;
    texts_init(&points->texts, scope);
    points->numbers = wmem_map_new(scope, wmem_str_hash, g_str_equal);
    return points;
}

static enum point_kind
kind_of(const char *name)
{
    for (unsigned kind = POINT_OTHER + 1; kind < POINT_KINDS; kind++)
        if (strcmp(stage_names[kind], name) == 0)
            return (enum point_kind)kind;
    return POINT_OTHER;
}

/* Only some devices have packets pass rx:gro: the stage after it comes first. */
static int
height(enum point_kind kind)
{
    if (kind == POINT_RX_GRO)
        return POINT_KINDS;
    return kind <= POINT_TX_DRIVER ? POINT_TX_DRIVER - (int)kind : (int)kind - POINT_RX_DRIVER;
}

static void
note_stage(struct points *points, uint16_t number)
{
    enum point_kind kind = points_at(points, number)->kind;
    uint16_t *lowest = &points->lowest[point_heading(kind)];
    if (kind == POINT_OTHER)
        return;
    if (!*lowest || height(kind) < height(points_at(points, *lowest)->kind))
        *lowest = number;
    if (number < POINTS_IN_SET)
        points->stages |= UINT64_C(1) << number;
}

uint16_t
points_number(struct points *points, const char *name)
{
    uint16_t number = (uint16_t)GPOINTER_TO_UINT(wmem_map_lookup(points->numbers, name));
    if (number || points->count == UINT16_MAX)
        return number;
    if (points->count == points->room) {
        points->room = (uint16_t)MIN(UINT16_MAX, points->room * 2 + 8);
        points->points = wmem_realloc(points->scope, points->points, points->room * sizeof *points->points);
    }
    const char *own = texts_add(&points->texts, name, strlen(name));
    points->points[points->count++] = (struct point){ .name = own, .kind = kind_of(name) };
    wmem_map_insert(points->numbers, own, GUINT_TO_POINTER(points->count));
    note_stage(points, points->count);
    return points->count;
}

uint16_t
points_count(const struct points *points)
{
    return points->count;
}

const struct point *
points_at(const struct points *points, uint16_t number)
{
    return &points->points[number - 1];
}

enum heading
point_heading(enum point_kind kind)
{
    if (kind == POINT_OTHER)
        return HEADING_UNKNOWN;
    return kind <= POINT_TX_DRIVER ? HEADING_SENT : HEADING_RECEIVED;
}

uint16_t
points_lowest(const struct points *points, enum heading heading)
{
    return points->lowest[heading];
}

uint64_t
points_stages(const struct points *points)
{
    return points->stages;
}

bool
point_is_named(const struct point *point, const char *names)
{
    size_t length = strlen(point->name);
    for (; names; names = strchr(names, ',')) {
        names += *names == ',';
        names += strspn(names, " ");
        if (strncmp(names, point->name, length) == 0 && strchr(", ", names[length]))
            return true;
    }
    return false;
}

bool
points_any_named(struct points *points, const char *names)
{
    if (!points->names || strcmp(points->names, names) != 0) {
        points->names = wmem_strdup(points->scope, names);
        points->names_looked_at = 0;
        points->any_named = false;
    }
    while (!points->any_named && points->names_looked_at < points->count)
        points->any_named = point_is_named(points_at(points, ++points->names_looked_at), names);
    return points->any_named;
}
