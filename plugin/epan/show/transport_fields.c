/* transport_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "transport_fields.h"

#include "../../core/request/event.h"

static int hf_stream = -1;
static int hf_first_data = -1;
static int hf_pushed = -1;
static int hf_grpc_sent = -1;
static int hf_grpc_received = -1;
static int hf_websocket_sent = -1;
static int hf_websocket_received = -1;
static int hf_attempts = -1;
static int hf_streaming = -1;
static int hf_long_poll = -1;
static int hf_proxy_client = -1;
static int hf_proxy_port = -1;

/* In the response's last frame, as far as they could be counted. */
static void
show_content(struct view *view, const struct request *request)
{
    const uint32_t *content = request->parts.content;
    if (view->pinfo->num != request->response.last_frame || !PINFO_FD_VISITED(view->pinfo))
        return;
    const bool is_grpc = request->in_parts;
    if (content[true] > 0 && content[true] != CONTENT_UNKNOWN)
        view_add_uint(view, is_grpc ? hf_grpc_sent : hf_websocket_sent, content[true]);
    if (content[false] > 0 && content[false] != CONTENT_UNKNOWN)
        view_add_uint(view, is_grpc ? hf_grpc_received : hf_websocket_received, content[false]);
}

static void
show_attempts(struct view *view, const struct request *request)
{
    const uint32_t frame = view->pinfo->num;
    const bool is_unanswered =
        !request->response.first_frame && frame == request->first_frame && PINFO_FD_VISITED(view->pinfo);
    const uint32_t attempts = request->attempts;
    if (attempts > 0 && (frame == request->response.first_frame || is_unanswered))
        view_add_uint(view, hf_attempts, attempts);
}

/* Shows whose connection a proxy carries on. */
static void
show_proxied(struct view *view, const struct proxied *proxied)
{
    if (!proxied || !*proxied->client)
        return;
    view_add_string(view, hf_proxy_client, proxied->client);
    if (proxied->port > 0)
        view_add_uint(view, hf_proxy_port, proxied->port);
}

void
transport_fields_show(struct view *view, const struct request *request)
{
    if (request_stream(request) >= 0)
        view_add_uint(view, hf_stream, (uint32_t)request_stream(request));
    if (request->is_pushed)
        view_add_flag(view, hf_pushed);
    if (request->data_frame == view->pinfo->num)
        view_add_time(view, hf_first_data, request_first_data(request));
    if (request->is_stream)
        view_add_flag(view, hf_streaming);
    if (request->awaits_event)
        view_add_flag(view, hf_long_poll);
    if (view->pinfo->num == request->first_frame)
        show_proxied(view, request->connection->tcp->proxied);
    show_content(view, request);
    show_attempts(view, request);
}

void
transport_fields_show_prelude(struct view *view, const struct connection *connection)
{
    const struct proxied *proxied = connection->tcp->proxied;
    if (proxied && proxied->frame == view->pinfo->num)
        show_proxied(view, proxied);
}

void
transport_fields_register(int proto)
{
    static hf_register_info hf[] = {
        UINT_FIELD(hf_stream, "Stream", "latency.stream", "The number of the request's stream (HTTP/2, HTTP/3)"),
        TIME_FIELD(hf_first_data, "Time to first data", "latency.first_data",
                   "From the request's first frame to the first frame with content of the response (HTTP/2)"),
        FLAG_FIELD(hf_pushed, "Pushed", "latency.pushed",
                   "The server pushed the response without being asked (HTTP/2)"),
        UINT_FIELD(hf_grpc_sent, "gRPC messages sent", "latency.grpc.sent",
                   "How many messages the client sent in the call"),
        UINT_FIELD(hf_grpc_received, "gRPC messages received", "latency.grpc.received",
                   "How many messages the client received in the call"),
        UINT_FIELD(hf_websocket_sent, "WebSocket messages sent", "latency.websocket.sent",
                   "How many messages the client sent over the WebSocket that this request opened"),
        UINT_FIELD(hf_websocket_received, "WebSocket messages received", "latency.websocket.received",
                   "How many messages the client received over the WebSocket that this request opened"),
        UINT_FIELD(hf_attempts, "Attempts", "latency.attempts",
                   "How often the query was sent before it was answered (DNS over UDP)"),
        FLAG_FIELD(hf_streaming, "Streaming", "latency.streaming",
                   "The response is a series of messages that keep coming: only the wait for its first byte counts"),
        FLAG_FIELD(hf_long_poll, "Long poll", "latency.long_poll",
                   "The request asks the server to wait until something happens"),
        TEXT_FIELD(hf_proxy_client, "Proxy's client", "latency.proxy.client",
                   "The address of whom a proxy has sent the request for (PROXY protocol)"),
        UINT_FIELD(hf_proxy_port, "Proxy's client's port", "latency.proxy.port",
                   "The port of whom a proxy has sent the request for (PROXY protocol)"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
