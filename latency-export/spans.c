/* spans.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "spans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gio/gio.h>

#include "json/capture.h"
#include "json/lines.h"

/* What a line "call" says, until all requests of its capture are known. */
struct told {
    uint32_t number, caused_by;
    uint8_t rule, probability;
};

struct reading {
    struct spans *spans;
    GHashTable *servers; /* numbers, by struct endpoint */
    GArray *told;        /* of struct told, of the capture being read */
    unsigned begins;     /* the place of its first request */
};

int64_t
request_line_end_ns(const struct request_line *line)
{
    const int64_t end_ns = line->response_end_time != NO_TIME ? line->response_end_time : line->request_end_time;
    return MAX(end_ns, line->request_time);
}

static unsigned
hash_endpoint(const void *key)
{
    const struct endpoint *endpoint = key;
    unsigned hash = endpoint->port;
    for (unsigned i = 0; i < ADDRESS_BYTES; i++)
        hash = hash * 31 + endpoint->address[i];
    return hash;
}

static gboolean
equal_endpoints(const void *a, const void *b)
{
    return endpoint_equal(a, b);
}

static uint32_t
number_of_server(struct reading *reading, const struct endpoint *server)
{
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(reading->servers, server));
    if (number == 0) {
        number = g_hash_table_size(reading->servers) + 1;
        g_hash_table_insert(reading->servers, g_memdup2(server, sizeof *server), GUINT_TO_POINTER(number));
    }
    return number;
}

static struct link_before *
before_of(struct spans *spans, uint32_t connection)
{
    struct link_before *before = g_hash_table_lookup(spans->connections, GUINT_TO_POINTER(connection));
    if (before)
        return before;
    before = g_new(struct link_before, 1);
    *before = (struct link_before){ .first = NO_SPAN,
                                    .first_ns = INT64_MAX,
                                    .connect_begin_ns = NO_TIME,
                                    .tls_begin_ns = NO_TIME,
                                    .connect_ns = -1,
                                    .tls_ns = -1 };
    g_hash_table_insert(spans->connections, GUINT_TO_POINTER(connection), before);
    return before;
}

static struct span *
span_at(struct spans *spans, int32_t place)
{
    return &g_array_index(spans->all, struct span, place);
}

