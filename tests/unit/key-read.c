/* key-read.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "key-read.h"

static const char *const kinds[] = {
    [ITEM_SYN] = "syn",
    [ITEM_ANSWER] = "answer",
    [ITEM_ACK] = "ack",
    [ITEM_REQUEST] = "request",
    [ITEM_RESPONSE] = "response",
    [ITEM_UNSOLICITED] = "unsolicited",
    [ITEM_SYN_AGAIN] = "syn_again",
    [ITEM_UNREQUESTED] = "stray",
    [ITEM_DUPLICATE] = "duplicate",
    [ITEM_UPDATED] = "amended",
    [ITEM_HELD] = "held",
    [ITEM_UNDECIDED] = "unplaced",
};

static bool
is_of_request(const struct item *item)
{
    return item->kind == ITEM_REQUEST || item->kind == ITEM_RESPONSE || item->kind == ITEM_UPDATED;
}

struct view
view_of(const struct analysis *analysis, const struct item *item, uint32_t frame, int64_t time_ns)
{
    struct view view = { .analysis = analysis, .item = item, .frame = frame, .time_ns = time_ns };
    if (item == NULL)
        return view;
    if (is_of_request(item))
        view.request = item->request;
    else
        view.connection = item->connection;
    if (view.request != NULL)
        view.connection = view.request->connection;
    return view;
}

const char *
kind_name(const struct item *item)
{
    return item == NULL ? "none" : kinds[item->kind];
}

/* The item: what docs/measuring.md has on frames after the first. */

static bool
is_in_run(const struct view *view)
{
    return view->item != NULL && is_of_request(view->item);
}

/* What a held packet shows, too. */
static bool
is_packet(const struct view *view)
{
    return is_in_run(view) || (view->item != NULL && view->item->kind == ITEM_HELD);
}

bool
is_after_first(const struct view *view)
{
    return (view->item->flags & ITEM_FIRST) == 0;
}

char *
read_item(const struct view *view)
{
    return g_strdup(kind_name(view->item));
}

char *
read_first(const struct view *view)
{
    return is_in_run(view) ? write_yes_no(!is_after_first(view)) : NULL;
}

char *
read_spacing(const struct view *view)
{
    return is_packet(view) ? write_seconds(is_after_first(view) ? view->item->spacing_ns : -1) : NULL;
}

char *
read_byte_offset(const struct view *view)
{
    if (!is_in_run(view))
        return NULL;
    return is_after_first(view) ? write_number(view->item->byte_offset) : g_strdup("none");
}

char *
read_ipid_delta(const struct view *view)
{
    if (!is_packet(view))
        return NULL;
    bool shown = is_after_first(view) && (view->item->flags & ITEM_IPID) != 0;
    return shown ? g_strdup_printf("%d", view->item->ipid_delta) : g_strdup("none");
}

/* measuring.md, "The fields": the capture has the frame before its request, a time of it would be negative, or the
 * response's first frame was captured before the end of the request. */
static bool
is_reordered(const struct view *view)
{
    if (view->item->kind != ITEM_RESPONSE || view->request == NULL)
        return false;
    return view->frame < view->request->first_frame || view->time_ns < view->request->first_ns ||
           (!is_after_first(view) && view->request->reordered);
}

/* Of a first frame only that: the others do not apply, whatever the item holds. */
char *
read_flags(const struct view *view)
{
    if (!is_packet(view))
        return NULL;
    unsigned mask = is_after_first(view) ? view->item->flags : 0;
    return write_flags(is_reordered(view) ? mask | FLAG_REORDERED : mask);
}

/* The request. */

char *
read_request(const struct view *view)
{
    if (!is_in_run(view))
        return NULL;
    return view->request == NULL ? g_strdup("none") : write_number(view->request->number);
}

char *
read_operation(const struct view *view)
{
    return view->request == NULL ? NULL : g_strdup(view->request->operation);
}

