/* har.c
 * An HTTP archive, version 1.2 (http://www.softwareishard.com/blog/har-12-spec/): requests of HTTP, the earliest first.
 * What a capture's lines do not say of them (header fields, contents) is empty.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "attributes.h"
#include "format.h"
#include "table/names.h"

/* Where an entry is in the file in which entries are before they are sorted. */
struct entry {
    int64_t begin_ns;
    long at, length;
};

struct har {
    const struct spans *spans;
    FILE *out, *entries; /* the latter NULL, with `error`, if it cannot be made */
    GArray *sorted;      /* of struct entry */
    int error;
};

/* What a connection needed before its first request; nothing before a later one. -1: no such phase. */
struct phases {
    int64_t begin_ns; /* of all */
    int64_t blocked_ns, connect_ns, ssl_ns;
};

static struct phases
phases_of(const struct har *har, const struct span *span, bool is_quic)
{
    const struct link_before *before = spans_before(har->spans, span->connection);
    struct phases phases = { span->begin_ns, -1, -1, -1 };
    if (!before || spans_at(har->spans, before->first) != span)
        return phases;
    const bool has_tls = before->tls_begin_ns != NO_TIME && before->tls_begin_ns <= span->begin_ns;
    const bool has_connect =
        !is_quic && before->connect_begin_ns != NO_TIME && before->connect_begin_ns <= span->begin_ns;
    if (!has_connect && !has_tls)
        return phases;
    phases.begin_ns = has_connect ? before->connect_begin_ns : before->tls_begin_ns;
    /* connect has the handshake of TLS in it, up to its end, which early data does not await */
    const int64_t until_ns = has_tls ? before->tls_begin_ns + before->tls_ns : phases.begin_ns + before->connect_ns;
    const int64_t ended_ns = CLAMP(until_ns, phases.begin_ns, span->begin_ns);
    phases.connect_ns = ended_ns - phases.begin_ns;
    phases.ssl_ns = has_tls ? MAX(ended_ns - before->tls_begin_ns, 0) : -1;
    phases.blocked_ns = span->begin_ns - ended_ns;
    return phases;
}

/* Writes milliseconds; -1 stays, for HAR has it where there is nothing. */
static void
put_ms(struct line *line, const char *name, int64_t ns)
{
    enum { NS_PER_MS = 1000000 };
    json_dumper_set_member_name(&line->dumper, name);
    if (ns < 0)
        json_dumper_value_anyf(&line->dumper, "-1");
    else
        json_dumper_value_anyf(&line->dumper, "%" PRId64 ".%06d", ns / NS_PER_MS, (int)(ns % NS_PER_MS));
}

/* Writes a time as ISO 8601 has it. */
static void
put_date(struct line *line, const char *name, int64_t ns)
{
    enum { NS_PER_US = 1000 };
    const int64_t us = MAX(ns, 0) / NS_PER_US, us_per_s = 1000000;
    GDateTime *time = g_date_time_new_from_unix_utc(us / us_per_s);
    char *seconds = time ? g_date_time_format(time, "%FT%T") : g_strdup("1970-01-01T00:00:00");
    char *text = g_strdup_printf("%s.%06dZ", seconds, (int)(us % us_per_s));
    line_text(line, name, text);
    g_free(text);
    g_free(seconds);
    if (time)
        g_date_time_unref(time);
}

static void
put_empty_array(struct line *line, const char *name)
{
    line_array(line, name);
    line_end_array(line);
}

static void
put_query(struct line *line, const char *target)
{
    const char *query = strchr(target, '?');
    char **pairs = g_strsplit(query ? query + 1 : "", "&", -1);
    line_array(line, "queryString");
    for (char **pair = pairs; *pair; pair++) {
        char *equals = strchr(*pair, '=');
        if (!**pair)
            continue;
        if (equals)
            *equals = '\0';
        json_dumper_begin_object(&line->dumper);
        line_text(line, "name", *pair);
        line_text(line, "value", equals ? equals + 1 : "");
        json_dumper_end_object(&line->dumper);
    }
    line_end_array(line);
    g_strfreev(pairs);
}

/* Returns the URL, to be freed: of the server's name if TLS says it, else of its address; a target that is none of a
 * path (CONNECT's, *) stands behind a slash. */
static char *
url_of(const struct request_line *request, const char *target, bool is_secure)
{
    const unsigned usual = is_secure ? 443 : 80, port = request->server.endpoint.port;
    char *address = *request->host ? g_strdup_printf("%s:%u", request->host, port)
                                   : endpoint_text(&request->server.endpoint, request->server.ipv6);
    if (port == usual)
        *strrchr(address, ':') = '\0';
    char *escaped = g_uri_escape_string(target, G_URI_RESERVED_CHARS_GENERIC_DELIMITERS "!$&'()*+,;=%", false);
    char *url = strstr(target, "://") ? g_strdup(escaped)
                                      : g_strdup_printf("%s://%s%s%s", is_secure ? "https" : "http", address,
                                                        *target == '/' ? "" : "/", escaped);
    g_free(escaped);
    g_free(address);
    return url;
}

static void
put_request(struct line *line, const struct request_line *request, bool is_secure, const char *version)
{
    const char *target;
    char *method = request_line_method(request, &target);
    if (request_line_is_grpc(request)) {
        g_free(method);
        method = g_strdup("POST"); /* every call of gRPC is one */
        target = request->operation;
    }
    char *url = url_of(request, target ? target : "", is_secure);
    line_object(line, "request");
    line_text(line, "method", method);
    line_text(line, "url", url);
    line_text(line, "httpVersion", version);
    put_empty_array(line, "cookies");
    put_empty_array(line, "headers");
    put_query(line, target ? target : "");
    line_int(line, "headersSize", -1);
    line_int(line, "bodySize", -1);
    line_end_object(line);
    g_free(url);
    g_free(method);
}

