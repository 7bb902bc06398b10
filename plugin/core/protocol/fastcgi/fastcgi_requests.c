/* fastcgi_requests.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fastcgi_requests.h"

#include <string.h>

#include <glib.h>

#include "../../../compat.h"

struct fastcgi *
fastcgi_of(struct reading *reading)
{
    return reading_own(reading, sizeof(struct fastcgi));
}

uint64_t
fastcgi_key(const struct fastcgi *fastcgi, uint16_t id)
{
    return (uint64_t)fastcgi->generation << 16 | id;
}

struct fastcgi_request *
fastcgi_find_request(const struct fastcgi *fastcgi, uint16_t id)
{
    for (uint32_t i = 0; i < fastcgi->count; i++)
        if (fastcgi->requests[i].id == id)
            return &fastcgi->requests[i];
    return NULL;
}

void
fastcgi_end(struct fastcgi *fastcgi, struct fastcgi_request *request)
{
    const size_t behind = (size_t)(fastcgi->requests + fastcgi->count - request) - 1;
    /* The rest of its record is not of the next request with its id. */
    if (fastcgi->side[false].id == request->id)
        fastcgi->side[false].id = 0;
    memmove(request, request + 1, behind * sizeof *request);
    fastcgi->count--;
}

void
fastcgi_lose(struct reading *reading, struct fastcgi_request *request)
{
    if (!request->is_lost)
        reading_gives_up(reading, fastcgi_key(fastcgi_of(reading), request->id), STOP_LOST);
    request->is_lost = true;
}

void
fastcgi_drop_beginning(struct reading *reading)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    for (uint32_t i = fastcgi->count; i-- > 0;)
        if (!fastcgi->requests[i].has_asked)
            fastcgi_end(fastcgi, &fastcgi->requests[i]);
    fastcgi_drop_params(reading);
}

/* A client uses an id again when its request has ended, which has then been among what is missing. */
static void
make_room(struct reading *reading, uint16_t id)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    struct fastcgi_request *before = fastcgi_find_request(fastcgi, id);
    if (!before && fastcgi->count < FASTCGI_REQUESTS_MOST)
        return;
    before = before ? before : fastcgi->requests;
    fastcgi_lose(reading, before);
    fastcgi_end(fastcgi, before);
}

void
fastcgi_begin(struct reading *reading, uint16_t id, uint16_t role)
{
    enum { FIRST = 1 };
    struct fastcgi *fastcgi = fastcgi_of(reading);
    fastcgi_drop_beginning(reading);
    make_room(reading, id);
    if (fastcgi->count == 0)
        fastcgi->side[0].lacks = fastcgi->side[1].lacks = false;
    if (fastcgi->count == fastcgi->room) {
        fastcgi->room = MAX(2 * fastcgi->room, FIRST);
        fastcgi->requests =
            wmem_realloc(reading_scope(reading), fastcgi->requests, fastcgi->room * sizeof *fastcgi->requests);
    }
    fastcgi->requests[fastcgi->count++] = (struct fastcgi_request){ .id = id, .role = role };
    fastcgi->params = wmem_new0(reading_scope(reading), struct fastcgi_params);
    fastcgi->params->id_names = reading_wants_ids(reading) ? reading_id_headers(reading) : NULL;
}

void
fastcgi_drop_params(struct reading *reading)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    wmem_free(reading_scope(reading), fastcgi->params);
    fastcgi->params = NULL;
}

/* If records of both sides are missing, a request under way may have ended, and its id be another's that nobody has
 * seen. */
void
fastcgi_lack(struct reading *reading, bool from_client)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    fastcgi->side[from_client].lacks = true;
    for (uint32_t i = 0; !from_client && i < fastcgi->count; i++)
        fastcgi->requests[i].is_doubtful = true;
    if (!fastcgi->side[!from_client].lacks && !fastcgi->side[!from_client].is_unread)
        return;
    for (uint32_t i = 0; i < fastcgi->count; i++)
        if (fastcgi->requests[i].has_asked)
            fastcgi_lose(reading, &fastcgi->requests[i]);
    fastcgi->side[0].lacks = fastcgi->side[1].lacks = false;
    fastcgi->generation++;
}
