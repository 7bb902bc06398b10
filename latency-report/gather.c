/* gather.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "gather.h"

#include <math.h>
#include <string.h>

#include "heap.h"
#include "wanted.h"

enum { NS_PER_MS = 1000000 };

/* As long as there are no more of them than MOMENTS_MOST: 1, 2 or 5 times a power of ten. */
static int64_t
moment_of(int64_t duration_ns)
{
    static const int64_t steps[] = { 1, 2, 5 };
    for (int64_t unit = NS_PER_MS; unit < INT64_MAX / 100; unit *= 10)
        for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++)
            if (duration_ns / (steps[i] * unit) < MOMENTS_MOST)
                return steps[i] * unit;
    return INT64_MAX;
}

static void
free_gathered(void *data)
{
    struct gathered *gathered = data;
    tally_clear(&gathered->tally);
    if (gathered->times)
        g_array_free(gathered->times, TRUE);
    g_free(gathered->server);
    g_free(gathered->kind);
    g_free(gathered);
}

static void
free_attempted(void *data)
{
    g_free(((struct attempted *)data)->server);
    g_free(data);
}

static void
free_sent(void *data)
{
    g_free(((struct sent *)data)->sender);
    g_free(((struct sent *)data)->server);
    g_free(data);
}

struct gathering *
gathering_new(int64_t first_ns, int64_t last_ns)
{
    struct gathering *gathering = g_new0(struct gathering, 1);
    gathering->first_ns = first_ns;
    gathering->last_ns = last_ns;
    gathering->moment_ns = moment_of(last_ns - first_ns);
    gathering->n_moments = (unsigned)((last_ns - first_ns) / gathering->moment_ns) + 1;
    gathering->moments = g_new0(struct moment, gathering->n_moments);
    gathering->servers = g_ptr_array_new_with_free_func(free_gathered);
    gathering->operations = g_ptr_array_new_with_free_func(free_gathered);
    gathering->attempted = g_ptr_array_new_with_free_func(free_attempted);
    gathering->sent = g_ptr_array_new_with_free_func(free_sent);
    gathering->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gathering->slowest = heap_new();
    return gathering;
}

void
gathering_free(struct gathering *gathering)
{
    g_free(gathering->moments);
    g_ptr_array_free(gathering->servers, TRUE);
    g_ptr_array_free(gathering->operations, TRUE);
    g_ptr_array_free(gathering->attempted, TRUE);
    g_ptr_array_free(gathering->sent, TRUE);
    g_hash_table_destroy(gathering->by_name);
    g_ptr_array_free(gathering->slowest, TRUE);
    g_free(gathering);
}

unsigned
gathering_bucket(int64_t ns)
{
    return ns < 1 ? 0 : MIN((unsigned)(log10((double)ns) * BUCKETS_OF_TEN), BUCKETS - 1);
}

double
gathering_bucket_start(unsigned bucket)
{
    return pow(10, (double)bucket / BUCKETS_OF_TEN);
}

static struct gathered *
gathered_at(struct gathering *gathering, GPtrArray *all, const char *server, const struct member *kind)
{
    char *name = g_strdup_printf("%c %s %.*s", kind ? 'o' : 's', server, kind ? (int)kind->length : 0,
                                 kind && kind->length ? kind->value : "");
    struct gathered *gathered = g_hash_table_lookup(gathering->by_name, name);
    if (gathered) {
        g_free(name);
        return gathered;
    }
    gathered = g_new0(struct gathered, 1);
    gathered->server = g_strdup(server);
    gathered->kind = kind ? wanted_text(kind) : NULL;
    gathered->times = kind ? NULL : g_array_new(FALSE, FALSE, sizeof(int64_t));
    g_hash_table_insert(gathering->by_name, name, gathered);
    g_ptr_array_add(all, gathered);
    return gathered;
}

