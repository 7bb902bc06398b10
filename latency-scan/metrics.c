/* metrics.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/item_subject.h"
#include "core/request/operation.h"
#include "core/util/output_file.h"
#include "ended.h"
#include "json/export_line.h"
#include "metrics_server.h"
#include "say.h"
#include "table/conventions.h"

/* Bounds how many series there are: of further operations there is one for each server, and of further servers one. */
enum { SERIES_MOST = 2000, SERVERS_MOST = 1000, LIMITS_MOST = 14 };
#define OTHER "other"

#define MS(ms) ((ms)*INT64_C(1000000))

/* A histogram, by the protocols it is of; its limits are those of the conventions. */
static const struct kind {
    const char *name, *help;
    int64_t limits_ns[LIMITS_MOST]; /* 0 behind the last */
} kinds[] = {
#define USUAL                                                                                                          \
    {                                                                                                                  \
        MS(5), MS(10), MS(25), MS(50), MS(75), MS(100), MS(250), MS(500), MS(750), MS(1000), MS(2500), MS(5000),       \
            MS(7500), MS(10000)                                                                                        \
    }
    { "latency_request_duration_seconds", "Time for which clients waited for requests of other protocols.", USUAL },
    { "http_server_request_duration_seconds", "Time for which clients waited for HTTP requests.", USUAL },
    { "rpc_server_call_duration_seconds", "Time for which clients waited for calls of gRPC.", USUAL },
    { "db_client_operation_duration_seconds",
      "Time for which clients waited for databases.",
      { MS(1), MS(5), MS(10), MS(50), MS(100), MS(500), MS(1000), MS(5000), MS(10000) } },
    { "messaging_client_operation_duration_seconds", "Time for which clients waited for brokers.", USUAL },
    { "dns_lookup_duration_seconds", "Time for which clients waited for answers of DNS.", USUAL },
};
enum { KIND_OTHER, KIND_HTTP, KIND_RPC, KIND_DATABASE, KIND_MESSAGING, KIND_DNS, KINDS = G_N_ELEMENTS(kinds) };

/* Counters, in the order in which they are written. */
#define COUNTER_LIST(X)                                                                                                \
    X(REQUESTS, "latency_requests_total", "Requests that have ended.")                                                 \
    X(ERRORS, "latency_errors_total", "Responses that are errors.")                                                    \
    X(UNANSWERED, "latency_unanswered_total", "Requests that have got no response.")                                   \
    X(RETRANSMISSIONS, "latency_retransmissions_total", "Frames of TCP with payload that were sent again.")            \
    X(ATTEMPTS, "latency_connect_attempts_total", "Attempts to connect.")                                              \
    X(ACCEPTED, "latency_connects_accepted_total", "Attempts to connect that were accepted.")                          \
    X(REFUSED, "latency_connects_refused_total",                                                                       \
      "Attempts to connect that were refused, or whose server cannot be reached.")

#define COUNTER(name, ...) COUNTER_##name,
enum counter { COUNTER_LIST(COUNTER) COUNTERS };
#undef COUNTER

struct histogram_of {
    unsigned kind;
    uint64_t counts[LIMITS_MOST + 1]; /* up to each limit, and above the last one */
    wide sum_ns;
};

struct server_counts {
    uint64_t counts[COUNTERS];
};

struct metrics {
    char *path, *address;
    struct metrics_server *server;
    GMutex lock;         /* of what follows: a scrape is another thread's */
    GHashTable *series;  /* of struct histogram_of, by its labels behind a digit for its kind */
    GHashTable *servers; /* of struct server_counts, by the label */
    /* Of the scan. */
    struct table_source *source;
    struct ended_requests *ended;
    bool failed;
};

