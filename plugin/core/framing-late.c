/* framing-late.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing-late.h"

#include <string.h>

#include "waiting.h"

struct request *
framing_late(const struct connection *connection, bool asks)
{
    const struct broken *broken = &connection->framing.broken[asks];
    return broken->number && broken->request->number == broken->number ? broken->request : NULL;
}

/* An answer to nobody knows what has no number: it does not go on. */
void
framing_note_late(struct connection *connection, bool asks, struct request *request)
{
    connection->framing.broken[asks] = (struct broken){ request, request ? request->number : 0 };
}

void
framing_break(struct connection *connection, bool from_client)
{
    struct request **under_way = &connection->framing.under_way[from_client];
    if (*under_way && !from_client)
        (*under_way)->open = false;
    *under_way = NULL;
}

void
framing_resume(struct connection *connection, bool from_client)
{
    struct request *request = framing_late(connection, from_client);
    framing_note_late(connection, from_client, NULL);
    framing_break(connection, from_client);
    connection->framing.under_way[from_client] = request;
    if (request && !from_client)
        request->open = true;
}

/* Nobody else has that key. */
static void
change_key(struct requests *requests, struct request *request, uint64_t key)
{
    bool waits = waiting_first(requests, request->connection, request->key) == request;
    if (waits)
        waiting_take(requests, request->connection, request->key);
    request->key = key;
    if (waits)
        waiting_add(requests, request);
}

static bool
has_moved(const struct request *request, const struct request *after, uint64_t key)
{
    return request->told_apart && request->key >= key && (!after || request->key < after->key);
}

void
framing_insert(struct requests *requests, struct connection *connection, uint64_t key, uint64_t count)
{
    if (count == 0 || count > connection->n_requests)
        return;
    const uint32_t late = connection->n_requests - (uint32_t)count;
    struct request **all = connection->requests, **moved = wmem_alloc_array(NULL, struct request *, count);
    uint32_t first = late;
    while (first > 0 && has_moved(all[first - 1], first < late ? all[first] : NULL, key))
        first--;
    /* from the last on: no two have the same meanwhile */
    for (uint32_t i = late; i-- > first;)
        change_key(requests, all[i], all[i]->key + count);
    for (uint32_t i = 0; i < count; i++)
        change_key(requests, all[late + i], key + i);
    memcpy(moved, all + late, count * sizeof *moved);
    memmove(all + first + count, all + first, (late - first) * sizeof *all);
    memcpy(all + first, moved, count * sizeof *moved);
    wmem_free(NULL, moved);
    connection->request = all[connection->n_requests - 1];
}
