/* framing-late.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing-late.h"

#include <string.h>

#include "waiting.h"

void
framing_note_change(struct requests *requests, struct request *request)
{
    if (request->number && !request_has_item(requests, request, requests->taken.segment.frame))
        request_amend(requests, request);
}

void
framing_let_go(struct requests *requests, struct request **under_way)
{
    struct request *request = *under_way;
    *under_way = NULL;
    if (request && !request->open)
        framing_note_change(requests, request);
}

void
framing_break(struct requests *requests, struct connection *connection, bool from_client)
{
    struct request **under_way = &connection->framing.under_way[from_client];
    if (*under_way && !from_client)
        (*under_way)->open = false;
    framing_let_go(requests, under_way);
}

void
framing_resume(struct requests *requests, struct connection *connection, bool from_client)
{
    struct request *request = connection->framing.late[from_client];
    connection->framing.late[from_client] = NULL;
    framing_break(requests, connection, from_client);
    connection->framing.under_way[from_client] = request;
    if (request && !from_client)
        request->open = true;
}

static void
change_key(struct requests *requests, struct request *request, uint64_t key)
{
    bool waits = waiting_remove(requests, request);
    request->key = key;
    if (waits)
        waiting_add(requests, request);
}

/* Of the same claim, whose keys ascend. */
static bool
has_moved(const struct request *request, const struct request *after, uint64_t key)
{
    return !after->begins_claim && request->told_apart && request->key >= key && request->key < after->key;
}

void
framing_insert(struct requests *requests, struct connection *connection, const struct message *message)
{
    const uint64_t key = message->key, count = message->bytes;
    if (count == 0 || count > MIN(connection->n_requests, FRAMING_MOVED_MOST))
        return;
    const uint32_t late = connection->n_requests - (uint32_t)count;
    struct request **all = connection->requests, *moved[FRAMING_MOVED_MOST];
    uint32_t first = late;
    /* a late one's key is above all others */
    while (first > 0 && late - first < FRAMING_MOVED_MOST && has_moved(all[first - 1], all[first], key))
        first--;
    /* from the last on: no two have the same meanwhile */
    for (uint32_t i = late; i-- > first;)
        change_key(requests, all[i], all[i]->key + count);
    for (uint32_t i = 0; i < count; i++)
        change_key(requests, all[late + i], key + i);
    for (uint32_t i = 0; message->failed && i < count; i++)
        if (waiting_remove(requests, all[late + i]))
            request_lose(requests, all[late + i]);
    memcpy(moved, all + late, count * sizeof *moved);
    memmove(all + first + count, all + first, (late - first) * sizeof *all);
    memcpy(all + first, moved, count * sizeof *moved);
    connection->request = all[connection->n_requests - 1];
}