/* What a line "request" says. */
struct request_line {
    struct member number, client, client_port, server, server_port, operation, kind, frame, time, first_byte, service;
    struct member request_spread, server_time, last_byte, response_spread, error, status, bytes, outcome, framing;
};

static bool
is_error(const struct request_line *line)
{
    return line->error.length > 0 || member_equals(&line->outcome, "truncated");
}

/* It awaits no response: what ends a conversation. */
static bool
is_farewell(const struct request_line *line)
{
    return member_equals(&line->outcome, "closed by client");
}

static void
tally_line(struct gathered *gathered, const struct request_line *line)
{
    struct tally *tally = &gathered->tally;
    int64_t first_byte_ns = member_int(&line->first_byte);
    tally->requests++;
    tally->errors += is_error(line);
    tally->by_messages += !member_equals(&line->framing, "turns");
    tally->farewells += is_farewell(line);
    tally->response_bytes += (uint64_t)member_int(&line->bytes);
    if (line->first_byte.length == 0)
        return;
    sample_add(&tally->first_byte, first_byte_ns);
    if (gathered->times)
        g_array_append_val(gathered->times, first_byte_ns);
    tally->last_byte_ns += member_int(&line->last_byte);
    if (line->server_time.length == 0)
        return;
    tally->server_times++;
    tally->server_time_ns += member_int(&line->server_time);
}

static void
note_moment(struct gathering *gathering, const struct request_line *line)
{
    int64_t since_ns = CLAMP(member_int(&line->time), gathering->first_ns, gathering->last_ns) - gathering->first_ns;
    struct moment *moment = &gathering->moments[since_ns / gathering->moment_ns];
    moment->requests++;
    moment->errors += is_error(line);
    moment->bytes += (uint64_t)member_int(&line->bytes);
    if (line->first_byte.length)
        moment->buckets[gathering_bucket(member_int(&line->first_byte))]++;
    else
        moment->unanswered += !is_farewell(line);
}

static int64_t
time_or_none(const struct member *member)
{
    return member->length ? member_int(member) : -1;
}

static void
note_slow(struct gathering *gathering, const struct request_line *line, const char *server)
{
    int64_t first_byte_ns = time_or_none(&line->first_byte);
    if (first_byte_ns < 0 || !heap_wants(gathering->slowest, first_byte_ns))
        return;
    struct slow_request *slow = g_new(struct slow_request, 1);
    *slow = (struct slow_request){
        .time_ns = member_int(&line->time),
        .first_byte_ns = first_byte_ns,
        .service_ns = member_int(&line->service),
        .server_time_ns = time_or_none(&line->server_time),
        .request_spread_ns = member_int(&line->request_spread),
        .response_spread_ns = member_int(&line->response_spread),
        .file = gathering->file,
        .number = (uint32_t)member_int(&line->number),
        .frame = (uint32_t)member_int(&line->frame),
        .client = wanted_endpoint(&line->client, &line->client_port),
        .server = g_strdup(server),
        .operation = wanted_text(&line->operation),
        .status = wanted_text(line->error.length ? &line->error : &line->status),
        .outcome = wanted_text(&line->outcome),
    };
    heap_add(gathering->slowest, slow);
}

static void
take_request(struct gathering *gathering, const char *text)
{
    struct request_line line = { 0 };
    const struct wanted wanted[] = {
        { "number", &line.number },
        { "client", &line.client },
        { "client_port", &line.client_port },
        { "server", &line.server },
        { "server_port", &line.server_port },
        { "operation", &line.operation },
        { "kind", &line.kind },
        { "framing", &line.framing },
        { "request_frame", &line.frame },
        { "request_time", &line.time },
        { "first_byte", &line.first_byte },
        { "service", &line.service },
        { "request_spread", &line.request_spread },
        { "server_time", &line.server_time },
        { "last_byte", &line.last_byte },
        { "response_spread", &line.response_spread },
        { "error", &line.error },
        { "status", &line.status },
        { "response_bytes", &line.bytes },
        { "outcome", &line.outcome },
    };
    wanted_read(text, wanted, G_N_ELEMENTS(wanted));
    char *server = wanted_endpoint(&line.server, &line.server_port);
    tally_line(gathered_at(gathering, gathering->servers, server, NULL), &line);
    tally_line(gathered_at(gathering, gathering->operations, server, &line.kind), &line);
    note_moment(gathering, &line);
    note_slow(gathering, &line, server);
    g_free(server);
}

