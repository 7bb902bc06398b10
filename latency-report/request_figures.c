/* request_figures.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_figures.h"

#include <stdbool.h>

#include "wanted.h"

static void
free_gathered(void *data)
{
    struct gathered *gathered = data;
    tally_clear(&gathered->tally);
    if (gathered->times)
        g_array_free(gathered->times, TRUE);
    g_free(gathered->stages);
    g_free(gathered->server);
    g_free(gathered->kind);
    g_free(gathered);
}

static void
free_slow(void *data)
{
    struct slow_request *slow = data;
    g_free(slow->client);
    g_free(slow->server);
    g_free(slow->operation);
    g_free(slow->status);
    g_free(slow->outcome);
    g_free(slow);
}

void
request_figures_init(struct request_figures *requests, int64_t first_ns, int64_t last_ns)
{
    time_axis_init(&requests->time, first_ns, last_ns);
    requests->servers = g_ptr_array_new_with_free_func(free_gathered);
    requests->operations = g_ptr_array_new_with_free_func(free_gathered);
    requests->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    requests->slowest = heap_new(free_slow);
    requests->file = 0;
    requests->first = g_hash_table_new(NULL, NULL);
    requests->name = g_string_new(NULL);
}

void
request_figures_clear(struct request_figures *requests)
{
    time_axis_clear(&requests->time);
    g_ptr_array_free(requests->servers, TRUE);
    g_ptr_array_free(requests->operations, TRUE);
    g_hash_table_destroy(requests->by_name);
    g_ptr_array_free(requests->slowest, TRUE);
    g_hash_table_destroy(requests->first);
    g_string_free(requests->name, TRUE);
}

void
request_figures_begin_file(struct request_figures *requests, unsigned file)
{
    requests->file = file;
    g_hash_table_remove_all(requests->first);
}

/* What a line "request" says. */
struct request_line {
    struct member connection, number, client, client_port, server, server_port, operation, kind, framing, frame, time;
    struct member first_byte, service, request_spread, server_time, last_byte, response_spread, error, status, bytes;
    struct member outcome, stages;
};

static void
read_line(const char *text, struct request_line *line)
{
    const struct wanted wanted[] = {
        { "connection", &line->connection },
        { "number", &line->number },
        { "client", &line->client },
        { "client_port", &line->client_port },
        { "server", &line->server },
        { "server_port", &line->server_port },
        { "operation", &line->operation },
        { "kind", &line->kind },
        { "framing", &line->framing },
        { "request_frame", &line->frame },
        { "request_time", &line->time },
        { "first_byte", &line->first_byte },
        { "service", &line->service },
        { "request_spread", &line->request_spread },
        { "server_time", &line->server_time },
        { "last_byte", &line->last_byte },
        { "response_spread", &line->response_spread },
        { "error", &line->error },
        { "status", &line->status },
        { "response_bytes", &line->bytes },
        { "outcome", &line->outcome },
        { "stages", &line->stages },
    };
    wanted_read(text, wanted, G_N_ELEMENTS(wanted));
}

/* Names are looked up as they stand in the line: an operation's kind, NULL of a server. */
static struct gathered *
gathered_at(struct request_figures *requests, const struct request_line *line, const struct member *kind)
{
    GString *name = requests->name;
    g_string_truncate(name, 0);
    g_string_append_len(name, line->server.value, (gssize)line->server.length);
    g_string_append_c(name, ' ');
    g_string_append_len(name, line->server_port.value, (gssize)line->server_port.length);
    if (kind)
        g_string_append_c(name, ' ');
    if (kind)
        g_string_append_len(name, kind->value, (gssize)kind->length);
    struct gathered *gathered = g_hash_table_lookup(requests->by_name, name->str);
    if (gathered)
        return gathered;
    gathered = g_new0(struct gathered, 1);
    gathered->server = wanted_endpoint(&line->server, &line->server_port);
    gathered->kind = kind ? wanted_text(kind) : NULL;
    gathered->times = kind ? NULL : g_array_new(FALSE, FALSE, sizeof(int64_t));
    g_hash_table_insert(requests->by_name, g_strdup(name->str), gathered);
    g_ptr_array_add(kind ? requests->operations : requests->servers, gathered);
    return gathered;
}

static bool
is_error(const struct request_line *line)
{
    return line->error.length > 0 || member_equals(&line->outcome, outcome_name(OUTCOME_TRUNCATED));
}

/* It awaits no response: what ends a conversation. */
static bool
is_farewell(const struct request_line *line)
{
    return member_equals(&line->outcome, outcome_name(OUTCOME_CLOSED_BY_CLIENT));
}

/* Its response may still come. */
static bool
is_waiting(const struct request_line *line)
{
    return member_equals(&line->outcome, outcome_name(OUTCOME_WAITING));
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
    tally->waiting += is_waiting(line);
    tally->response_bytes += (uint64_t)member_int(&line->bytes);
    if (line->first_byte.length == 0)
        return;
    sample_add(&tally->first_byte, first_byte_ns);
    if (gathered->times)
        g_array_append_val(gathered->times, first_byte_ns);
    wide_add_int(&tally->last_byte_ns, member_int(&line->last_byte));
    if (line->server_time.length == 0)
        return;
    tally->server_times++;
    wide_add_int(&tally->server_time_ns, member_int(&line->server_time));
}