/* Appends NAME="VALUE", as the format has it: valid UTF-8, with escapes. */
static void
put_label(GString *text, const char *name, const char *value)
{
    char *valid = g_utf8_make_valid(value, -1);
    g_string_append_printf(text, "%s=\"", name);
    for (const char *at = valid; *at; at++) {
        if (*at == '\n')
            g_string_append(text, "\\n");
        else if (*at == '"' || *at == '\\')
            g_string_append_printf(text, "\\%c", *at);
        else
            g_string_append_c(text, *at);
    }
    g_string_append_c(text, '"');
    g_free(valid);
}

/* Returns the server's label, to be freed: that of others if there are too many. */
static char *
label_of_server(const struct metrics *metrics, const struct connection *connection)
{
    char *name = endpoint_text(connection_server(connection), connection->ipv6);
    GString *label = g_string_new(NULL);
    put_label(label, "server", name);
    g_free(name);
    if (g_hash_table_size(metrics->servers) >= SERVERS_MOST && !g_hash_table_contains(metrics->servers, label->str)) {
        g_string_truncate(label, 0);
        put_label(label, "server", OTHER);
    }
    return g_string_free(label, FALSE);
}

/* Takes the label. */
static struct server_counts *
counts_of(struct metrics *metrics, char *label)
{
    struct server_counts *counts = g_hash_table_lookup(metrics->servers, label);
    if (counts) {
        g_free(label);
        return counts;
    }
    counts = g_new0(struct server_counts, 1);
    g_hash_table_insert(metrics->servers, label, counts);
    return counts;
}

static unsigned
kind_of(const struct request *request, const char *operation)
{
    static const unsigned of_family[] = {
        [CONVENTION_NONE] = KIND_OTHER,          [CONVENTION_HTTP] = KIND_HTTP,
        [CONVENTION_SQL] = KIND_DATABASE,        [CONVENTION_DATABASE] = KIND_DATABASE,
        [CONVENTION_MESSAGING] = KIND_MESSAGING, [CONVENTION_DNS] = KIND_DNS,
    };
    return convention_is_grpc(request->protocol, operation) ? KIND_RPC
                                                            : of_family[convention_of(request->protocol)->family];
}

/* Writes what the status is of: "2xx" of HTTP, of others whether it is an error. */
static void
put_status(GString *labels, const struct request *request, const char *operation)
{
    const unsigned status = convention_http_status(request->protocol, operation, request->response.status);
    char class[] = "2xx";
    if (status)
        class[0] = (char)('0' + status / 100);
    put_label(labels, "status", status ? class : request_has_error(request) ? "error" : "ok");
}

/* Returns the request's series, or NULL if there are too many. `operation`: as a label. */
static struct histogram_of *
series_of(struct metrics *metrics, const struct request *request, const char *server, const char *operation,
          const char *shown)
{
    const unsigned kind = kind_of(request, operation);
    GString *labels = g_string_new(NULL);
    g_string_append_printf(labels, "%u%s,", kind, server);
    put_label(labels, "operation", shown);
    g_string_append_c(labels, ',');
    put_status(labels, request, operation);
    if (kind == KIND_DATABASE) {
        g_string_append_c(labels, ',');
        put_label(labels, "db_system_name", convention_of(request->protocol)->system);
    }
    struct histogram_of *series = g_hash_table_lookup(metrics->series, labels->str);
    const bool is_bounded = strcmp(shown, OTHER) == 0; /* a few for each server */
    if (!series && (is_bounded || g_hash_table_size(metrics->series) < SERIES_MOST)) {
        series = g_new0(struct histogram_of, 1);
        series->kind = kind;
        g_hash_table_insert(metrics->series, g_string_free(labels, FALSE), series);
        return series;
    }
    g_string_free(labels, TRUE);
    return series;
}

static void
observe(struct histogram_of *series, int64_t ns)
{
    const int64_t *limits_ns = kinds[series->kind].limits_ns;
    unsigned i = 0;
    while (i < LIMITS_MOST && limits_ns[i] && ns > limits_ns[i])
        i++;
    series->counts[i < LIMITS_MOST && limits_ns[i] ? i : LIMITS_MOST]++;
    wide_add_int(&series->sum_ns, ns);
}