static int
compare_told(const void *a, const void *b)
{
    const struct told *x = a;
    const struct told *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static const struct told *
find_told(const GArray *all, uint32_t number)
{
    const struct told wanted = { .number = number };
    return all->len == 0 ? NULL : bsearch(&wanted, all->data, all->len, sizeof wanted, compare_told);
}

/* Gives each request of the capture that has been read its cause. */
static void
join(struct reading *reading)
{
    struct spans *spans = reading->spans;
    if (reading->told->len > 0) {
        GHashTable *places = g_hash_table_new(NULL, NULL);
        g_array_sort(reading->told, compare_told);
        for (unsigned i = reading->begins; i < spans->all->len; i++)
            g_hash_table_insert(places, GUINT_TO_POINTER(span_at(spans, (int32_t)i)->number), GUINT_TO_POINTER(i + 1));
        for (unsigned i = reading->begins; i < spans->all->len; i++) {
            struct span *span = span_at(spans, (int32_t)i);
            const struct told *told = find_told(reading->told, span->number);
            if (!told)
                continue;
            span->cause = GPOINTER_TO_INT(g_hash_table_lookup(places, GUINT_TO_POINTER(told->caused_by))) - 1;
            span->rule = told->rule;
            span->probability = told->probability;
        }
        g_hash_table_destroy(places);
    }
    g_array_set_size(reading->told, 0);
    reading->begins = spans->all->len;
}

/* Notes in what trace the request stands. False if that is none that a collector takes. */
static bool
take_trace(struct spans *spans, struct record *record, const struct request_line *line, struct span *span)
{
    static const char digits[] = "0123456789abcdef";
    const struct {
        const char *name, *text;
        size_t digits;
    } ids[] = { { "trace_id", line->trace_id, TRACE_ID_ROOM - 1 },
                { "parent_id", line->parent_id, PARENT_ID_ROOM - 1 } };
    if (!*line->trace_id && !*line->parent_id)
        return true;
    for (unsigned i = 0; i < G_N_ELEMENTS(ids); i++) {
        const size_t length = strlen(ids[i].text);
        if (length != ids[i].digits || strspn(ids[i].text, digits) != length || strspn(ids[i].text, "0") == length) {
            record_note_wrong(record, ids[i].name);
            return false;
        }
    }
    struct span_trace trace;
    g_strlcpy(trace.trace, line->trace_id, sizeof trace.trace);
    g_strlcpy(trace.parent, line->parent_id, sizeof trace.parent);
    span->trace = (int32_t)spans->traces->len;
    span->has_header = true;
    g_array_append_val(spans->traces, trace);
    return true;
}

static void
take_request(struct reading *reading, struct record *record, const struct request_line *line)
{
    struct spans *spans = reading->spans;
    const int32_t place = (int32_t)spans->all->len;
    struct link_before *before = before_of(spans, line->connection);
    struct span span = {
        .begin_ns = line->request_time,
        .end_ns = request_line_end_ns(line),
        .connection = line->connection,
        .number = line->number,
        .cause = NO_SPAN,
        .root = NO_SPAN,
        .trace = NO_SPAN,
        .server = number_of_server(reading, &line->server.endpoint),
    };
    /* a line of a request that comes behind lines "call" is of the file's next capture, whose numbers begin anew */
    if (reading->told->len > 0)
        join(reading);
    if (!take_trace(spans, record, line, &span))
        return;
    g_array_append_val(spans->all, span);
    if (span.begin_ns < before->first_ns) {
        before->first_ns = span.begin_ns;
        before->first = place;
    }
}

static void
take_call(struct reading *reading, const struct call_line *line)
{
    const struct told told = { line->request, line->caused_by, (uint8_t)call_rule_find(line->cause),
                               (uint8_t)(line->probability ? MIN(line->probability, 100) : 100) };
    if (line->caused_by)
        g_array_append_val(reading->told, told);
}

static void
take_attempt(struct reading *reading, const struct attempt_line *line)
{
    struct link_before *before = before_of(reading->spans, line->connection);
    before->is_quic = line->quic;
    if (line->result != CONNECT_ACCEPTED || line->connect < 0)
        return;
    before->connect_begin_ns = line->syn_time;
    before->connect_ns = line->connect;
}

static void
take_handshake(struct reading *reading, const struct handshake_line *line)
{
    struct link_before *before = before_of(reading->spans, line->connection);
    before->has_tls = true;
    if (line->result != TLS_COMPLETE || line->handshake < 0)
        return;
    before->tls_begin_ns = line->time;
    before->tls_ns = line->handshake;
}

/* Takes a line of any type. False if a member that is wanted of it is wrong: record->wrong. */
static bool
take(void *data, struct record *record)
{
    struct reading *reading = data;
    const char *type = record_text(record, "type");
    union {
        struct request_line request;
        struct call_line call;
        struct attempt_line attempt;
        struct handshake_line handshake;
    } line;
    if (strcmp(type, "request") == 0 && line_read(record, &request_members, &line)) {
        take_request(reading, record, &line.request);
    } else if (strcmp(type, "call") == 0 && line_read(record, &call_members, &line)) {
        take_call(reading, &line.call);
    } else if (strcmp(type, "attempt") == 0 && line_read(record, &attempt_members, &line)) {
        take_attempt(reading, &line.attempt);
        line_clear(&attempt_members, &line);
    } else if (strcmp(type, "handshake") == 0 && line_read(record, &handshake_members, &line)) {
        take_handshake(reading, &line.handshake);
    }
    return !record->wrong;
}

/* Gives the request, and those that caused it up to the root that they share, that root. Lines that name each other in
 * a circle, as nothing of ours writes them, lose the cause with which the circle closes. */
static void
find_root(struct spans *spans, int32_t place)
{
    enum { BEING_FOUND = -2 };
    int32_t at = place, root;
    for (;;) {
        struct span *span = span_at(spans, at);
        if (span->root >= 0) {
            root = span->root;
            break;
        }
        span->root = BEING_FOUND;
        if (span->cause != NO_SPAN && span_at(spans, span->cause)->root == BEING_FOUND)
            span->cause = NO_SPAN;
        if (span->cause == NO_SPAN || span->has_header) {
            root = at;
            break;
        }
        at = span->cause;
    }
    for (at = place; at != NO_SPAN && span_at(spans, at)->root == BEING_FOUND; at = span_at(spans, at)->cause)
        span_at(spans, at)->root = root;
}

/* A request that names no trace and is caused by nothing is of that which all calls name for which it, or calls of it
 * that name none, are the cause: whoever answered it has begun this trace, or goes on with it. If they name different
 * ones, it is of none of these. */
static void
find_traces_of_roots(struct spans *spans)
{
    enum { SEVERAL = -2 };
    for (unsigned i = 0; i < spans->all->len; i++) {
        const struct span *span = span_at(spans, (int32_t)i);
        const struct span *cause = span->has_header ? spans_at(spans, span->cause) : NULL;
        struct span *root = cause ? span_at(spans, cause->root) : NULL;
        if (!root || root->has_header)
            continue;
        if (root->trace == NO_SPAN)
            root->trace = span->trace;
        else if (root->trace != SEVERAL &&
                 strcmp(spans_trace(spans, root)->trace, spans_trace(spans, span)->trace) != 0)
            root->trace = SEVERAL;
    }
}

static int
compare_places(const void *a, const void *b, void *data)
{
    const struct span *x = spans_at(data, *(const int32_t *)a);
    const struct span *y = spans_at(data, *(const int32_t *)b);
    if (x->connection != y->connection)
        return x->connection < y->connection ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

/* Puts the requests of each connection on as few lanes as hold them, in the order in which they begin. */
static void
find_lanes(struct spans *spans)
{
    const unsigned n = spans->all->len;
    GArray *sorted = g_array_sized_new(FALSE, FALSE, sizeof(int32_t), n);
    GArray *ends = g_array_new(FALSE, FALSE, sizeof(int64_t)); /* of each lane's last request */
    for (int32_t i = 0; (unsigned)i < n; i++)
        g_array_append_val(sorted, i);
    g_array_sort_with_data(sorted, compare_places, spans);
    const int32_t *places = (const int32_t *)(const void *)sorted->data;
    for (unsigned i = 0; i < n; i++) {
        struct span *span = span_at(spans, places[i]);
        if (i == 0 || span_at(spans, places[i - 1])->connection != span->connection)
            g_array_set_size(ends, 0);
        while (span->lane < ends->len && g_array_index(ends, int64_t, span->lane) > span->begin_ns)
            span->lane++;
        if (span->lane == ends->len)
            g_array_append_val(ends, span->end_ns);
        else
            g_array_index(ends, int64_t, span->lane) = span->end_ns;
    }
    g_array_free(ends, TRUE);
    g_array_free(sorted, TRUE);
}

static struct spans *
spans_new(const struct capture *capture)
{
    struct spans *spans = g_new0(struct spans, 1);
    spans->all = g_array_new(FALSE, FALSE, sizeof(struct span));
    spans->traces = g_array_new(FALSE, FALSE, sizeof(struct span_trace));
    spans->connections = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    spans->first_ns = capture->first_ns;
    spans->last_ns = capture->last_ns;
    spans->salt = g_strdup_printf("%" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64, capture->first_ns, capture->frames,
                                  capture->requests, capture->attempts);
    return spans;
}

struct spans *
spans_read(const char *path, GError **error)
{
    struct capture *capture = capture_read(path, error);
    if (!capture)
        return NULL;
    struct spans *spans = spans_new(capture);
    const bool has_rows = capture->content != JSON_SUMMARY;
    capture_free(capture);
    struct reading reading = { spans, g_hash_table_new_full(hash_endpoint, equal_endpoints, g_free, NULL),
                               g_array_new(FALSE, FALSE, sizeof(struct told)), 0 };
    bool done = has_rows && lines_read(path, take, &reading, error);
    if (!has_rows)
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                    "\"%s\" has sums only: it was written with latency.json:summary.", path);
    if (done) {
        join(&reading);
        for (unsigned i = 0; i < spans->all->len; i++)
            find_root(spans, (int32_t)i);
        find_traces_of_roots(spans);
        find_lanes(spans);
    }
    g_hash_table_destroy(reading.servers);
    g_array_free(reading.told, TRUE);
    if (done)
        return spans;
    spans_free(spans);
    return NULL;
}

void
spans_free(struct spans *spans)
{
    g_array_free(spans->all, TRUE);
    g_array_free(spans->traces, TRUE);
    g_hash_table_destroy(spans->connections);
    g_free(spans->salt);
    g_free(spans);
}

const struct span *
spans_at(const struct spans *spans, int32_t place)
{
    return place >= 0 && (unsigned)place < spans->all->len ? &g_array_index(spans->all, struct span, place) : NULL;
}

const struct span_trace *
spans_trace(const struct spans *spans, const struct span *span)
{
    return span->trace >= 0 ? &g_array_index(spans->traces, struct span_trace, span->trace) : NULL;
}

const struct link_before *
spans_before(const struct spans *spans, uint32_t connection)
{
    return g_hash_table_lookup(spans->connections, GUINT_TO_POINTER(connection));
}
