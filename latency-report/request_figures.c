/* request_figures.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_figures.h"

#include <stdbool.h>

#include "core/protocol/tls/tls_handshake.h"
#include "json/line_kinds.h"
#include "table/names.h"

static void
clear_gathered(void *data)
{
    struct gathered *gathered = data;
    tally_clear(&gathered->tally);
    if (gathered->cells)
        g_array_free(gathered->cells, TRUE);
    g_free(gathered->stages);
}

static void
free_slow(void *data)
{
    struct slow_request *slow = data;
    g_free(slow->client);
    g_free(slow->server);
    g_free(slow->operation);
    g_free(slow->status);
    g_free(slow);
}

void
request_figures_init(struct request_figures *requests, int64_t first_ns, int64_t last_ns)
{
    time_axis_init(&requests->time, first_ns, last_ns);
    requests->servers = groups_new(sizeof(struct gathered), clear_gathered);
    requests->operations = groups_new(sizeof(struct gathered), clear_gathered);
    requests->hosts = groups_new(sizeof(struct host), NULL);
    requests->slowest = heap_new(free_slow);
    requests->lasting = nesting_new();
    requests->file = 0;
    requests->first = g_hash_table_new(NULL, NULL);
    call_links_init(&requests->links);
    call_map_init(&requests->map);
    requests->joined = g_ptr_array_new_with_free_func(g_free);
    requests->more_joined = 0;
    requests->waterfalls = waterfalls_new();
}

void
request_figures_clear(struct request_figures *requests)
{
    time_axis_clear(&requests->time);
    groups_free(requests->servers);
    groups_free(requests->operations);
    groups_free(requests->hosts);
    g_ptr_array_free(requests->slowest, TRUE);
    g_ptr_array_free(requests->lasting, TRUE);
    g_hash_table_destroy(requests->first);
    call_links_clear(&requests->links);
    call_map_clear(&requests->map);
    g_ptr_array_free(requests->joined, TRUE);
    g_ptr_array_free(requests->waterfalls, TRUE);
}

static bool
serves_in_file(void *data, uint32_t client)
{
    struct request_figures *requests = data;
    return ((const struct host *)groups_value(requests->hosts, client))->serves_in == requests->file + 1;
}

/* Adds which request caused which in the capture whose lines have been read. */
static void
end_capture(struct request_figures *requests)
{
    if (call_links_join(&requests->links)) {
        call_map_take(&requests->map, &requests->links, serves_in_file, requests);
        waterfalls_take(requests->waterfalls, &requests->links, requests->file);
    }
    call_links_begin(&requests->links);
}

void
request_figures_begin_file(struct request_figures *requests, unsigned file)
{
    end_capture(requests);
    requests->file = file;
    g_hash_table_remove_all(requests->first);
}

static void
note_moment(struct moment *moment, const struct request_line *line, const struct measured *measured)
{
    moment->requests++;
    moment->errors += measured->failed;
    moment->bytes += line->response_bytes;
    if (measured->answered && measured->wait == WAIT_FOR_LAST_BYTE)
        moment->buckets[time_axis_bucket(measured->last_byte_ns)]++;
    if (!measured->answered)
        moment->unanswered += !measured->farewell && !measured->waiting;
}

static void
note_stages(struct gathered *server, const struct request_figures *requests, unsigned moment,
            const struct member_stages *stages)
{
    if (stages->parts_ns[0] < 0)
        return;
    if (!server->stages)
        server->stages = g_new0(struct stage_sums, requests->time.n);
    struct stage_sums *sums = &server->stages[moment];
    sums->requests++;
    for (unsigned part = 0; part < PARTS; part++)
        wide_add_int(&sums->parts_ns[part], stages->parts_ns[part]);
}

