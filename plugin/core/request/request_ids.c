/* request_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_ids.h"

#include <string.h>

#include "request.h"

/* Returns the place behind the ids of requests with lower numbers than this. */
static uint32_t
find(const struct request_ids *ids, uint32_t from, uint32_t number)
{
    uint32_t low = from, high = ids->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (ids->all[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
make_room(struct request_ids *ids, wmem_allocator_t *scope)
{
    enum { ROOM_FIRST = 1024 };
    if (ids->count < ids->room)
        return;
    ids->room = ids->room ? ids->room * 2 : ROOM_FIRST;
    ids->all = wmem_realloc(scope, ids->all, ids->room * sizeof *ids->all);
}

static void
add(struct requests *requests, uint32_t number, enum id_kind kind, uint64_t hash)
{
    struct request_ids *ids = &requests->ids;
    const uint32_t from = ids->count > REQUEST_IDS_LATE ? ids->count - REQUEST_IDS_LATE : 0;
    const bool is_last = ids->count == 0 || ids->all[ids->count - 1].number < number;
    uint32_t at = is_last ? ids->count : find(ids, from, number);
    if (ids->count == REQUEST_IDS_MOST || (from > 0 && at == from))
        return;
    const unsigned room = IDS_OF_REQUEST + (kind == ID_CLIENT);
    for (unsigned known = 0; at < ids->count && ids->all[at].number == number; at++)
        if (ids->all[at].hash == hash || ++known == room)
            return;
    make_room(ids, requests->scope);
    memmove(&ids->all[at + 1], &ids->all[at], (ids->count - at) * sizeof *ids->all);
    ids->all[at] = (struct request_id){ hash, number, (uint8_t)kind };
    ids->count++;
}

void
request_ids_add(struct requests *requests, const struct request *request, enum id_kind kind, uint64_t hash)
{
    add(requests, request->number, kind, hash);
}

void
request_ids_note(struct requests *requests, const struct connection *connection, uint64_t key,
                 const struct found_ids *found)
{
    struct request_ids *ids = &requests->ids;
    if (ids->connection != connection || ids->key != key || ids->frame != requests->frame)
        ids->found = (struct found_ids){ 0 };
    ids->connection = connection;
    ids->key = key;
    ids->frame = requests->frame;
    ids_found(&ids->found, found);
}

void
request_ids_settle(struct requests *requests, const struct request *request)
{
    struct request_ids *ids = &requests->ids;
    const bool is_its =
        ids->connection == request->connection && ids->key == request->key && ids->frame == requests->frame;
    for (unsigned i = 0; is_its && i < ids->found.count; i++)
        request_ids_add(requests, request, ids->found.all[i].kind, ids->found.all[i].hash);
    if (is_its && ids->found.client != 0)
        request_ids_add(requests, request, ID_CLIENT, ids->found.client);
    ids->found = (struct found_ids){ 0 };
}

const struct request_id *
request_ids_of(const struct requests *requests, uint32_t number, unsigned *count)
{
    const struct request_ids *ids = &requests->ids;
    const uint32_t first = find(ids, 0, number);
    uint32_t end = first;
    while (end < ids->count && ids->all[end].number == number)
        end++;
    *count = end - first;
    return *count > 0 ? &ids->all[first] : NULL;
}
