/* outcome.c
 * What a request came to: its times, and whether it was answered (request.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "datagrams.h"
#include "request.h"

inline int64_t
request_first_byte(const struct request *request)
{
    return MAX(request->response.first_ns - request->first_ns, 0);
}

int64_t
request_service(const struct request *request)
{
    return MAX(request->response.first_ns - request->last_ns, 0);
}

inline int64_t
request_elapsed(const struct request *request, int64_t time_ns)
{
    return MAX(time_ns - request->first_ns, 0);
}

int64_t
request_stream(const struct request *request)
{
    const bool is_of_stream =
        request->protocol == PROTOCOL_HTTP3 || (request->protocol == PROTOCOL_HTTP2 && request->key > 0);
    return is_of_stream ? (int64_t)(uint32_t)request->key : -1;
}

int64_t
request_first_data(const struct request *request)
{
    return request_elapsed(request, request->data_ns);
}

inline int64_t
request_last_byte(const struct request *request)
{
    return request_elapsed(request, request->response.last_ns);
}

inline int64_t
request_wait_ns(const struct request *request)
{
    const enum wait wait = request_wait(request);
    if (wait == WAIT_FOR_EVENT)
        return 0;
    return wait == WAIT_FOR_FIRST_BYTE ? request_first_byte(request) : request_last_byte(request);
}

inline int64_t
request_server_time(const struct request *request)
{
    int64_t network_ns = request->connection->tcp->connect.network_server_ns;
    return network_ns < 0 ? -1 : MAX(request_service(request) - network_ns, 0);
}

bool
turn_is_in_tls(const char *operation)
{
    return g_str_has_prefix(operation, "TLS ");
}

bool
request_is_in_tls(const struct request *request)
{
    return !request->by_messages && turn_is_in_tls(request->operation);
}

inline bool
request_has_error(const struct request *request)
{
    return request->response.failed || request->ending == ENDING_TRUNCATED;
}

inline bool
request_is_farewell(const struct request *request)
{
    return request->is_farewell && !request->response.first_frame;
}

bool
request_is_cut_off(const struct request *request)
{
    return request->number < request->connection->reset_before;
}

bool
request_has_timed_out(const struct requests *requests, const struct request *request, int64_t now_ns)
{
    int64_t timeout_ns = requests->settings->timeout_ns;
    if (request->connection->is_datagrams) {
        const int64_t wait_ns = timeout_ns > 0 ? MIN(timeout_ns, DATAGRAM_WAIT_NS) : DATAGRAM_WAIT_NS;
        return now_ns - request->asking.last_ns > wait_ns;
    }
    return timeout_ns > 0 && now_ns - request->last_ns > timeout_ns;
}

static enum outcome
answered_outcome(const struct request *request)
{
    if (request->ending == ENDING_TRUNCATED)
        return OUTCOME_TRUNCATED;
    return request->ending == ENDING_CANCELLED ? OUTCOME_CANCELLED : OUTCOME_ANSWERED;
}

enum outcome
request_outcome(const struct requests *requests, const struct request *request)
{
    if (request->response.first_frame)
        return answered_outcome(request);
    const struct connection *connection = request->connection;
    if (request->ending == ENDING_REFUSED || request->ending == ENDING_CANCELLED)
        return request->ending == ENDING_REFUSED ? OUTCOME_REFUSED : OUTCOME_RESET;
    if (request->ending == ENDING_LOST || (request->open && request->by_messages && connection->exchanges.is_lost))
        return OUTCOME_LOST;
    if (request_is_farewell(request))
        return OUTCOME_CLOSED_BY_CLIENT;
    if (request->ending == ENDING_TIMED_OUT ||
        request_has_timed_out(requests, request, MIN(connection->ended_ns, requests->last_ns)))
        return OUTCOME_TIMED_OUT;
    if (connection_is_reset(connection))
        return OUTCOME_RESET;
    return connection_is_closed(connection) ? OUTCOME_CLOSED : OUTCOME_WAITING;
}

inline bool
request_is_waiting(const struct requests *requests, const struct request *request)
{
    return !request->response.first_frame && request_outcome(requests, request) == OUTCOME_WAITING;
}