static void
take_connections(struct gathering *gathering, const char *text)
{
    struct member server = { 0 }, port = { 0 }, attempts = { 0 }, accepted = { 0 }, refused = { 0 };
    struct member unreachable = { 0 }, unanswered = { 0 };
    const struct wanted wanted[] = {
        { "server", &server },           { "server_port", &port },  { "attempts", &attempts },
        { "unanswered", &unanswered },   { "accepted", &accepted }, { "refused", &refused },
        { "unreachable", &unreachable },
    };
    wanted_read(text, wanted, G_N_ELEMENTS(wanted));
    char *endpoint = wanted_endpoint(&server, &port), *name = g_strdup_printf("a %s", endpoint);
    struct attempted *attempted = g_hash_table_lookup(gathering->by_name, name);
    if (!attempted) {
        attempted = g_new0(struct attempted, 1);
        attempted->server = g_strdup(endpoint);
        g_ptr_array_add(gathering->attempted, attempted);
        g_hash_table_insert(gathering->by_name, g_strdup(name), attempted);
    }
    attempted->attempts += (uint64_t)member_int(&attempts);
    attempted->accepted += (uint64_t)member_int(&accepted);
    attempted->refused += (uint64_t)member_int(&refused);
    attempted->unreachable += (uint64_t)member_int(&unreachable);
    attempted->unanswered += (uint64_t)member_int(&unanswered);
    g_free(endpoint);
    g_free(name);
}

static void
take_sender(struct gathering *gathering, const char *text)
{
    struct member sender = { 0 }, server = { 0 }, port = { 0 }, frames = { 0 }, gaps = { 0 };
    struct member out_of_order = { 0 }, retransmitted = { 0 };
    const struct wanted wanted[] = {
        { "sender", &sender },
        { "server", &server },
        { "server_port", &port },
        { "payload_frames", &frames },
        { "gaps", &gaps },
        { "out_of_order", &out_of_order },
        { "retransmitted", &retransmitted },
    };
    wanted_read(text, wanted, G_N_ELEMENTS(wanted));
    char *host = wanted_text(&sender), *endpoint = wanted_endpoint(&server, &port);
    char *name = g_strdup_printf("p %s %s", host, endpoint);
    struct sent *sent = g_hash_table_lookup(gathering->by_name, name);
    if (!sent) {
        sent = g_new0(struct sent, 1);
        sent->sender = g_strdup(host);
        sent->server = g_strdup(endpoint);
        g_ptr_array_add(gathering->sent, sent);
        g_hash_table_insert(gathering->by_name, g_strdup(name), sent);
    }
    sent->frames += (uint64_t)member_int(&frames);
    sent->gaps += (uint64_t)member_int(&gaps);
    sent->out_of_order += (uint64_t)member_int(&out_of_order);
    sent->retransmitted += (uint64_t)member_int(&retransmitted);
    g_free(host);
    g_free(endpoint);
    g_free(name);
}

void
gathering_take(struct gathering *gathering, const char *line)
{
    static const struct {
        const char *begins;
        void (*take)(struct gathering *gathering, const char *text);
    } types[] = {
        { "{\"type\":\"request\",", take_request },
        { "{\"type\":\"connections\",", take_connections },
        { "{\"type\":\"sender\",", take_sender },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++)
        if (g_str_has_prefix(line, types[i].begins))
            types[i].take(gathering, line);
}
