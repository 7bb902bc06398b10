/* otlp.c
 * Traces as OpenTelemetry's protocol has them in JSON: ids in hexadecimal digits, 64-bit numbers as strings,
 * enumerations as numbers (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "attributes.h"
#include "format.h"
#include "table/names.h"

enum { ID_OF_SPAN = 16, ID_OF_TRACE = 32, ID_ROOM = ID_OF_TRACE + 1 }; /* hexadecimal digits */
enum { KIND_INTERNAL = 1, KIND_SERVER = 2 };
enum { STATUS_ERROR = 2 };

struct otlp {
    const struct spans *spans;
    struct line line;
    bool has_written;
};

/* Makes an id that is the same each time the capture is read. */
static void
make_id(const struct otlp *otlp, const char *of, const struct span *span, unsigned digits, char id[ID_ROOM])
{
    char *text = g_strdup_printf("%s %s %" PRIu32 " %" PRIu32, otlp->spans->salt, of, span->connection, span->number);
    char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    g_strlcpy(id, hash, digits + 1);
    g_free(hash);
    g_free(text);
}

static void
put_uint(struct otlp *otlp, const char *name, uint64_t number)
{
    char text[24];
    g_snprintf(text, sizeof text, "%" PRIu64, number);
    line_text(&otlp->line, name, text);
}

static void
put_time(struct otlp *otlp, const char *name, int64_t ns)
{
    put_uint(otlp, name, (uint64_t)MAX(ns, 0));
}

static void
begin_attribute(struct otlp *otlp, const char *name)
{
    json_dumper_begin_object(&otlp->line.dumper);
    line_text(&otlp->line, "key", name);
    line_object(&otlp->line, "value");
}

static void
end_attribute(struct otlp *otlp)
{
    line_end_object(&otlp->line);
    line_end_object(&otlp->line);
}

static void
put_text_attribute(void *data, const char *name, const char *text)
{
    struct otlp *otlp = data;
    begin_attribute(otlp, name);
    line_text(&otlp->line, "stringValue", text);
    end_attribute(otlp);
}

static void
put_number_attribute(void *data, const char *name, int64_t number)
{
    struct otlp *otlp = data;
    char text[24];
    g_snprintf(text, sizeof text, "%" PRId64, number);
    begin_attribute(otlp, name);
    line_text(&otlp->line, "intValue", text);
    end_attribute(otlp);
}

/* Where a span stands. */
struct standing {
    char trace[ID_ROOM], parent[ID_ROOM]; /* "": it has no parent */
};

/* Writes the id of the trace that the request is of: the one that it names, or what caused it. */
static void
write_trace(const struct otlp *otlp, const struct span *span, char id[ID_ROOM])
{
    const struct span *root = spans_at(otlp->spans, span->root);
    const struct span_trace *named = spans_trace(otlp->spans, root);
    if (named)
        g_strlcpy(id, named->trace, ID_ROOM);
    else
        make_id(otlp, "trace", root, ID_OF_TRACE, id);
}

/* Finds where a request stands. Its parent is what caused it, if that is of the same trace, as a parent must be; else
 * the span that its own header names, which whoever sent it may have reported. Returns the cause that is of another
 * trace, or NULL. */
static const struct span *
find_standing(const struct otlp *otlp, const struct span *span, struct standing *standing)
{
    const struct span *cause = spans_at(otlp->spans, span->cause);
    char trace_of_cause[ID_ROOM];
    *standing->parent = '\0';
    write_trace(otlp, span, standing->trace);
    if (cause) {
        write_trace(otlp, cause, trace_of_cause);
        if (strcmp(standing->trace, trace_of_cause) == 0) {
            make_id(otlp, "span", cause, ID_OF_SPAN, standing->parent);
            return NULL;
        }
    }
    if (span->has_header)
        g_strlcpy(standing->parent, spans_trace(otlp->spans, span)->parent, ID_ROOM);
    return cause;
}

