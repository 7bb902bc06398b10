/* item_subject.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "item_subject.h"

#include "request/request.h"
#include "points/sighting.h"

const struct connection *
item_attempt(const struct item *item)
{
    if (item->kind != ITEM_SYN && item->kind != ITEM_SYN_AGAIN && item->kind != ITEM_ANSWER)
        return NULL;
    return item->connection->tcp->connect.number ? item->connection : NULL;
}

const struct connection *
item_payload(const struct item *item)
{
    const struct connection *connection = NULL;
    if (item->flags & (ITEM_MESSAGE | ITEM_LATE))
        return NULL;
    switch (item->kind) {
    case ITEM_REQUEST:
    case ITEM_RESPONSE:
        connection = item->request->connection;
        break;
    case ITEM_HELD:
    case ITEM_UNSOLICITED:
    case ITEM_UNDECIDED:
    case ITEM_UNREQUESTED:
        connection = item->connection;
        break;
    default:
        break;
    }
    return connection && !connection->is_datagrams ? connection : NULL;
}

struct connection *
item_connection(const struct item *item)
{
    switch (item->kind) {
    case ITEM_REQUEST:
    case ITEM_RESPONSE:
        return item->request->connection;
    case ITEM_SIGHTING:
        return item->sighting->connection;
    case ITEM_UPDATED:
    case ITEM_CIRCUIT:
        return NULL;
    default:
        return item->connection;
    }
}
