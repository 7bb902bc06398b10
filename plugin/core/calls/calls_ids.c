/* calls_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_ids.h"

#include <glib.h>

#include "../util/hashed.h"

/* An id of a request. Others are named by their places in the ids, plus one; 0: there is none. */
struct call_id {
    uint32_t group; /* the one that stands for all with this id */
    uint32_t next;  /* of these, by number */
    /* If it stands for others: */
    uint32_t first, count;
    uint32_t chained; /* who stands for another id in the same chain */
};

struct calls_ids {
    const struct request_ids *ids;
    struct call_id *all;
    uint32_t *firsts; /* by the request's number: its first id */
    uint32_t last;    /* number */
};

static const struct request_id *
id_at(const struct calls_ids *ids, uint32_t place)
{
    return &ids->ids->all[place - 1];
}

/* Returns who stands for those with the id at this place: itself, if none is known yet. */
static uint32_t
put_group(const struct calls_ids *ids, uint32_t *chain, uint32_t place)
{
    for (uint32_t group = *chain; group > 0; group = ids->all[group].chained)
        if (id_at(ids, group)->hash == id_at(ids, place)->hash)
            return group;
    ids->all[place] = (struct call_id){ .chained = *chain };
    return *chain = place;
}

/* Goes from the last to the first, so that all with an id are in the order of numbers. */
static void
group_all(const struct calls_ids *ids)
{
    const uint64_t key = hashed_new_key();
    uint32_t n_chains = 1;
    while (n_chains < ids->ids->count)
        n_chains *= 2;
    uint32_t *chains = g_new0(uint32_t, n_chains);
    for (uint32_t place = ids->ids->count; place > 0; place--) {
        const struct request_id *id = id_at(ids, place);
        if (id->number <= ids->last)
            ids->firsts[id->number] = place;
        if (id->kind == ID_CLIENT)
            continue;
        const uint32_t group = put_group(ids, &chains[hashed_mix(key, id->hash) & (n_chains - 1)], place);
        ids->all[place].group = group;
        ids->all[place].next = ids->all[group].first;
        ids->all[group].first = place;
        ids->all[group].count++;
    }
    g_free(chains);
}

struct calls_ids *
calls_ids_new(const struct request_ids *ids, uint32_t last)
{
    struct calls_ids *known = g_new(struct calls_ids, 1);
    known->ids = ids;
    known->all = g_new(struct call_id, ids->count + 1);
    known->firsts = g_new0(uint32_t, last + 1);
    known->last = last;
    group_all(known);
    return known;
}

void
calls_ids_free(struct calls_ids *ids)
{
    g_free(ids->all);
    g_free(ids->firsts);
    g_free(ids);
}

/* Those with the id at that place, if it says anything. What only looks like an id, in both, is none. */
static void
each_with(const struct calls_ids *ids, uint32_t place, void (*take)(void *data, uint32_t other), void *data)
{
    const struct call_id *group = &ids->all[ids->all[place].group];
    if (group->count > CALL_ID_REQUESTS)
        return;
    for (uint32_t other = group->first; other > 0; other = ids->all[other].next)
        if (other != place && !(id_at(ids, place)->kind == ID_TEXT && id_at(ids, other)->kind == ID_TEXT))
            take(data, id_at(ids, other)->number);
}

/* The next place that this request has; 0: there is none. */
static uint32_t
next_place(const struct calls_ids *ids, uint32_t number, uint32_t place)
{
    return place < ids->ids->count && id_at(ids, place + 1)->number == number ? place + 1 : 0;
}

void
calls_ids_each(const struct calls_ids *ids, uint32_t number, void (*take)(void *data, uint32_t other), void *data)
{
    for (uint32_t place = ids->firsts[number]; place > 0; place = next_place(ids, number, place))
        if (id_at(ids, place)->kind != ID_CLIENT)
            each_with(ids, place, take, data);
}

uint64_t
calls_ids_client(const struct calls_ids *ids, uint32_t number)
{
    for (uint32_t place = ids->firsts[number]; place > 0; place = next_place(ids, number, place))
        if (id_at(ids, place)->kind == ID_CLIENT)
            return id_at(ids, place)->hash;
    return 0;
}

bool
calls_ids_are_none(const struct calls_ids *ids)
{
    return ids->ids->count == 0;
}
