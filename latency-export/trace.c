/* trace.c
 * A trace of Chrome's event format: servers are processes, connections their threads, requests slices, and calls flows
 * from the slice of a cause (Trace Event Format, https://chromium.googlesource.com/catapult). Perfetto opens it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>

#include "attributes.h"
#include "format.h"
#include "table/names.h"

struct trace {
    const struct spans *spans;
    struct line line;
    GHashTable *processes; /* numbers of servers that have been named */
    GHashTable *threads;   /* of uint64_t, connection and lane: likewise */
};

/* Writes a time in microseconds: of a duration, or since the capture's first frame, for the programs that read it count
 * in doubles. */
static void
put_us(struct line *line, const char *name, int64_t ns)
{
    enum { NS_PER_US = 1000 };
    const int64_t positive_ns = MAX(ns, 0);
    json_dumper_set_member_name(&line->dumper, name);
    json_dumper_value_anyf(&line->dumper, "%" PRId64 ".%03d", positive_ns / NS_PER_US, (int)(positive_ns % NS_PER_US));
}

static int64_t
since_first(const struct trace *trace, int64_t ns)
{
    return ns - trace->spans->first_ns;
}

/* Connections are numbered from 1; a number of a thread has its lane in the lower bits. */
static uint64_t
thread_of(uint32_t connection, uint32_t lane)
{
    enum { LANE_BITS = 16, LANES = 1 << LANE_BITS };
    return (uint64_t)connection << LANE_BITS | (lane % LANES);
}

/* Begins an event of this phase. */
static void
begin_event(struct trace *trace, const char *phase, const char *name, uint32_t process, uint64_t thread)
{
    json_dumper_begin_object(&trace->line.dumper);
    line_text(&trace->line, "ph", phase);
    line_text(&trace->line, "name", name);
    line_uint(&trace->line, "pid", process);
    line_uint(&trace->line, "tid", thread);
}

static void
begin_slice(struct trace *trace, const char *name, uint32_t process, uint64_t thread, int64_t begin_ns, int64_t ns)
{
    begin_event(trace, "X", name, process, thread);
    put_us(&trace->line, "ts", since_first(trace, begin_ns));
    put_us(&trace->line, "dur", ns);
}

static void
write_name(struct trace *trace, const char *event, uint32_t process, uint64_t thread, const char *name)
{
    begin_event(trace, "M", event, process, thread);
    line_object(&trace->line, "args");
    line_text(&trace->line, "name", name);
    line_end_object(&trace->line);
    line_end_object(&trace->line);
}

/* Names process and thread, once each. */
static void
name_track(struct trace *trace, uint32_t process, uint64_t thread, const struct member_endpoint *client,
           const struct member_endpoint *server, const char *host)
{
    if (g_hash_table_add(trace->processes, GUINT_TO_POINTER(process))) {
        char *address = endpoint_text(&server->endpoint, server->ipv6);
        char *name = *host ? g_strdup_printf("%s (%s)", host, address) : g_strdup(address);
        write_name(trace, "process_name", process, thread, name);
        g_free(name);
        g_free(address);
    }
    if (!g_hash_table_contains(trace->threads, &thread)) {
        char *name = endpoint_text(&client->endpoint, client->ipv6);
        g_hash_table_add(trace->threads, g_memdup2(&thread, sizeof thread));
        write_name(trace, "thread_name", process, thread, name);
        g_free(name);
    }
}

static void
put_text(void *data, const char *name, const char *text)
{
    line_text(data, name, text);
}

static void
put_number(void *data, const char *name, int64_t number)
{
    line_int(data, name, number);
}

/* Writes what the request spent where in its server's host: slices within its own, one behind the other. */
static void
write_stages(struct trace *trace, const struct request_line *request, const struct span *span, uint64_t thread)
{
    int64_t ns = span->begin_ns;
    for (unsigned part = 0; part < PARTS && request->stages.parts_ns[0] >= 0; part++) {
        const int64_t part_ns = MIN(MAX(request->stages.parts_ns[part], 0), span->end_ns - ns);
        if (part_ns > 0) {
            begin_slice(trace, part_name(part), span->server, thread, ns, part_ns);
            line_end_object(&trace->line);
        }
        ns += part_ns;
    }
}

