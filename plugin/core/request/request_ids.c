/* request_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_ids.h"

#include <string.h>

#include "request.h"

/* Returns the first index from `from` to `count` whose request's number is not below this. `numbers`: that of index 0,
 * and those of the others `stride` bytes apart. */
static uint32_t
find_number(const uint32_t *numbers, size_t stride, uint32_t from, uint32_t count, uint32_t number)
{
    uint32_t low = from, high = count, at;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        memcpy(&at, (const char *)numbers + middle * stride, sizeof at);
        if (at < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the index behind the ids of requests with lower numbers than this. */
static uint32_t
find(const struct request_ids *ids, uint32_t from, uint32_t number)
{
    return ids->count > from ? find_number(&ids->all->number, sizeof *ids->all, from, ids->count, number) : from;
}

/* The same of traces. */
static uint32_t
find_trace(const struct request_ids *ids, uint32_t from, uint32_t number)
{
    return ids->n_traces > from ? find_number(&ids->traces->number, sizeof *ids->traces, from, ids->n_traces, number)
                                : from;
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
request_ids_add_trace(struct requests *requests, uint32_t number, const struct trace_context *context)
{
    enum { ROOM_FIRST = 256 };
    struct request_ids *ids = &requests->ids;
    const uint32_t from = ids->n_traces > REQUEST_IDS_LATE ? ids->n_traces - REQUEST_IDS_LATE : 0;
    const uint32_t at = find_trace(ids, from, number);
    if (at < ids->n_traces && ids->traces[at].number == number) {
        trace_context_take(&ids->traces[at].context, context);
        return;
    }
    if (ids->n_traces == REQUEST_TRACES_MOST || (from > 0 && at == from))
        return;
    if (ids->n_traces == ids->traces_room) {
        ids->traces_room = ids->traces_room ? ids->traces_room * 2 : ROOM_FIRST;
        ids->traces = wmem_realloc(requests->scope, ids->traces, ids->traces_room * sizeof *ids->traces);
    }
    memmove(&ids->traces[at + 1], &ids->traces[at], (ids->n_traces - at) * sizeof *ids->traces);
    ids->traces[at] = (struct request_trace){ number, *context };
    ids->n_traces++;
}

const struct trace_context *
request_ids_trace(const struct requests *requests, uint32_t number)
{
    const struct request_ids *ids = &requests->ids;
    const uint32_t at = find_trace(ids, 0, number);
    const bool is_its = at < ids->n_traces && ids->traces[at].number == number;
    return is_its && trace_context_is_whole(&ids->traces[at].context) ? &ids->traces[at].context : NULL;
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
    if (is_its && requests->wants_traces && ids->found.context.field != TRACE_UNNAMED)
        request_ids_add_trace(requests, request->number, &ids->found.context);
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
