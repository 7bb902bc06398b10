/* calls_clocks.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_clocks.h"

#include <glib.h>

#include "../points/path.h"
#include "../tcp/connection.h"

enum {
    COUNTED_PART = 100,       /* packets counted at one point for each that is counted at the other, at most */
    PACKETS_LEAST = 2,        /* of each direction of a connection, below which it shows nothing */
    DIFFERENCE_LEAST = 100000 /* in ns: below it, a recorder may have been slow */
};

/* A connection's packets at two points. */
struct clock_record {
    struct hashed hashed; /* by all that follows up to the points */
    uint32_t connection;
    uint16_t first, second;          /* the lower number is the first */
    uint32_t packets[2];             /* by sender */
    int64_t least_ns[2], most_ns[2]; /* how much later they were seen at the second */
};

void
calls_clocks_init(struct calls_clocks *clocks, wmem_allocator_t *scope)
{
    pool_init(&clocks->records, scope, sizeof(struct clock_record));
    hashed_init(&clocks->by_connection, scope);
}

static struct clock_record *
record_of(struct calls_clocks *clocks, uint32_t connection, uint16_t first, uint16_t second)
{
    const uint64_t key = clocks->by_connection.key;
    const uint32_t hash = (uint32_t)hashed_mix(key ^ connection, key ^ ((uint64_t)first << 16 | second));
    for (struct hashed *at = hashed_first(&clocks->by_connection, hash); at; at = hashed_next(at)) {
        struct clock_record *record = (struct clock_record *)at;
        if (record->connection == connection && record->first == first && record->second == second)
            return record;
    }
    struct clock_record *record = pool_at(&clocks->records, pool_add(&clocks->records));
    record->connection = connection;
    record->first = first;
    record->second = second;
    hashed_add(&clocks->by_connection, &record->hashed, hash);
    return record;
}

static void
note(struct clock_record *record, unsigned sender, int64_t later_ns)
{
    const bool is_new = record->packets[sender]++ == 0;
    record->least_ns[sender] = is_new ? later_ns : MIN(record->least_ns[sender], later_ns);
    record->most_ns[sender] = is_new ? later_ns : MAX(record->most_ns[sender], later_ns);
}

/* Returns how many packets are taken at the point; 0 where they are not counted. */
static uint64_t
counted_at(const struct calls_clocks *clocks, uint16_t point)
{
    return point < POINTS_IN_SET ? clocks->counted[point] : 0;
}

void
calls_clocks_take(struct calls_clocks *clocks, const struct points *points, const struct sighting *sighting)
{
    enum { OTHERS = 8 };
    const struct path *path = sighting->path;
    if (sighting->traffic && sighting->range.bytes > 0 && sighting->point < POINTS_IN_SET)
        clocks->counted[sighting->point]++;
    if (path->count < 2 || points_at(points, sighting->point)->kind != POINT_OTHER)
        return;
    for (unsigned i = 0; i < MIN(path->count, OTHERS); i++) {
        const struct sighting *other = path->sightings[i];
        const bool is_first = sighting->point < other->point;
        if (other->point == sighting->point || other->range.seq != sighting->range.seq ||
            other->range.bytes != sighting->range.bytes || points_at(points, other->point)->kind != POINT_OTHER)
            continue;
        struct clock_record *record = record_of(clocks, sighting->connection->number,
                                                MIN(sighting->point, other->point), MAX(sighting->point, other->point));
        note(record, sighting->sender,
             is_first ? other->time_ns - sighting->time_ns : sighting->time_ns - other->time_ns);
    }
}

/* Returns how much later all of the record's packets were seen at its second point, at least; less than 0 if it was
 * the first; 0 if that is not so. */
static int64_t
later_ns(const struct clock_record *record)
{
    if (MIN(record->least_ns[0], record->least_ns[1]) > 0)
        return MIN(record->least_ns[0], record->least_ns[1]);
    if (MAX(record->most_ns[0], record->most_ns[1]) < 0)
        return MAX(record->most_ns[0], record->most_ns[1]);
    return 0;
}

/* Whether packets are taken at both points, and not a few at one of them, of which no other sighting was found. */
static bool
shows(const struct calls_clocks *clocks, const struct clock_record *record)
{
    const uint64_t first = counted_at(clocks, record->first), second = counted_at(clocks, record->second);
    return MIN(first, second) * COUNTED_PART > MAX(first, second) && record->packets[0] >= PACKETS_LEAST &&
           record->packets[1] >= PACKETS_LEAST;
}

/* Returns the record of which the packets differ most; NULL if there is none. */
static const struct clock_record *
find_most(const struct calls_clocks *clocks)
{
    const struct clock_record *found = NULL;
    for (uint32_t i = 1; i <= clocks->records.count; i++) {
        const struct clock_record *record = pool_at(&clocks->records, i);
        if (shows(clocks, record) && (!found || ABS(later_ns(record)) > ABS(later_ns(found))))
            found = record;
    }
    return found;
}

bool
calls_clocks_differ(const struct calls_clocks *clocks, struct clock_difference *difference)
{
    const struct clock_record *most = find_most(clocks);
    int64_t least_ns = most ? later_ns(most) : 0;
    for (uint32_t i = 1; most && i <= clocks->records.count; i++) {
        const struct clock_record *record = pool_at(&clocks->records, i);
        if (!shows(clocks, record) || record->first != most->first || record->second != most->second)
            continue;
        const int64_t its_ns = later_ns(record);
        least_ns = least_ns > 0 ? CLAMP(its_ns, 0, least_ns) : CLAMP(its_ns, least_ns, 0);
    }
    if (ABS(least_ns) < DIFFERENCE_LEAST)
        return false;
    difference->first = least_ns > 0 ? most->first : most->second;
    difference->second = least_ns > 0 ? most->second : most->first;
    difference->least_ns = ABS(least_ns);
    return true;
}
