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
static int hf_attempts = -1;
static int hf_streaming = -1;
static int hf_long_poll = -1;

/* In the response's last frame, as far as they could be counted. */
static void
show_content(struct view *view, const struct request *request)
{
    const uint32_t *content = request->parts.content;
    if (view->pinfo->num != request->response.p1_frame || !PINFO_FD_VISITED(view->pinfo))
        return;
    if (content[true] > 0 && content[true] != CONTENT_UNKNOWN)
        view_add_uint(view, hf_grpc_sent, content[true]);
    if (content[false] > 0 && content[false] != CONTENT_UNKNOWN)
        view_add_uint(view, hf_grpc_received, content[false]);
}

static void
show_attempts(struct view *view, const struct request *request)
{
    const uint32_t frame = view->pinfo->num;
    const bool is_unanswered =
        !request->response.p0_frame && frame == request->q0_frame && PINFO_FD_VISITED(view->pinfo);
    const uint32_t attempts = request_attempts(request);
    if (attempts > 0 && (frame == request->response.p0_frame || is_unanswered))
        view_add_uint(view, hf_attempts, attempts);
}

void
transport_fields_show(struct view *view, const struct request *request)
{
    if (request_stream(request))
        view_add_uint(view, hf_stream, request_stream(request));
    if (request->parts.is_pushed)
        view_add_flag(view, hf_pushed);
    if (request->data_frame == view->pinfo->num)
        view_add_time(view, hf_first_data, request_first_data(request));
    if (request->is_stream)
        view_add_flag(view, hf_streaming);
    if (request->awaits_event)
        view_add_flag(view, hf_long_poll);
    show_content(view, request);
    show_attempts(view, request);
}

void
transport_fields_register(int proto)
{
    static hf_register_info hf[] = {
        UINT_FIELD(hf_stream, "Stream", "latency.stream", "The HTTP/2 stream of the request"),
        TIME_FIELD(hf_first_data, "Time to first data", "latency.first_data",
                   "From the request's first frame to the response's first with content (HTTP/2)"),
        FLAG_FIELD(hf_pushed, "Pushed", "latency.pushed", "The server asked in the client's place (HTTP/2)"),
        UINT_FIELD(hf_grpc_sent, "gRPC messages sent", "latency.grpc.sent",
                   "Messages of the call that the client sent"),
        UINT_FIELD(hf_grpc_received, "gRPC messages received", "latency.grpc.received",
                   "Messages of the call that the client got"),
        UINT_FIELD(hf_attempts, "Attempts", "latency.attempts",
                   "How often the query was sent until it was answered (DNS over UDP)"),
        FLAG_FIELD(hf_streaming, "Streaming", "latency.streaming",
                   "The response is messages that keep coming: the client waits for its first byte alone"),
        FLAG_FIELD(hf_long_poll, "Long poll", "latency.long_poll",
                   "The request asks the server to wait for something to happen"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
