/* ended.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ended.h"

#include "core/analysis.h"
#include "core/request/exchanges.h"
#include "core/request/pending.h"
#include "core/request/tls_turn.h"
#include "table/held_frames.h"
#include "table/observer.h"

#define SECOND_NS INT64_C(1000000000)

/* A request of which more may come. */
struct passing {
    uint32_t number;
    bool is_told, is_over;
    int64_t wait_ns; /* as it has been told */
    void *begun;     /* the listener's */
};

struct ended_requests {
    struct table_source *source;
    struct ended_listener listener;
    struct observer observer;
    struct held_frames held;
    struct pending_requests *pending;
    GHashTable *passing; /* of struct passing, by its number */
    GHashTable *turns;   /* of struct turn, by its connection's number; NULL if none ends early */
    int64_t swept_ns;    /* when these were looked through */
    bool has_ended;      /* the capture */
};

/* A connection's last turn, which has not been told. */
struct turn {
    uint32_t connection;
    struct request_reference request;
};

static void
end(const struct ended_requests *requests, struct passing *passing, bool still_waits)
{
    if (!passing->is_over && requests->listener.over)
        requests->listener.over(requests->listener.data, passing->begun, still_waits);
    passing->is_over = true;
}

/* Tells of a request as it is now, unless it is none that is told, or has been told as it is. */
static void
tell(struct ended_requests *requests, struct passing *passing, const struct request *request, const char *operation)
{
    const struct measured measured = request_measure(&requests->source->analysis->requests, request);
    if (tls_turn_role(request) != TLS_NONE || measured.farewell || measured.waiting)
        return;
    const int64_t wait_ns = measured.answered ? measured_wait_ns(&measured) : 0;
    if (passing->is_told && passing->wait_ns == wait_ns)
        return;
    const struct ended ended = { request, operation, measured, passing->is_told ? passing->wait_ns : -1,
                                 passing->is_over ? NULL : passing->begun };
    passing->is_told = true;
    passing->wait_ns = wait_ns;
    requests->listener.ended(requests->listener.data, &ended);
    end(requests, passing, false);
}

static struct passing *
passing_of(const struct ended_requests *requests, uint32_t number)
{
    return g_hash_table_lookup(requests->passing, GUINT_TO_POINTER(number));
}

/* A request of which nothing more will come. */
static void
take_pending(void *data, const struct pending_request *pending)
{
    struct ended_requests *requests = data;
    struct passing *passing = passing_of(requests, pending->request.number);
    if (!passing)
        return;
    if (!passing->is_told || requests->listener.early)
        tell(requests, passing, &pending->request, pending->operation);
    end(requests, passing,
        requests->has_ended && request_is_waiting(&requests->source->analysis->requests, &pending->request));
    g_hash_table_remove(requests->passing, GUINT_TO_POINTER(passing->number));
}

static struct passing *
begin(struct ended_requests *requests, const struct request *request)
{
    struct passing *passing = g_new0(struct passing, 1);
    passing->number = request->number;
    if (requests->listener.begun)
        passing->begun = requests->listener.begun(requests->listener.data, request);
    g_hash_table_insert(requests->passing, GUINT_TO_POINTER(request->number), passing);
    return passing;
}

/* Tells the turn if its response has begun, and will not be withdrawn. */
static void
tell_turn(struct ended_requests *requests, const struct turn *turn)
{
    const struct request *request = request_referred(&turn->request);
    const bool is_final = request && !exchanges_may_withdraw(request->connection);
    struct passing *passing = is_final ? passing_of(requests, request->number) : NULL;
    if (passing && !passing->is_told && request->response.first_frame)
        tell(requests, passing, request, request->operation);
}

/* A turn begins: the one before it on its connection has ended. */
static void
begin_turn(struct ended_requests *requests, const struct request *request)
{
    struct turn *turn = g_hash_table_lookup(requests->turns, &request->connection->number);
    if (turn) {
        tell_turn(requests, turn);
    } else {
        turn = g_new(struct turn, 1);
        turn->connection = request->connection->number;
        g_hash_table_add(requests->turns, turn);
    }
    turn->request = request_refer(request);
}

/* Tells a turn of which nothing has come for a while; true if it need not be looked at again. */
static gboolean
sweep_turn(void *key G_GNUC_UNUSED, void *value, void *data)
{
    struct ended_requests *requests = data;
    const struct turn *turn = value;
    const struct request *request = request_referred(&turn->request);
    if (!request)
        return TRUE;
    if (!request->response.first_frame || exchanges_may_withdraw(request->connection) ||
        requests->source->last_ns - request->response.last_ns < ENDED_SILENCE_S * SECOND_NS)
        return FALSE;
    tell_turn(requests, turn);
    return TRUE;
}

static void
sweep(struct ended_requests *requests)
{
    if (requests->source->last_ns - requests->swept_ns < SECOND_NS)
        return;
    requests->swept_ns = requests->source->last_ns;
    g_hash_table_foreach_remove(requests->turns, sweep_turn, requests);
}

static void
take_request(struct ended_requests *requests, const struct item *item, uint32_t frame)
{
    const struct request *request = item_request(item);
    const bool is_new = pending_requests_take(requests->pending, item, frame);
    struct passing *passing = is_new ? begin(requests, request) : passing_of(requests, request->number);
    if (!passing || passing->is_told)
        return;
    if (request->by_messages && request->response.first_frame && !request_goes_on(request))
        tell(requests, passing, request, request->operation);
    else if (is_new && requests->turns && !request->by_messages)
        begin_turn(requests, request);
}

static void
take_item(void *data, const struct item *item, uint32_t frame)
{
    struct ended_requests *requests = data;
    held_frames_note(&requests->held, item, item_frame(item, frame));
    if (requests->listener.item)
        requests->listener.item(requests->listener.data, item, frame);
    if (requests->turns)
        sweep(requests);
    if (item_request(item))
        take_request(requests, item, frame);
}

/* Nothing more will come of the connection. */
static void
forget(void *data, const struct connection *connection)
{
    struct ended_requests *requests = data;
    if (requests->turns)
        g_hash_table_remove(requests->turns, &connection->number);
    pending_requests_end(requests->pending, connection);
}

struct ended_requests *
ended_requests_new(struct scan *scan, const struct ended_listener *listener)
{
    struct ended_requests *requests = g_new0(struct ended_requests, 1);
    requests->source = scan_source(scan);
    requests->listener = *listener;
    requests->pending = pending_requests_new(NULL, take_pending, requests);
    requests->passing = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    if (listener->early)
        requests->turns = g_hash_table_new_full(g_int_hash, g_int_equal, NULL, g_free);
    requests->observer = (struct observer){ .data = requests, .forget = forget };
    observer_add(requests->source, &requests->observer);
    held_frames_open(&requests->held, requests->source, take_item, requests);
    requests->held.takes_all = true;
    scan_listen(scan, &(struct listener){ requests, take_item, NULL, true });
    return requests;
}

void
ended_requests_free(struct ended_requests *requests)
{
    if (!requests)
        return;
    observer_remove(requests->source, &requests->observer);
    held_frames_close(&requests->held);
    pending_requests_free(requests->pending);
    g_hash_table_destroy(requests->passing);
    if (requests->turns)
        g_hash_table_destroy(requests->turns);
    g_free(requests);
}

void
ended_requests_finish(struct ended_requests *requests)
{
    requests->has_ended = true;
    pending_requests_flush(requests->pending);
}