static void
note_slow(struct request_figures *requests, const struct request_line *line, int64_t waited_ns)
{
    if (!heap_wants(requests->slowest, SLOWEST, waited_ns))
        return;
    struct slow_request *slow = g_new(struct slow_request, 1);
    *slow = (struct slow_request){
        .slow = { waited_ns, line->request_time },
        .first_byte_ns = line->first_byte,
        .service_ns = line->service,
        .server_time_ns = line->server_time,
        .request_spread_ns = line->request_spread,
        .transfer_ns = line->streaming ? -1 : line->transfer,
        .is_stream = line->streaming,
        .connect_ns = -1,
        .handshake_ns = -1,
        .stages = line->stages,
        .file = requests->file,
        .connection = line->connection,
        .number = line->number,
        .frame = line->request_frame,
        .client = endpoint_text(&line->client.endpoint, line->client.ipv6),
        .server = endpoint_text(&line->server.endpoint, line->server.ipv6),
        .operation = g_strdup(line->operation),
        .status = g_strdup(*line->error ? line->error : line->status),
        .outcome = outcome_name(line->outcome),
    };
    heap_add(requests->slowest, SLOWEST, &slow->slow);
}

static void
note_first(struct request_figures *requests, const struct request_line *line)
{
    void *connection = GUINT_TO_POINTER(line->connection), *before;
    bool known = g_hash_table_lookup_extended(requests->first, connection, NULL, &before);
    if (!known || line->number < GPOINTER_TO_UINT(before))
        g_hash_table_insert(requests->first, connection, GUINT_TO_POINTER(line->number));
}

static void
note_cell(struct gathered *operation, unsigned moment, int64_t duration_ns)
{
    G_STATIC_ASSERT(MOMENTS_MOST * BUCKETS <= UINT16_MAX);
    const uint16_t cell = (uint16_t)(moment * BUCKETS + time_axis_bucket(duration_ns));
    if (!operation->cells)
        operation->cells = g_array_new(FALSE, FALSE, sizeof cell);
    g_array_append_val(operation->cells, cell);
}

static unsigned
host_row(struct request_figures *requests, const struct member_endpoint *endpoint)
{
    struct group_key key = { .client = endpoint->endpoint, .kind = "", .ipv6 = endpoint->ipv6 };
    key.client.port = 0;
    return groups_row(requests->hosts, &key);
}

static void
note_hosts(struct request_figures *requests, const struct request_line *line, const struct measured *measured)
{
    struct host *server = groups_value(requests->hosts, host_row(requests, &line->server));
    struct host *client = groups_value(requests->hosts, host_row(requests, &line->client));
    server->serves = true;
    server->serves_in = requests->file + 1;
    if (measured->answered)
        wide_add_int(&client->waited_ns, measured_wait_ns(measured));
}

static void
note_asked(struct request_figures *requests, unsigned server, unsigned operation, const struct request_line *line,
           const struct measured *measured)
{
    struct asked asked = asked_of_line(line, measured);
    if (call_links_are_told(&requests->links))
        end_capture(requests);
    asked.server = server;
    asked.operation = operation;
    asked.client = host_row(requests, &line->client);
    call_links_take_request(&requests->links, &asked);
}

/* Times since 1970 are within 2^62. */
static void
note_lasting(struct request_figures *requests, struct gathered *operation, const struct request_line *line,
             const struct measured *measured)
{
    const int64_t lasted_ns = MIN(measured->last_byte_ns, INT64_C(1) << 61);
    nesting_take(requests->lasting, operation, &line->client.endpoint, &line->server.endpoint, line->request_time,
                 measured->answered ? line->request_time + lasted_ns : INT64_MAX,
                 measured->answered && measured->wait == WAIT_FOR_LAST_BYTE);
}

void
request_figures_take(struct request_figures *requests, struct record *record)
{
    struct request_line line;
    if (!line_read(record, &request_members, &line))
        return;
    const struct measured measured = request_line_measure(&line);
    if (measured.answered && (line.first_byte < 0 || line.last_byte < 0)) {
        record_note_wrong(record, line.first_byte < 0 ? "first_byte" : "last_byte");
        return;
    }
    const struct endpoint server = line.server.endpoint;
    const struct group_key key = { .server = server, .kind = "", .ipv6 = line.server.ipv6 };
    const struct group_key of_kind = { .server = server, .kind = line.kind, .ipv6 = line.server.ipv6 };
    const unsigned server_row = groups_row(requests->servers, &key), row = groups_row(requests->operations, &of_kind);
    struct gathered *gathered = groups_value(requests->servers, server_row),
                    *operation = groups_value(requests->operations, row);
    unsigned moment = time_axis_find(&requests->time, line.request_time);
    gathered->is_server = true;
    if (gathered->framing == PROTOCOL_TURNS)
        gathered->framing = (uint8_t)line.framing;
    tally_add(&gathered->tally, &measured);
    tally_add(&operation->tally, &measured);
    note_hosts(requests, &line, &measured);
    note_asked(requests, server_row, row, &line, &measured);
    note_lasting(requests, operation, &line, &measured);
    note_moment(&requests->time.moments[moment], &line, &measured);
    note_stages(gathered, requests, moment, &line.stages);
    if (measured.answered && measured.wait == WAIT_FOR_LAST_BYTE)
        note_cell(operation, moment, measured.last_byte_ns);
    if (measured.answered && measured.wait != WAIT_FOR_EVENT)
        note_slow(requests, &line, measured_wait_ns(&measured));
    note_first(requests, &line);
}