static void
count(void *data, const struct ended *ended)
{
    struct metrics *metrics = data;
    const struct request *request = ended->request;
    const struct measured *measured = &ended->measured;
    char shown[OPERATION_ROOM] = "";
    g_mutex_lock(&metrics->lock);
    char *server = label_of_server(metrics, request->connection);
    struct server_counts *counts = counts_of(metrics, g_strdup(server));
    counts->counts[COUNTER_REQUESTS]++;
    counts->counts[COUNTER_ERRORS] += measured->answered && measured->failed;
    counts->counts[COUNTER_UNANSWERED] += !measured->answered;
    if (measured->answered && measured->wait != WAIT_FOR_EVENT) {
        if (*ended->operation)
            operation_kind(ended->operation, request->protocol, true, shown);
        struct histogram_of *series = series_of(metrics, request, server, ended->operation, shown);
        if (!series)
            series = series_of(metrics, request, server, ended->operation, OTHER);
        observe(series, measured_wait_ns(measured));
    }
    g_mutex_unlock(&metrics->lock);
    g_free(server);
}

/* Counts an attempt to connect with its SYN, and what became of it with the first answer. */
static void
take_attempt(struct metrics *metrics, const struct item *item, uint32_t frame)
{
    const struct connect *connect = &item->connection->tcp->connect;
    const bool begins = item->kind == ITEM_SYN,
               is_answered = item->kind == ITEM_ANSWER && connect->answer_frame == frame;
    if (!begins && !is_answered)
        return;
    struct server_counts *counts = counts_of(metrics, label_of_server(metrics, item->connection));
    if (begins)
        counts->counts[COUNTER_ATTEMPTS]++;
    else
        counts->counts[connect->result == CONNECT_ACCEPTED ? COUNTER_ACCEPTED : COUNTER_REFUSED]++;
}

static void
take_item(void *data, const struct item *item, uint32_t frame)
{
    struct metrics *metrics = data;
    g_mutex_lock(&metrics->lock);
    if (item_payload(item) && (item->flags & ITEM_RETRANSMISSION))
        counts_of(metrics, label_of_server(metrics, item_payload(item)))->counts[COUNTER_RETRANSMISSIONS]++;
    if (item_attempt(item))
        take_attempt(metrics, item, item_frame(item, frame));
    g_mutex_unlock(&metrics->lock);
}

/* Appends a time in seconds. */
static void
put_seconds(GString *text, int64_t ns)
{
    enum { NS_PER_S = 1000000000 };
    g_string_append_printf(text, "%" PRId64 ".%09d", ns / NS_PER_S, (int)(ns % NS_PER_S));
}

static int
compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Returns the keys in their order, to be freed with g_list_free(). */
static GList *
sorted_keys(GHashTable *table)
{
    return g_list_sort(g_hash_table_get_keys(table), compare_keys);
}

static void
put_histogram(GString *text, const char *labels, const struct histogram_of *series)
{
    const struct kind *kind = &kinds[series->kind];
    uint64_t count = 0;
    for (unsigned i = 0; i < LIMITS_MOST && kind->limits_ns[i]; i++) {
        count += series->counts[i];
        g_string_append_printf(text, "%s_bucket{%s,le=\"%g\"} %" PRIu64 "\n", kind->name, labels,
                               (double)kind->limits_ns[i] / 1e9, count);
    }
    count += series->counts[LIMITS_MOST];
    g_string_append_printf(text, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n%s_sum{%s} ", kind->name, labels, count,
                           kind->name, labels);
    put_seconds(text, wide_clip(series->sum_ns));
    g_string_append_printf(text, "\n%s_count{%s} %" PRIu64 "\n", kind->name, labels, count);
}

