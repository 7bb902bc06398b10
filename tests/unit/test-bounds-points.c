/* test-bounds-points.c
 * The bounds of docs/bounds-internal.md on capture points and the packets at several of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>

#include <glib.h>

#include "core/analysis.h"
#include "core/points/point.h"
#include "core/points/sighting.h"
#include "table/stays.h"
#include "unit.h"

enum { S = 1000000000, OPEN_PATHS = 65536, OPEN_S = 60, NAMES = 65535 };

struct captured {
    wmem_allocator_t *scope;
    struct sightings *sightings;
    uint32_t frame;
};

static struct captured
begin(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    return (struct captured){ .scope = scope, .sightings = sightings_new(scope) };
}

/* Number of the path of the packet with this id. */
static uint32_t
see(struct captured *place, uint64_t id, uint16_t point, int64_t time_ns)
{
    const struct fingerprint fingerprint = { .has_packet_id = true, .packet_id = id, .bytes = 100 };
    const struct sighting seen = { .frame = ++place->frame, .time_ns = time_ns, .point = point };
    return sightings_take(place->sightings, &fingerprint, &seen, true)->path->number;
}

static void
test_minute(void)
{
    struct captured place = begin();
    uint32_t path = see(&place, 1, 1, 0);
    g_assert_cmpuint(see(&place, 1, 2, (OPEN_S - 1) * (int64_t)S), ==, path);
    path = see(&place, 2, 1, 100 * (int64_t)S);
    g_assert_cmpuint(see(&place, 2, 2, (100 + OPEN_S + 1) * (int64_t)S), !=, path);
    wmem_destroy_allocator(place.scope);
}

/* With the one that is seen again as many as are open at most. */
static void
test_paths(void)
{
    for (unsigned others = OPEN_PATHS - 2; others < OPEN_PATHS; others++) {
        struct captured place = begin();
        const uint32_t path = see(&place, 1, 1, 0);
        for (uint64_t i = 1; i <= others; i++)
            see(&place, 1 + i, 1, 0);
        g_assert_true((see(&place, 1, 2, 0) == path) == (others + 1 < OPEN_PATHS));
        wmem_destroy_allocator(place.scope);
    }
}

static void
test_names(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct points *points = points_new(scope);
    char name[20];
    for (unsigned i = 1; i <= NAMES + 2; i++) {
        snprintf(name, sizeof name, "eth%u", i);
        g_assert_cmpuint(points_number(points, name), ==, i <= NAMES ? i : 0);
    }
    wmem_destroy_allocator(scope);
}

/* A stage that is one of the first 63 points, and one that is the 64th. */
static void
test_first_points(void)
{
    for (unsigned before = POINTS_IN_SET - 2; before < POINTS_IN_SET; before++) {
        wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
        struct points *points = points_new(scope);
        char name[20];
        for (unsigned i = 1; i <= before; i++) {
            snprintf(name, sizeof name, "eth%u", i);
            points_number(points, name);
        }
        const uint16_t driver = points_number(points, "tx:driver");
        g_assert_cmpuint(driver, ==, before + 1);
        g_assert_true((points_stages(points) != 0) == (driver < POINTS_IN_SET));
        wmem_destroy_allocator(scope);
    }
}

/* A frame whose payload is held, of a packet that was seen in the driver alone. */
static void
hold(struct stays *stays, struct captured *place, struct table_source *source, uint16_t driver)
{
    const struct fingerprint fingerprint = { .has_packet_id = true, .packet_id = place->frame + 1, .bytes = 100 };
    const struct sighting seen = { .frame = ++place->frame, .time_ns = 1, .point = driver };
    struct sighting *sighting = sightings_take(place->sightings, &fingerprint, &seen, true);
    const struct item items[] = { { .kind = ITEM_SIGHTING, .sighting = sighting }, { .kind = ITEM_HELD } };
    source->frame = place->frame;
    for (unsigned i = 0; i < G_N_ELEMENTS(items); i++)
        stays_take(stays, &items[i]);
}

/* Checks that a held frame keeps its stages even behind as many held frames as the bound allows, if none of those began
 * a request. */
static void
test_stays(void)
{
    const struct settings settings = { .timeout_ns = 0 };
    struct captured place = begin();
    struct analysis *analysis = analysis_new(place.scope, &settings);
    struct table_source source = { .analysis = analysis, .settings = &settings, .number = 1 };
    const uint16_t driver = points_number(analysis->points, "rx:driver");
    struct request request = { .number = 1 };
    struct stays stays;
    stays_init(&stays, &source);
    for (unsigned i = 0; i <= STAYS_HELD_MOST; i++)
        hold(&stays, &place, &source, driver);
    const struct late_item late = { .item = { .kind = ITEM_REQUEST, .flags = ITEM_LATE, .request = &request },
                                    .frame = place.frame };
    g_assert_cmpuint(stays_take(&stays, &late.item), ==, 1);
    g_assert_true(stays_at(&stays, 1) && stays_at(&stays, 1)->has_arrived);
    stays_clear(&stays);
    analysis_free(analysis);
    wmem_destroy_allocator(place.scope);
}

void
bounds_points_tests_add(void)
{
    g_test_add_func("/bounds/points/minute", test_minute);
    g_test_add_func("/bounds/points/paths", test_paths);
    g_test_add_func("/bounds/points/names", test_names);
    g_test_add_func("/bounds/points/first", test_first_points);
    g_test_add_func("/bounds/points/stays", test_stays);
}