/* Notes how long a connection's attempt, and its handshake, took; -1 for the one that is not told now. */
static void
note_setup(struct request_figures *requests, uint32_t connection, int64_t connect_ns, int64_t handshake_ns)
{
    uint32_t first = GPOINTER_TO_UINT(g_hash_table_lookup(requests->first, GUINT_TO_POINTER(connection)));
    for (unsigned i = 0; i < requests->slowest->len; i++) {
        struct slow_request *slow = g_ptr_array_index(requests->slowest, i);
        if (slow->file != requests->file || slow->connection != connection || slow->number != first)
            continue;
        slow->connect_ns = connect_ns >= 0 ? connect_ns : slow->connect_ns;
        slow->handshake_ns = handshake_ns >= 0 ? handshake_ns : slow->handshake_ns;
    }
}

void
request_figures_take_attempt(struct request_figures *requests, struct record *record)
{
    struct attempt_line line;
    if (!line_read(record, &attempt_members, &line))
        return;
    if (line.result == CONNECT_ACCEPTED)
        note_setup(requests, line.connection, line.connect, -1);
    line_clear(&attempt_members, &line);
}

void
request_figures_take_handshake(struct request_figures *requests, struct record *record)
{
    struct handshake_line line;
    if (line_read(record, &handshake_members, &line) && line.result == TLS_COMPLETE)
        note_setup(requests, line.connection, -1, line.handshake);
}

void
request_figures_take_joined(struct request_figures *requests, struct record *record)
{
    struct capture_line line;
    if (!line_read(record, &capture_members, &line))
        return;
    while (line.joined.read.left > 0) {
        const char *joined = record_next_text(record, "joined", &line.joined.read);
        if (requests->joined->len < JOINS_SHOWN)
            g_ptr_array_add(requests->joined, g_strdup(joined));
        else
            requests->more_joined++;
    }
}

static wide
waited(const struct groups *groups, unsigned row)
{
    return tally_wait_ns(&((const struct gathered *)groups_value(groups, row))->tally);
}

static int
compare_waiting(const void *a, const void *b, void *groups)
{
    return wide_compare(waited(groups, *(const unsigned *)b), waited(groups, *(const unsigned *)a));
}

GArray *
gathered_in_order(struct groups *groups)
{
    unsigned n = groups_count(groups);
    GArray *order = g_array_sized_new(FALSE, FALSE, sizeof(unsigned), n);
    for (unsigned row = 0; row < n; row++)
        g_array_append_val(order, row);
    g_array_sort_with_data(order, compare_waiting, groups);
    return order;
}

/* Of several that it waits for, the one that took longer in all. */
static void
note_waits_for(void *outer, void *inner)
{
    struct gathered *waiting = outer;
    if (!waiting->waits_for || wide_compare(tally_wait_ns(&waiting->waits_for->tally),
                                            tally_wait_ns(&((const struct gathered *)inner)->tally)) < 0)
        waiting->waits_for = inner;
}

void
request_figures_take_call(struct request_figures *requests, struct record *record)
{
    call_links_take(&requests->links, record);
}

void
request_figures_finish(struct request_figures *requests)
{
    end_capture(requests);
    call_map_sort(&requests->map);
    heap_sort(requests->slowest);
    nesting_find(requests->lasting, note_waits_for);
}

wide
request_figures_outermost(const struct request_figures *requests)
{
    wide sum_ns = wide_of(0);
    for (unsigned row = 0; row < groups_count(requests->hosts); row++) {
        const struct host *host = groups_value(requests->hosts, row);
        if (!host->serves)
            wide_add(&sum_ns, host->waited_ns);
    }
    return sum_ns;
}