static void
put_head(GString *text, const char *name, const char *help, const char *type)
{
    g_string_append_printf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Returns the metrics as text, to be freed. Of what has not been seen there is nothing. */
static GString *
text_of(void *data)
{
    static const struct {
        const char *name, *help;
    } counters[] = {
#define COUNTER(counter, name, help) { name, help },
        COUNTER_LIST(COUNTER)
#undef COUNTER
    };
    struct metrics *metrics = data;
    GString *text = g_string_new("# wireshark-latency " LATENCY_VERSION "\n");
    g_mutex_lock(&metrics->lock);
    GList *series = sorted_keys(metrics->series), *servers = sorted_keys(metrics->servers);
    const char *kind = "";
    for (const GList *each = series; each; each = each->next) {
        const struct histogram_of *histogram = g_hash_table_lookup(metrics->series, each->data);
        const struct kind *of = &kinds[histogram->kind];
        if (kind != of->name)
            put_head(text, of->name, of->help, "histogram");
        kind = of->name;
        put_histogram(text, (const char *)each->data + 1, histogram);
    }
    for (unsigned i = 0; servers && i < COUNTERS; i++) {
        put_head(text, counters[i].name, counters[i].help, "counter");
        for (const GList *each = servers; each; each = each->next) {
            const struct server_counts *counts = g_hash_table_lookup(metrics->servers, each->data);
            g_string_append_printf(text, "%s{%s} %" PRIu64 "\n", counters[i].name, (const char *)each->data,
                                   counts->counts[i]);
        }
    }
    g_mutex_unlock(&metrics->lock);
    g_list_free(series);
    g_list_free(servers);
    return text;
}

struct metrics *
metrics_new(const char *path, const char *address)
{
    struct metrics *metrics = g_new0(struct metrics, 1);
    metrics->path = g_strdup(path);
    metrics->address = g_strdup(address);
    metrics->series = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    metrics->servers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_mutex_init(&metrics->lock);
    return metrics;
}

void
metrics_free(struct metrics *metrics)
{
    g_hash_table_destroy(metrics->series);
    g_hash_table_destroy(metrics->servers);
    g_mutex_clear(&metrics->lock);
    g_free(metrics->path);
    g_free(metrics->address);
    g_free(metrics);
}

bool
metrics_check(const struct metrics *metrics, char *const *captures)
{
    char *refused =
        metrics->path ? output_check(metrics->path, OUTPUT_METRICS, captures, g_strv_length((char **)captures)) : NULL;
    if (refused)
        say("%s", refused);
    g_free(refused);
    return !refused;
}

bool
metrics_begin(struct metrics *metrics, struct scan *scan)
{
    metrics->source = scan_source(scan);
    if (metrics->address) {
        char *wrong = NULL;
        metrics->server = metrics_server_new(metrics->address, text_of, metrics, &wrong);
        if (!metrics->server) {
            say("%s", wrong);
            g_free(wrong);
            return false;
        }
    }
    metrics->ended =
        ended_requests_new(scan, &(struct ended_listener){ .data = metrics, .ended = count, .item = take_item });
    return true;
}

bool
metrics_write(struct metrics *metrics)
{
    if (!metrics->path || metrics->failed)
        return !metrics->failed;
    struct output_file *file = output_file_open(metrics->path, OUTPUT_METRICS);
    int error = file ? 0 : errno;
    if (file) {
        GString *text = text_of(metrics);
        FILE *stream = output_file_stream(file);
        errno = 0;
        error = fwrite(text->str, 1, text->len, stream) < text->len || fflush(stream) != 0 ? errno : 0;
        g_string_free(text, TRUE);
        if (error)
            output_file_abort(file);
        else
            error = output_file_commit(file);
    }
    metrics->failed = error != 0;
    if (error)
        say("\"%s\" cannot be written: %s. No more metrics are written.", metrics->path, g_strerror(error));
    return !error;
}

bool
metrics_finish(struct metrics *metrics)
{
    ended_requests_finish(metrics->ended);
    return metrics_write(metrics);
}

void
metrics_end(struct metrics *metrics)
{
    if (metrics->server)
        metrics_server_free(metrics->server);
    metrics->server = NULL;
    ended_requests_free(metrics->ended);
    metrics->ended = NULL;
}