static void
put_response(struct line *line, const struct request_line *request, const char *version)
{
    line_object(line, "response");
    line_uint(line, "status", request_line_http_status(request));
    line_text(line, "statusText", "");
    line_text(line, "httpVersion", version);
    put_empty_array(line, "cookies");
    put_empty_array(line, "headers");
    line_object(line, "content");
    line_uint(line, "size", request->response_bytes);
    line_text(line, "mimeType", "");
    line_end_object(line);
    line_text(line, "redirectURL", "");
    line_int(line, "headersSize", -1);
    line_int(line, "bodySize", -1);
    line_int(line, "_transferSize", (int64_t)request->response_bytes);
    if (request_line_has_failed(request) && !request_line_http_status(request))
        line_text(line, "_error", *request->error ? request->error : outcome_name(request->outcome));
    line_end_object(line);
}

static void
put_timings(struct line *line, const struct phases *phases, const struct request_line *request, const struct span *span)
{
    const bool is_answered = request->response_frame != 0;
    const int64_t asked_ns = MIN(MAX(request->request_end_time, span->begin_ns), span->end_ns);
    const int64_t answered_ns = is_answered ? CLAMP(request->response_time, asked_ns, span->end_ns) : span->end_ns;
    put_ms(line, "time", span->end_ns - phases->begin_ns);
    line_object(line, "cache");
    line_end_object(line);
    line_object(line, "timings");
    put_ms(line, "blocked", phases->blocked_ns);
    put_ms(line, "dns", -1);
    put_ms(line, "connect", phases->connect_ns);
    put_ms(line, "ssl", phases->ssl_ns);
    put_ms(line, "send", asked_ns - span->begin_ns);
    put_ms(line, "wait", answered_ns - asked_ns);
    put_ms(line, "receive", span->end_ns - answered_ns);
    line_end_object(line);
}

static const char *
version_of(const struct request_line *request)
{
    switch (request->framing) {
    case PROTOCOL_HTTP2:
        return "h2";
    case PROTOCOL_HTTP3:
        return "h3";
    default:
        return "HTTP/1.1";
    }
}

/* Writes the entry, and returns when it begins. */
static int64_t
write_entry(struct har *har, const struct request_line *request, const struct span *span)
{
    struct line line = { .dumper = { .output_file = har->entries } };
    const struct link_before *before = spans_before(har->spans, span->connection);
    const bool is_quic = request->framing == PROTOCOL_HTTP3;
    const bool is_secure = is_quic || (before && before->has_tls) || request->server.endpoint.port == 443;
    const struct phases phases = phases_of(har, span, is_quic);
    char *server = address_text(NULL, &request->server.endpoint, request->server.ipv6), connection[16];
    g_snprintf(connection, sizeof connection, "%" PRIu32, span->connection);
    json_dumper_begin_object(&line.dumper);
    put_date(&line, "startedDateTime", phases.begin_ns);
    put_request(&line, request, is_secure, version_of(request));
    put_response(&line, request, version_of(request));
    put_timings(&line, &phases, request, span);
    line_text(&line, "serverIPAddress", server);
    line_text(&line, "connection", connection);
    line_uint(&line, "_request", request->number);
    line_uint(&line, "_requestFrame", request->request_frame);
    json_dumper_end_object(&line.dumper);
    json_dumper_finish(&line.dumper);
    wmem_free(NULL, server);
    return phases.begin_ns;
}

static void
write_request(void *data, const struct request_line *request, const struct span *span)
{
    struct har *har = data;
    if (!request_line_is_http(request) || !har->entries)
        return;
    struct entry entry = { .at = ftell(har->entries) };
    entry.begin_ns = write_entry(har, request, span);
    entry.length = ftell(har->entries) - entry.at;
    g_array_append_val(har->sorted, entry);
}

static int
compare_entries(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void
copy(struct har *har, const struct entry *entry)
{
    char bytes[4096];
    if (fseek(har->entries, entry->at, SEEK_SET) != 0)
        har->error = errno;
    for (long left = entry->length; left > 0 && !har->error;) {
        const size_t n = fread(bytes, 1, MIN((size_t)left, sizeof bytes), har->entries);
        if (n == 0)
            har->error = ferror(har->entries) && errno ? errno : EIO;
        fwrite(bytes, 1, n, har->out);
        left -= (long)n;
    }
}

static void *
begin(const struct spans *spans, FILE *out)
{
    struct har *har = g_new0(struct har, 1);
    har->spans = spans;
    har->out = out;
    har->entries = tmpfile();
    har->error = har->entries ? 0 : errno;
    har->sorted = g_array_new(FALSE, FALSE, sizeof(struct entry));
    return har;
}

static int
end(void *data)
{
    struct har *har = data;
    fputs("{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"wireshark-latency\",\"version\":\"" LATENCY_VERSION
          "\"},\"entries\":[\n",
          har->out);
    if (har->entries && (fflush(har->entries) != 0 || ferror(har->entries)))
        har->error = errno ? errno : EIO;
    g_array_sort(har->sorted, compare_entries);
    for (unsigned i = 0; i < har->sorted->len && !har->error; i++) {
        if (i > 0)
            fputc(',', har->out);
        copy(har, &g_array_index(har->sorted, struct entry, i));
    }
    fputs("]}}\n", har->out);
    const int error = har->error;
    if (har->entries)
        fclose(har->entries);
    g_array_free(har->sorted, TRUE);
    g_free(har);
    return error;
}

const struct format format_har = {
    .name = "har",
    .help = "Write an HTTP archive, which browsers' developer tools open, to FILE",
    .kind = OUTPUT_HAR,
    .begin = begin,
    .request = write_request,
    .end = end,
};
