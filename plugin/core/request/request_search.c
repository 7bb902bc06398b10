/* request_search.c
 * A connection's requests, by their bytes; and what refers to one that may be forgotten.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request.h"

struct endpoint
request_client(const struct request *request)
{
    struct endpoint client = *connection_client(request->connection);
    if (request->connection->is_datagrams)
        client.port = request->client_port;
    return client;
}

static bool
owns(const struct run *run, int64_t offset)
{
    return run->low <= offset && offset < run->end;
}

struct request *
request_at(const struct connection *connection, bool from_client, int64_t offset)
{
    /* Late bytes, or answers in another order, can make one lie below an earlier one; older ones all ascend, or are
     * not known. */
    uint32_t high = connection->n_requests;
    for (uint32_t i = 0; i < REQUESTS_NEAR && high > 0; i++)
        if (owns(request_row(connection->requests[--high], from_client), offset))
            return connection->requests[high];
    uint32_t low = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (request_row(connection->requests[middle], from_client)->low <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && owns(request_row(connection->requests[low - 1], from_client), offset)
               ? connection->requests[low - 1]
               : NULL;
}

struct request_reference
request_refer(const struct request *request)
{
    return (struct request_reference){ .record = request, .number = request->number };
}

const struct request *
request_referred(const struct request_reference *reference)
{
    return reference->record->number == reference->number ? reference->record : NULL;
}