static void
note_moment(struct moment *moment, const struct request_line *line)
{
    moment->requests++;
    moment->errors += is_error(line);
    moment->bytes += (uint64_t)member_int(&line->bytes);
    if (line->first_byte.length)
        moment->buckets[time_axis_bucket(member_int(&line->first_byte))]++;
    else
        moment->unanswered += !is_farewell(line) && !is_waiting(line);
}

static void
note_stages(struct gathered *server, const struct request_figures *requests, unsigned moment,
            const struct member *stages)
{
    int64_t parts_ns[PARTS];
    if (!stages_read(stages, parts_ns))
        return;
    if (!server->stages)
        server->stages = g_new0(struct stage_sums, requests->time.n);
    stages_add(&server->stages[moment], parts_ns);
}

static int64_t
time_or_none(const struct member *member)
{
    return member->length ? member_int(member) : -1;
}

static void
note_slow(struct request_figures *requests, const struct request_line *line, const char *server)
{
    int64_t first_byte_ns = time_or_none(&line->first_byte);
    if (first_byte_ns < 0 || !heap_wants(requests->slowest, first_byte_ns))
        return;
    struct slow_request *slow = g_new(struct slow_request, 1);
    *slow = (struct slow_request){
        .slow = { first_byte_ns, member_int(&line->time) },
        .service_ns = member_int(&line->service),
        .server_time_ns = time_or_none(&line->server_time),
        .request_spread_ns = member_int(&line->request_spread),
        .response_spread_ns = member_int(&line->response_spread),
        .connect_ns = -1,
        .handshake_ns = -1,
        .file = requests->file,
        .connection = (uint32_t)member_int(&line->connection),
        .number = (uint32_t)member_int(&line->number),
        .frame = (uint32_t)member_int(&line->frame),
        .client = wanted_endpoint(&line->client, &line->client_port),
        .server = g_strdup(server),
        .operation = wanted_text(&line->operation),
        .status = wanted_text(line->error.length ? &line->error : &line->status),
        .outcome = wanted_text(&line->outcome),
    };
    stages_read(&line->stages, slow->stages_ns);
    heap_add(requests->slowest, &slow->slow);
}

static void
note_first(struct request_figures *requests, const struct request_line *line)
{
    void *connection = GUINT_TO_POINTER((uint32_t)member_int(&line->connection)), *before;
    uint32_t number = (uint32_t)member_int(&line->number);
    bool known = g_hash_table_lookup_extended(requests->first, connection, NULL, &before);
    if (!known || number < GPOINTER_TO_UINT(before))
        g_hash_table_insert(requests->first, connection, GUINT_TO_POINTER(number));
}

void
request_figures_take(struct request_figures *requests, const char *text)
{
    struct request_line line = { 0 };
    read_line(text, &line);
    struct gathered *server = gathered_at(requests, &line, NULL);
    unsigned moment = time_axis_find(&requests->time, member_int(&line.time));
    tally_line(server, &line);
    tally_line(gathered_at(requests, &line, &line.kind), &line);
    note_moment(&requests->time.moments[moment], &line);
    note_stages(server, requests, moment, &line.stages);
    note_slow(requests, &line, server->server);
    note_first(requests, &line);
}

void
request_figures_take_setup(struct request_figures *requests, const char *text)
{
    struct member connection = { 0 }, result = { 0 }, connect = { 0 }, handshake = { 0 };
    const struct wanted wanted[] = {
        { "connection", &connection }, { "result", &result }, { "connect", &connect }, { "handshake", &handshake }
    };
    wanted_read(text, wanted, G_N_ELEMENTS(wanted));
    bool known = member_equals(&result, "accepted") || member_equals(&result, "complete");
    uint32_t of = (uint32_t)member_int(&connection);
    uint32_t first = GPOINTER_TO_UINT(g_hash_table_lookup(requests->first, GUINT_TO_POINTER(of)));
    for (unsigned i = 0; known && i < requests->slowest->len; i++) {
        struct slow_request *slow = g_ptr_array_index(requests->slowest, i);
        if (slow->file != requests->file || slow->connection != of || slow->number != first)
            continue;
        slow->connect_ns = connect.length ? member_int(&connect) : slow->connect_ns;
        slow->handshake_ns = handshake.length ? member_int(&handshake) : slow->handshake_ns;
    }
}

static int
compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int
compare_waiting(const void *a, const void *b)
{
    const struct gathered *x = *(struct gathered *const *)a;
    const struct gathered *y = *(struct gathered *const *)b;
    return wide_compare(y->tally.first_byte.moments.sum, x->tally.first_byte.moments.sum);
}

void
request_figures_sort(struct request_figures *requests)
{
    for (unsigned i = 0; i < requests->servers->len; i++)
        g_array_sort(((struct gathered *)g_ptr_array_index(requests->servers, i))->times, compare_times);
    g_ptr_array_sort(requests->servers, compare_waiting);
    g_ptr_array_sort(requests->operations, compare_waiting);
    heap_sort(requests->slowest);
}