/* A time that only answered requests have. */
static char *
answered_time(const struct view *view, int64_t (*read)(const struct request *request))
{
    if (view->request == NULL)
        return NULL;
    return write_seconds(view->request->response.first_frame == 0 ? -1 : read(view->request));
}

static int64_t
request_spread(const struct request *request)
{
    return MAX(0, request->last_ns - request->first_ns);
}

static int64_t
transfer(const struct request *request)
{
    return MAX(0, request->response.last_ns - request->response.first_ns);
}

char *
read_first_byte(const struct view *view)
{
    return answered_time(view, request_first_byte);
}

char *
read_service(const struct view *view)
{
    return answered_time(view, request_service);
}

char *
read_request_spread(const struct view *view)
{
    return answered_time(view, request_spread);
}

char *
read_server_time(const struct view *view)
{
    return answered_time(view, request_server_time);
}

char *
read_last_byte(const struct view *view)
{
    return answered_time(view, request_last_byte);
}

char *
read_transfer(const struct view *view)
{
    return answered_time(view, transfer);
}

char *
read_wait(const struct view *view)
{
    return answered_time(view, request_wait_ns);
}

char *
read_request_bytes(const struct view *view)
{
    return view->request == NULL ? NULL : write_number(view->request->request_bytes);
}

char *
read_response_bytes(const struct view *view)
{
    return view->request == NULL ? NULL : write_number(view->request->response.bytes);
}

char *
read_retransmissions(const struct view *view)
{
    return view->request == NULL ? NULL : write_number(view->request->retransmissions);
}

char *
read_reordered(const struct view *view)
{
    return view->request == NULL ? NULL : write_yes_no(view->request->reordered);
}

char *
read_outcome(const struct view *view)
{
    if (view->request == NULL)
        return NULL;
    return g_strdelimit(g_strdup(outcome_name(request_outcome(&view->analysis->requests, view->request))), " ", '_');
}

/* The connection. */

char *
read_connect_time(const struct view *view)
{
    return view->connection == NULL ? NULL : write_seconds(view->connection->tcp->connect.time_ns);
}

char *
read_connect_result(const struct view *view)
{
    if (view->connection == NULL)
        return NULL;
    return g_strdup(connect_result_name(connection_connect_result(view->connection, view->analysis->requests.last_ns)));
}

char *
read_syn_retries(const struct view *view)
{
    return view->connection == NULL ? NULL : write_number(view->connection->tcp->connect.syn_retries);
}

char *
read_network_server(const struct view *view)
{
    return view->connection == NULL ? NULL : write_seconds(view->connection->tcp->connect.network_server_ns);
}

char *
read_network_client(const struct view *view)
{
    return view->connection == NULL ? NULL : write_seconds(view->connection->tcp->connect.network_client_ns);
}

/* Of the item's sender. */
char *
read_behaviour(const struct view *view)
{
    if (view->connection == NULL || !(is_of_request(view->item) || view->item->kind == ITEM_UNSOLICITED))
        return NULL;
    unsigned client = view->connection->client;
    unsigned sender = view->item->kind == ITEM_REQUEST ? client : 1 - client;
    return g_strdup(ipid_name(ipid_steps_behaviour(&view->connection->tcp->sender[sender].continuity.steps)));
}

/* The capture. */

char *
read_attempts(const struct view *view)
{
    return write_number(view->analysis->attempts);
}

/* Items of a kind in the whole capture; scenarios are shorter than this. */
static unsigned
count_items(const struct view *view, enum item_kind kind)
{
    enum { FRAMES_MOST = 1000 };
    unsigned count = 0;
    for (uint32_t frame = 1; frame <= FRAMES_MOST; frame++) {
        uint32_t position;
        for (struct item *item = items_first(view->analysis->items, frame, &position); item;
             item = items_next(view->analysis->items, &position))
            count += item->kind == kind;
    }
    return count;
}

char *
read_duplicates(const struct view *view)
{
    return write_number(count_items(view, ITEM_DUPLICATE));
}

char *
read_unsolicited(const struct view *view)
{
    return write_number(count_items(view, ITEM_UNSOLICITED));
}
