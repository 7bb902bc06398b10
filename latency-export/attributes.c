/* attributes.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "attributes.h"

#include <string.h>

#include "table/conventions.h"
#include "table/names.h"

bool
request_line_is_http(const struct request_line *line)
{
    return convention_of(line->framing)->family == CONVENTION_HTTP;
}

bool
request_line_is_grpc(const struct request_line *line)
{
    return convention_is_grpc(line->framing, line->operation);
}

const char *
request_line_name(const struct request_line *line)
{
    if (*line->kind)
        return line->kind;
    return *line->operation ? line->operation : protocol_name(line->framing);
}

static void
put(const struct attribute_sink *sink, const char *name, const char *text)
{
    if (*text)
        sink->text(sink->data, name, text);
}

static void
put_part(const struct attribute_sink *sink, const char *name, const char *text, size_t length)
{
    char *part = g_strndup(text, length);
    put(sink, name, part);
    g_free(part);
}

char *
request_line_method(const struct request_line *line, const char **rest)
{
    static const char pushed[] = "PUSH "; /* stands before what the server asked in the client's place */
    const char *operation = request_line_is_http(line) && !request_line_is_grpc(line) ? line->operation : "";
    if (line->pushed && g_str_has_prefix(operation, pushed))
        operation += strlen(pushed);
    const size_t length = strcspn(operation, " ");
    *rest = operation[length] == ' ' ? operation + length + 1 : NULL;
    return g_strndup(operation, length);
}

unsigned
request_line_http_status(const struct request_line *line)
{
    return convention_http_status(line->framing, line->operation, *line->error ? line->error : line->status);
}

bool
request_line_has_failed(const struct request_line *line)
{
    const unsigned says = outcome_says(line->outcome), status = request_line_http_status(line);
    const bool is_clients = status >= 400 && status < 500;
    return (*line->error && !is_clients) || (says & (OUTCOME_IS_UNANSWERED | OUTCOME_IS_ERROR));
}

static void
put_http(const struct request_line *line, const struct attribute_sink *sink)
{
    const unsigned status = request_line_http_status(line);
    const char *target;
    char *method = request_line_method(line, &target);
    put(sink, "http.request.method", method);
    if (target) {
        const size_t path = strcspn(target, "?");
        put_part(sink, "url.path", target, path);
        put(sink, "url.query", target[path] ? target + path + 1 : "");
    }
    if (status)
        sink->number(sink->data, "http.response.status_code", status);
    put(sink, "network.protocol.name", "http");
    put(sink, "network.protocol.version", convention_of(line->framing)->system);
    g_free(method);
}

static void
put_grpc(const struct request_line *line, const struct attribute_sink *sink)
{
    const char *service = line->operation + 1, *method = strchr(service, '/');
    put(sink, "rpc.system", "grpc");
    put_part(sink, "rpc.service", service, method ? (size_t)(method - service) : strlen(service));
    put(sink, "rpc.method", method ? method + 1 : "");
    put(sink, "latency.grpc.status", *line->error ? line->error : line->status);
}

/* The operation's first word is what is done, the second what it is done to: a key, a topic, a collection, a name. */
static void
put_words(const struct request_line *line, const struct attribute_sink *sink, const char *done, const char *to)
{
    const size_t length = strcspn(line->operation, " ");
    put_part(sink, done, line->operation, length);
    if (to && line->operation[length])
        put(sink, to, line->operation + length + 1);
}

static void
put_protocol(const struct request_line *line, const struct attribute_sink *sink)
{
    const struct convention *convention = convention_of(line->framing);
    switch (convention->family) {
    case CONVENTION_HTTP:
        (request_line_is_grpc(line) ? put_grpc : put_http)(line, sink);
        break;
    case CONVENTION_SQL:
        put(sink, "db.system.name", convention->system);
        put_words(line, sink, "db.operation.name", NULL);
        put(sink, "db.query.text", line->operation);
        break;
    case CONVENTION_DATABASE:
        put(sink, "db.system.name", convention->system);
        put_words(line, sink, "db.operation.name", line->framing == PROTOCOL_MONGODB ? "db.collection.name" : NULL);
        break;
    case CONVENTION_MESSAGING:
        put(sink, "messaging.system", convention->system);
        put_words(line, sink, "messaging.operation.name", "messaging.destination.name");
        break;
    case CONVENTION_DNS:
        put_words(line, sink, "latency.dns.type", "dns.question.name");
        break;
    default:
        put(sink, "network.protocol.name", protocol_name(line->framing));
        put(sink, "latency.operation", line->operation);
    }
    if (convention->family == CONVENTION_SQL || convention->family == CONVENTION_DATABASE)
        put(sink, "db.response.status_code", *line->error ? line->error : line->status);
}

static void
put_endpoint(const struct attribute_sink *sink, const char *address, const char *port,
             const struct member_endpoint *endpoint, const char *host)
{
    char *text = address_text(NULL, &endpoint->endpoint, endpoint->ipv6);
    put(sink, address, *host ? host : text);
    sink->number(sink->data, port, endpoint->endpoint.port);
    wmem_free(NULL, text);
}

void
attributes_of_server(const struct member_endpoint *server, const char *host, bool is_udp,
                     const struct attribute_sink *sink)
{
    put_endpoint(sink, "server.address", "server.port", server, host);
    put(sink, "network.transport", is_udp ? "udp" : "tcp");
}

/* Why it has failed. */
static const char *
error_type(const struct request_line *line)
{
    if (*line->error)
        return line->error;
    return outcome_says(line->outcome) & (OUTCOME_IS_UNANSWERED | OUTCOME_IS_ERROR) ? outcome_name(line->outcome) : "";
}

void
attributes_of_request(const struct request_line *line, const struct span *span, const struct attribute_sink *sink)
{
    put_protocol(line, sink);
    attributes_of_server(&line->server, line->host, line->framing == PROTOCOL_HTTP3 || line->attempts, sink);
    put_endpoint(sink, "client.address", "client.port", &line->client, "");
    put(sink, "error.type", error_type(line));
    put(sink, "latency.outcome", outcome_name(line->outcome));
    sink->number(sink->data, "latency.request", line->number);
    sink->number(sink->data, "latency.request_frame", line->request_frame);
    if (line->response_frame)
        sink->number(sink->data, "latency.response_frame", line->response_frame);
    sink->number(sink->data, "latency.request_bytes", (int64_t)line->request_bytes);
    sink->number(sink->data, "latency.response_bytes", (int64_t)line->response_bytes);
    if (line->first_byte >= 0)
        sink->number(sink->data, "latency.first_byte_ns", line->first_byte);
    if (line->retransmissions)
        sink->number(sink->data, "latency.retransmissions", line->retransmissions);
    if (span->rule != CALL_NONE)
        put(sink, "latency.cause", call_rule_name(span->rule));
    if (span->rule == CALL_WORKER)
        sink->number(sink->data, "latency.probability", span->probability);
}