/* Begins a line with one span, up to its attributes. */
static void
begin_span(struct otlp *otlp, const struct member_endpoint *server, const char *host, const struct standing *standing,
           const char *id, const char *name, unsigned kind, int64_t begin_ns, int64_t end_ns)
{
    struct line *line = &otlp->line;
    char *service =
        *host ? g_strdup_printf("%s:%u", host, server->endpoint.port) : endpoint_text(&server->endpoint, server->ipv6);
    json_dumper_begin_object(&line->dumper);
    line_array(line, "resourceSpans");
    json_dumper_begin_object(&line->dumper);
    line_object(line, "resource");
    line_array(line, "attributes");
    put_text_attribute(otlp, "telemetry.distro.name", "wireshark-latency");
    put_text_attribute(otlp, "service.name", service);
    line_end_array(line);
    line_end_object(line);
    line_array(line, "scopeSpans");
    json_dumper_begin_object(&line->dumper);
    line_object(line, "scope");
    line_text(line, "name", "wireshark-latency");
    line_text(line, "version", LATENCY_VERSION);
    line_end_object(line);
    line_array(line, "spans");
    json_dumper_begin_object(&line->dumper);
    line_text(line, "traceId", standing->trace);
    line_text(line, "spanId", id);
    if (*standing->parent)
        line_text(line, "parentSpanId", standing->parent);
    line_text(line, "name", name);
    line_uint(line, "kind", kind);
    put_time(otlp, "startTimeUnixNano", begin_ns);
    put_time(otlp, "endTimeUnixNano", end_ns);
    line_array(line, "attributes");
    g_free(service);
}

/* Ends it, behind what follows the attributes. */
static void
end_span(struct otlp *otlp)
{
    struct line *line = &otlp->line;
    line_end_object(line); /* the span */
    line_end_array(line);
    line_end_object(line); /* the scope */
    line_end_array(line);
    line_end_object(line); /* the resource */
    line_end_array(line);
    line_end_object(line);
    json_dumper_finish(&line->dumper);
    otlp->has_written = true;
}

static void
put_event(struct otlp *otlp, int64_t ns, const char *name, uint32_t frame)
{
    json_dumper_begin_object(&otlp->line.dumper);
    put_time(otlp, "timeUnixNano", ns);
    line_text(&otlp->line, "name", name);
    line_array(&otlp->line, "attributes");
    if (frame)
        put_number_attribute(otlp, "latency.frame", frame);
    line_end_array(&otlp->line);
    line_end_object(&otlp->line);
}

static bool
is_retransmission(struct record *packet)
{
    struct elements flags = record_has(packet, "flags") ? record_array(packet, "flags") : (struct elements){ 0 };
    while (flags.left > 0)
        if (strcmp(record_next_text(packet, "flags", &flags), "retransmission") == 0)
            return true;
    return false;
}

/* Writes an event for each frame that was sent again. A frame's spacing is from the one before of its side. */
static void
put_retransmissions(struct otlp *otlp, const struct request_line *request)
{
    struct record owner = { 0 };
    struct elements packets = request->packets.read;
    int64_t ns[2] = { request->request_time, request->response_time };
    while (request->retransmissions > 0 && packets.left > 0 && !owner.wrong) {
        struct record packet = record_next_object(&owner, "packets", &packets);
        const uint32_t frame = (uint32_t)record_uint(&packet, "frame", UINT32_MAX);
        const bool is_response = strcmp(record_text(&packet, "side"), "response") == 0;
        if (record_has(&packet, "spacing"))
            ns[is_response] += CLAMP(record_int(&packet, "spacing"), 0, INT64_C(1) << 61);
        if (is_retransmission(&packet) && ns[is_response] != NO_TIME)
            put_event(otlp, ns[is_response], is_response ? "response sent again" : "request sent again", frame);
    }
}

static void
put_events(struct otlp *otlp, const struct request_line *request)
{
    line_array(&otlp->line, "events");
    if (request->request_end_time > request->request_time)
        put_event(otlp, request->request_end_time, "request sent", 0);
    if (request->response_frame)
        put_event(otlp, request->response_time, "first byte", request->response_frame);
    put_retransmissions(otlp, request);
    line_end_array(&otlp->line);
}

/* Writes a link to what caused the request, which is of another trace. */
static void
put_link(struct otlp *otlp, const struct span *cause)
{
    char trace[ID_ROOM], id[ID_ROOM];
    write_trace(otlp, cause, trace);
    make_id(otlp, "span", cause, ID_OF_SPAN, id);
    line_array(&otlp->line, "links");
    json_dumper_begin_object(&otlp->line.dumper);
    line_text(&otlp->line, "traceId", trace);
    line_text(&otlp->line, "spanId", id);
    line_end_object(&otlp->line);
    line_end_array(&otlp->line);
}