/* Writes an end of the arrow from a cause to its call. */
static void
write_flow(struct trace *trace, const char *phase, const struct span *at, const struct span *call)
{
    char id[24];
    g_snprintf(id, sizeof id, "%" PRIu32 ".%" PRIu32, call->connection, call->number);
    begin_event(trace, phase, "call", at->server, thread_of(at->connection, at->lane));
    line_text(&trace->line, "cat", "call");
    line_text(&trace->line, "id", id);
    line_text(&trace->line, "bp", "e");
    put_us(&trace->line, "ts", since_first(trace, call->begin_ns));
    line_end_object(&trace->line);
}

static void
write_request(void *data, const struct request_line *request, const struct span *span)
{
    struct trace *trace = data;
    const struct attribute_sink sink = { &trace->line, put_text, put_number };
    const struct span *cause = spans_at(trace->spans, span->cause);
    const uint64_t thread = thread_of(span->connection, span->lane);
    name_track(trace, span->server, thread, &request->client, &request->server, request->host);
    begin_slice(trace, request_line_name(request), span->server, thread, span->begin_ns, span->end_ns - span->begin_ns);
    line_text(&trace->line, "cat", protocol_name(request->framing));
    line_object(&trace->line, "args");
    attributes_of_request(request, span, &sink);
    line_end_object(&trace->line);
    line_end_object(&trace->line);
    write_stages(trace, request, span, thread);
    if (cause && cause->begin_ns <= span->begin_ns && span->begin_ns <= cause->end_ns) {
        write_flow(trace, "s", cause, span);
        write_flow(trace, "f", span, span);
    }
}

/* Writes connect and handshake on the connection's first lane; where requests begin before they end (early data), they
 * are left out, for slices of a lane must not overlap. */
static void
write_before(struct trace *trace, const char *name, uint32_t connection, const struct member_endpoint *client,
             const struct member_endpoint *server, const char *host, int64_t begin_ns, int64_t ns)
{
    const struct link_before *before = spans_before(trace->spans, connection);
    const struct span *first = before ? spans_at(trace->spans, before->first) : NULL;
    if (ns < 0 || !first || first->begin_ns - ns < begin_ns)
        return;
    const uint64_t thread = thread_of(connection, first->lane);
    name_track(trace, first->server, thread, client, server, host);
    begin_slice(trace, name, first->server, thread, begin_ns, ns);
    line_end_object(&trace->line);
}

static void
write_attempt(void *data, const struct attempt_line *attempt)
{
    write_before(data, "connect", attempt->connection, &attempt->client, &attempt->server, attempt->host,
                 attempt->syn_time, attempt->result == CONNECT_ACCEPTED ? attempt->connect : -1);
}

static void
write_handshake(void *data, const struct handshake_line *handshake)
{
    write_before(data, "TLS handshake", handshake->connection, &handshake->client, &handshake->server, handshake->host,
                 handshake->time, handshake->result == TLS_COMPLETE ? handshake->handshake : -1);
}

static void *
begin(const struct spans *spans, FILE *out)
{
    struct trace *trace = g_new0(struct trace, 1);
    trace->spans = spans;
    trace->line.dumper.output_file = out;
    trace->processes = g_hash_table_new(NULL, NULL);
    trace->threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    json_dumper_begin_object(&trace->line.dumper);
    line_object(&trace->line, "otherData");
    line_text(&trace->line, "generator", "wireshark-latency " LATENCY_VERSION);
    line_int(&trace->line, "first_frame_unix_ns", spans->first_ns);
    line_end_object(&trace->line);
    line_text(&trace->line, "displayTimeUnit", "ms");
    line_array(&trace->line, "traceEvents");
    return trace;
}

static int
end(void *data)
{
    struct trace *trace = data;
    line_end_array(&trace->line);
    line_end_object(&trace->line);
    json_dumper_finish(&trace->line.dumper);
    g_hash_table_destroy(trace->processes);
    g_hash_table_destroy(trace->threads);
    g_free(trace);
    return 0;
}

const struct format format_trace = {
    .name = "trace",
    .help = "Write a trace for Perfetto (ui.perfetto.dev) to FILE",
    .kind = OUTPUT_TRACE,
    .begin = begin,
    .request = write_request,
    .attempt = write_attempt,
    .handshake = write_handshake,
    .end = end,
};