static void
put_status(struct otlp *otlp, const struct request_line *request)
{
    if (!request_line_has_failed(request))
        return;
    line_object(&otlp->line, "status");
    line_uint(&otlp->line, "code", STATUS_ERROR);
    line_text(&otlp->line, "message", *request->error ? request->error : outcome_name(request->outcome));
    line_end_object(&otlp->line);
}

static void
write_request(void *data, const struct request_line *request, const struct span *span)
{
    struct otlp *otlp = data;
    const struct attribute_sink sink = { otlp, put_text_attribute, put_number_attribute };
    struct standing standing;
    const struct span *elsewhere = find_standing(otlp, span, &standing);
    char id[ID_ROOM];
    make_id(otlp, "span", span, ID_OF_SPAN, id);
    begin_span(otlp, &request->server, request->host, &standing, id, request_line_name(request), KIND_SERVER,
               span->begin_ns, span->end_ns);
    attributes_of_request(request, span, &sink);
    line_end_array(&otlp->line);
    put_events(otlp, request);
    if (elsewhere)
        put_link(otlp, elsewhere);
    put_status(otlp, request);
    end_span(otlp);
}

/* Writes what a connection needed before its first request, where that stands: beside it, for it ends first. A
 * connection without requests has a trace of its own. */
static void
write_before(struct otlp *otlp, const char *what, uint32_t connection, const struct member_endpoint *server,
             const char *host, bool is_udp, int64_t begin_ns, int64_t ns, const char *failed)
{
    const struct attribute_sink sink = { otlp, put_text_attribute, put_number_attribute };
    const struct link_before *before = spans_before(otlp->spans, connection);
    const struct span *first = before ? spans_at(otlp->spans, before->first) : NULL;
    const struct span own = { .connection = connection };
    struct standing standing = { .parent = "" };
    char id[ID_ROOM];
    if (first)
        find_standing(otlp, first, &standing);
    else
        make_id(otlp, "trace", &own, ID_OF_TRACE, standing.trace);
    make_id(otlp, what, &own, ID_OF_SPAN, id);
    begin_span(otlp, server, host, &standing, id, what, KIND_INTERNAL, begin_ns, begin_ns + MAX(ns, 0));
    attributes_of_server(server, host, is_udp, &sink);
    if (*failed)
        put_text_attribute(otlp, "error.type", failed);
    line_end_array(&otlp->line);
    if (*failed) {
        line_object(&otlp->line, "status");
        line_uint(&otlp->line, "code", STATUS_ERROR);
        line_text(&otlp->line, "message", failed);
        line_end_object(&otlp->line);
    }
    end_span(otlp);
}

static void
write_attempt(void *data, const struct attempt_line *attempt)
{
    const bool failed = attempt->result != CONNECT_ACCEPTED && attempt->result != CONNECT_WAITING;
    write_before(data, "connect", attempt->connection, &attempt->server, attempt->host, attempt->quic,
                 attempt->syn_time, attempt->connect, failed ? connect_result_name(attempt->result) : "");
}

static void
write_handshake(void *data, const struct handshake_line *handshake)
{
    const char *why = *handshake->alert ? handshake->alert : tls_result_name(handshake->result);
    write_before(data, "TLS handshake", handshake->connection, &handshake->server, handshake->host, handshake->quic,
                 handshake->time, handshake->handshake, handshake->result == TLS_FAILED ? why : "");
}

static void *
begin(const struct spans *spans, FILE *out)
{
    struct otlp *otlp = g_new0(struct otlp, 1);
    otlp->spans = spans;
    otlp->line.dumper.output_file = out;
    return otlp;
}

/* Ends the file, which says that there are no spans if there are none: an empty one would look as if it had been cut.
 */
static int
end(void *data)
{
    struct otlp *otlp = data;
    if (!otlp->has_written)
        fputs("{\"resourceSpans\":[]}\n", otlp->line.dumper.output_file);
    g_free(otlp);
    return 0;
}

const struct format format_otlp = {
    .name = "otlp",
    .help = "Write OpenTelemetry's traces to FILE, a line for each request",
    .kind = OUTPUT_OTLP,
    .begin = begin,
    .request = write_request,
    .attempt = write_attempt,
    .handshake = write_handshake,
    .end = end,
};
