/* test-datagrams.c
 * DNS over UDP: which answer belongs to which query, on networks that lose, repeat and reorder, and for how long and
 * how many are awaited.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/analysis.h"
#include "core/protocol/dns/dns_datagram.h"
#include "unit.h"

#define NS_PER_MS INT64_C(1000000)

enum { CLIENT = 1, SERVER = 2, MESSAGE_MOST = 300, HEADER_BYTES = 12 };
enum {
    RESPONSE = 0x8000,
    TRUNCATED = 0x0200,
    RECURSION = 0x0100,
    SERVFAIL = 2,
    NXDOMAIN = 3,
    TYPE_A = 1,
    TYPE_AAAA = 28
};

struct table {
    wmem_allocator_t *scope;
    struct settings settings;
    struct analysis *analysis;
    uint32_t frame;
};

/* What is asked, and by whom. */
struct query {
    const char *name;
    uint16_t port, id, type;
};

static enum port_kind
plain(uint16_t port G_GNUC_UNUSED)
{
    return PORT_PLAIN;
}

static void
open_table(struct table *table, bool keep)
{
    *table = (struct table){ .scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK), .settings.port_kind = plain };
    table->analysis = analysis_new(table->scope, &table->settings);
    items_set_keep(table->analysis->items, keep);
}

static void
close_table(struct table *table)
{
    analysis_free(table->analysis);
    wmem_destroy_allocator(table->scope);
}

static size_t
write_message(const struct query *query, uint16_t flags, uint8_t *bytes)
{
    const uint8_t header[HEADER_BYTES] = {
        (uint8_t)(query->id >> 8), (uint8_t)query->id, (uint8_t)(flags >> 8), (uint8_t)flags, 0, 1
    };
    const size_t length = strlen(query->name);
    size_t at = sizeof header;
    memcpy(bytes, header, sizeof header);
    bytes[at++] = (uint8_t)length;
    memcpy(bytes + at, query->name, length);
    at += length;
    const uint8_t end[] = { 0, (uint8_t)(query->type >> 8), (uint8_t)query->type, 0, 1 };
    memcpy(bytes + at, end, sizeof end);
    return at + sizeof end;
}

static struct segment
segment_of(struct table *table, const struct query *query, bool asks, int64_t time_ns)
{
    struct segment segment = { .frame = ++table->frame, .time_ns = time_ns };
    struct endpoint *client = asks ? &segment.source : &segment.destination;
    struct endpoint *server = asks ? &segment.destination : &segment.source;
    *client = (struct endpoint){ .address = { 10, 0, 0, CLIENT }, .port = query->port };
    *server = (struct endpoint){ .address = { 10, 0, 0, SERVER }, .port = 53 };
    return segment;
}

/* False if it is none that is read. */
static bool
take(struct table *table, const struct segment *segment)
{
    struct datagram datagram;
    if (!dns_datagram_read(segment, &datagram))
        return false;
    analysis_take_datagram(table->analysis, &datagram);
    analysis_read_datagram(table->analysis, &datagram);
    return true;
}

static bool
send(struct table *table, const struct query *query, uint16_t flags, int64_t time_ns)
{
    uint8_t bytes[MESSAGE_MOST];
    struct segment segment = segment_of(table, query, !(flags & RESPONSE), time_ns);
    segment.captured_bytes = segment.payload_bytes = (uint32_t)write_message(query, flags, bytes);
    segment.payload = bytes;
    return take(table, &segment);
}

static const struct connection *
conversation(const struct table *table)
{
    return table->analysis->connection;
}

static const struct request *
request_number(const struct table *table, uint32_t number)
{
    g_assert_cmpuint(conversation(table)->n_requests, >=, number);
    return conversation(table)->requests[number - 1];
}

static void
assert_answered(const struct request *request, uint32_t attempts, int64_t first_byte_ns, const char *status)
{
    g_assert_cmpuint(request->response.first_frame, !=, 0);
    g_assert_cmpuint(request->attempts, ==, attempts);
    g_assert_cmpint(request_first_byte(request), ==, first_byte_ns);
    g_assert_cmpstr(request->response.status, ==, status);
}

static void
test_attempts(void)
{
    static const struct query query = { "a", 1000, 7, TYPE_A };
    struct table table;
    open_table(&table, true);
    send(&table, &query, RECURSION, 0);
    send(&table, &query, RECURSION, 1000 * NS_PER_MS);
    send(&table, &query, RECURSION, 3000 * NS_PER_MS);
    send(&table, &query, RESPONSE, 3010 * NS_PER_MS);
    send(&table, &query, RESPONSE, 3050 * NS_PER_MS); /* to the second one */
    g_assert_cmpuint(conversation(&table)->n_requests, ==, 1);
    assert_answered(request_number(&table, 1), 3, 3010 * NS_PER_MS, "NOERROR");
    g_assert_cmpstr(request_number(&table, 1)->operation, ==, "A a");
    g_assert_cmpuint(request_number(&table, 1)->retransmissions, ==, 3);
    g_assert_cmpuint(request_client(request_number(&table, 1)).port, ==, 1000);
    /* When it has been answered it is asked anew. */
    send(&table, &query, RECURSION, 4000 * NS_PER_MS);
    send(&table, &query, RESPONSE | SERVFAIL, 4005 * NS_PER_MS);
    g_assert_cmpuint(conversation(&table)->n_requests, ==, 2);
    assert_answered(request_number(&table, 2), 1, 5 * NS_PER_MS, "SERVFAIL");
    g_assert_true(request_has_error(request_number(&table, 2)));
    g_assert_false(request_has_error(request_number(&table, 1)));
    close_table(&table);
}

/* One id: of two ports, and of two questions; in letters of another case; truncated. */
static void
test_ids(void)
{
    static const struct query queries[] = {
        { "a", 1000, 7, TYPE_A }, { "a", 1001, 7, TYPE_A }, { "a", 1000, 7, TYPE_AAAA }, { "b", 1000, 7, TYPE_A }
    };
    static const struct query upper = { "B", 1000, 7, TYPE_A }, other = { "c", 1000, 7, TYPE_A };
    struct table table;
    open_table(&table, true);
    for (unsigned i = 0; i < G_N_ELEMENTS(queries); i++)
        send(&table, &queries[i], RECURSION, i * NS_PER_MS);
    send(&table, &other, RESPONSE, 50 * NS_PER_MS);
    send(&table, &upper, RESPONSE | TRUNCATED, 60 * NS_PER_MS);
    send(&table, &queries[2], RESPONSE | NXDOMAIN, 70 * NS_PER_MS);
    send(&table, &queries[1], RESPONSE, 80 * NS_PER_MS);
    g_assert_cmpuint(conversation(&table)->n_requests, ==, 4);
    g_assert_cmpuint(request_number(&table, 1)->response.first_frame, ==, 0);
    assert_answered(request_number(&table, 2), 1, 79 * NS_PER_MS, "NOERROR");
    assert_answered(request_number(&table, 3), 1, 68 * NS_PER_MS, "NXDOMAIN");
    assert_answered(request_number(&table, 4), 1, 57 * NS_PER_MS, "truncated");
    close_table(&table);
}

static void
test_without_question(void)
{
    static const struct query first = { "a", 1000, 7, TYPE_A }, second = { "b", 1000, 8, TYPE_A },
                              third = { "c", 1000, 8, TYPE_A };
    struct table table;
    open_table(&table, true);
    send(&table, &first, RECURSION, 0);
    send(&table, &second, RECURSION, NS_PER_MS);
    send(&table, &third, RECURSION, 2 * NS_PER_MS);
    for (unsigned id = 7; id <= 8; id++) {
        const uint8_t bytes[HEADER_BYTES] = { 0, (uint8_t)id, 0x80, 1 };
        struct segment segment = segment_of(&table, &first, false, 5 * NS_PER_MS);
        segment.payload = bytes;
        segment.captured_bytes = segment.payload_bytes = sizeof bytes;
        g_assert_true(take(&table, &segment));
    }
    assert_answered(request_number(&table, 1), 1, 5 * NS_PER_MS, "FORMERR");
    /* Whose the other is cannot be told. */
    g_assert_cmpuint(request_number(&table, 2)->response.first_frame, ==, 0);
    g_assert_cmpuint(request_number(&table, 3)->response.first_frame, ==, 0);
    close_table(&table);
}

static void
test_wait(void)
{
    static const struct query query = { "a", 1000, 7, TYPE_A }, next = { "b", 1000, 8, TYPE_A };
    const int64_t late_ns = DATAGRAM_WAIT_NS + NS_PER_MS;
    struct table table;
    open_table(&table, true);
    send(&table, &query, RECURSION, 0);
    send(&table, &query, RESPONSE, late_ns);
    g_assert_cmpint(request_outcome(&table.analysis->requests, request_number(&table, 1)), ==, OUTCOME_TIMED_OUT);
    /* Tried again and again it is another one at last. */
    const int64_t begin_ns = 2 * late_ns, step_ns = DATAGRAM_WAIT_NS / 2;
    for (int64_t since_ns = 0; since_ns <= DATAGRAM_TRIES_NS + step_ns; since_ns += step_ns)
        send(&table, &query, RECURSION, begin_ns + since_ns);
    g_assert_cmpuint(conversation(&table)->n_requests, ==, 3);
    g_assert_cmpuint(request_number(&table, 2)->attempts, ==, DATAGRAM_TRIES_NS / step_ns + 1);
    send(&table, &next, RECURSION, begin_ns + 10 * DATAGRAM_WAIT_NS);
    g_assert_true(request_number(&table, 3)->ending == ENDING_TIMED_OUT);
    g_assert_cmpuint(table.analysis->datagrams.outstanding.length, ==, 1);
    close_table(&table);
}

static void
test_outstanding(void)
{
    enum { MORE = 1000 };
    struct table table;
    open_table(&table, true);
    for (uint32_t i = 0; i < DATAGRAMS_OUTSTANDING + MORE; i++) {
        const struct query query = { "a", (uint16_t)(1024 + (i >> 16)), (uint16_t)i, TYPE_A };
        send(&table, &query, RECURSION, i);
        g_assert_cmpuint(table.analysis->requests.waiting.heads.count, <=, DATAGRAMS_OUTSTANDING);
    }
    g_assert_cmpuint(table.analysis->datagrams.outstanding.length, ==, DATAGRAMS_OUTSTANDING);
    g_assert_cmpint(request_outcome(&table.analysis->requests, request_number(&table, MORE)), ==, OUTCOME_LOST);
    g_assert_cmpint(request_outcome(&table.analysis->requests, request_number(&table, MORE + 1)), ==, OUTCOME_WAITING);
    close_table(&table);
}

/* Where frames are not kept, records are used again. */
static void
test_forgotten(void)
{
    enum { QUERIES = 100000 };
    struct table table;
    open_table(&table, false);
    for (uint32_t i = 0; i < QUERIES; i++) {
        const struct query query = { "a", (uint16_t)(1024 + i % 50000), (uint16_t)i, TYPE_A };
        send(&table, &query, RECURSION, (int64_t)i * NS_PER_MS);
        if (i % 1000 != 0)
            send(&table, &query, RESPONSE, (int64_t)i * NS_PER_MS + 10);
    }
    /* As many as may begin within the time that one is awaited. */
    g_assert_cmpuint(table.analysis->requests.records.count, <, DATAGRAM_WAIT_NS / NS_PER_MS + 2 * DATAGRAMS_RECENT);
    close_table(&table);
}

static void
test_refused(void)
{
    static const struct query query = { "a", 1000, 7, TYPE_A };
    uint8_t bytes[MESSAGE_MOST];
    struct datagram quoted;
    struct table table;
    open_table(&table, true);
    send(&table, &query, RECURSION, 0);
    const struct request *request = request_number(&table, 1);
    struct segment segment = segment_of(&table, &query, true, NS_PER_MS);
    segment.captured_bytes = segment.payload_bytes = (uint32_t)write_message(&query, RECURSION, bytes);
    segment.payload = bytes;
    g_assert_true(dns_datagram_read(&segment, &quoted));
    g_assert_true(analysis_take_quoted_datagram(table.analysis, &quoted) == request->connection);
    analysis_read_quoted_datagram(table.analysis, &quoted);
    g_assert_cmpint(request_outcome(&table.analysis->requests, request), ==, OUTCOME_REFUSED);
    send(&table, &query, RECURSION, 1000 * NS_PER_MS);
    g_assert_cmpint(request_outcome(&table.analysis->requests, request), ==, OUTCOME_WAITING);
    send(&table, &query, RESPONSE, 1001 * NS_PER_MS);
    assert_answered(request, 2, 1001 * NS_PER_MS, "NOERROR");
    close_table(&table);
}

static void
test_multicast(void)
{
    static const struct query query = { "a", 1000, 7, TYPE_A };
    static const struct endpoint group = { .address = { 224, 0, 0, 251 }, .port = 5353 };
    uint8_t bytes[MESSAGE_MOST];
    struct table table;
    open_table(&table, true);
    struct segment asks = segment_of(&table, &query, true, 0);
    asks.destination = group;
    asks.captured_bytes = asks.payload_bytes = (uint32_t)write_message(&query, 0, bytes);
    asks.payload = bytes;
    g_assert_true(take(&table, &asks));
    struct segment answers = segment_of(&table, &query, false, NS_PER_MS);
    answers.source.port = 5353;
    answers.captured_bytes = answers.payload_bytes = (uint32_t)write_message(&query, RESPONSE, bytes);
    answers.payload = bytes;
    g_assert_true(take(&table, &answers));
    assert_answered(request_number(&table, 1), 1, NS_PER_MS, "NOERROR");
    /* What mDNS says to all is no request, and no answer. */
    asks.source.port = 5353;
    g_assert_false(take(&table, &asks));
    answers.destination = group;
    g_assert_false(take(&table, &answers));
    close_table(&table);
}

/* Every cut of a message is read, or none, and never beyond its end; cut ones are paired by their ids. */
static void
test_cut(void)
{
    static const struct query query = { "example", 1000, 7, TYPE_A };
    uint8_t bytes[MESSAGE_MOST];
    const uint32_t length = (uint32_t)write_message(&query, RECURSION, bytes);
    for (uint32_t captured = 0; captured < length; captured++) {
        struct table table;
        open_table(&table, true);
        for (unsigned answers = 0; answers < 2; answers++) {
            uint8_t *part = g_malloc(captured ? captured : 1);
            write_message(&query, answers ? RESPONSE : RECURSION, bytes);
            memcpy(part, bytes, captured);
            struct segment segment = segment_of(&table, &query, !answers, answers * NS_PER_MS);
            segment.payload = part;
            segment.captured_bytes = captured;
            segment.payload_bytes = length;
            g_assert_true(take(&table, &segment) == (captured >= HEADER_BYTES));
            g_free(part);
        }
        if (captured >= HEADER_BYTES) {
            assert_answered(request_number(&table, 1), 1, NS_PER_MS, "NOERROR");
            g_assert_true(request_number(&table, 1)->cut);
        }
        close_table(&table);
    }
}

/* Of a simulated client: what it asks for, and what it sees. */
struct lookup_log {
    struct query query;
    int64_t sent_ns, answered_ns; /* 0: not answered */
    uint32_t attempts;
};

struct sent {
    int64_t time_ns;
    struct lookup_log *of;
    bool answers;
};

static int
by_time(const void *a, const void *b)
{
    const struct sent *first = a, *second = b;
    return (first->time_ns > second->time_ns) - (first->time_ns < second->time_ns);
}

/* The capture stands at the client: what is lost on the way there is not in it, what is lost on the way back neither.
 * Answers may overtake each other, and come twice. */
static void
simulate(GRand *random, struct lookup_log *log, GArray *events)
{
    enum { TRIES = 4, TIMEOUT_MS = 400 };
    for (log->attempts = 0; log->attempts < TRIES && !log->answered_ns; log->attempts++) {
        const int64_t asked_ns = log->sent_ns + (int64_t)log->attempts * TIMEOUT_MS * NS_PER_MS;
        const struct sent asks = { asked_ns, log, false };
        g_array_append_val(events, asks);
        for (unsigned copy = 0; copy < (g_rand_int_range(random, 0, 20) == 0 ? 2 : 1); copy++) {
            const int64_t delay_ns = g_rand_int_range(random, 50000, (int32_t)((TIMEOUT_MS - 1) * NS_PER_MS));
            const struct sent answers = { asked_ns + delay_ns, log, true };
            if (g_rand_int_range(random, 0, 10) == 0)
                continue;
            g_array_append_val(events, answers);
            if (!log->answered_ns || answers.time_ns < log->answered_ns)
                log->answered_ns = answers.time_ns;
        }
    }
}

/* Every query as its client saw it: its answer, its attempts, its time; and nothing else is a request. */
static void
test_network(void)
{
    enum { LOOKUPS = 400, SEEDS = 20 };
    static const char *const names[] = { "a", "b", "example" };
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        GRand *random = g_rand_new_with_seed(seed);
        GArray *events = g_array_new(FALSE, FALSE, sizeof(struct sent));
        static struct lookup_log logs[LOOKUPS];
        struct table table;
        open_table(&table, true);
        for (unsigned i = 0; i < LOOKUPS; i++) {
            /* Few ids of many ports: what tells two that go at once from each other is often the port, or the question.
             */
            logs[i] = (struct lookup_log){
                .query = { names[i % 3], (uint16_t)(1000 + i / 30), (uint16_t)(i % 5), i % 2 ? TYPE_A : TYPE_AAAA },
                .sent_ns = (int64_t)(i + 1) * 60 * NS_PER_MS + g_rand_int_range(random, 0, (int32_t)NS_PER_MS),
            };
            /* i % 30 are all different: another one of this port and id asks something else. */
            simulate(random, &logs[i], events);
        }
        g_array_sort(events, by_time);
        for (unsigned i = 0; i < events->len; i++) {
            const struct sent *event = &g_array_index(events, struct sent, i);
            send(&table, &event->of->query, event->answers ? RESPONSE : RECURSION, event->time_ns);
        }
        g_assert_cmpuint(conversation(&table)->n_requests, ==, LOOKUPS);
        for (unsigned i = 0; i < LOOKUPS; i++) {
            const struct request *request = request_number(&table, i + 1);
            g_assert_cmpint(request->first_ns, ==, logs[i].sent_ns);
            g_assert_cmpuint(request->attempts, ==, logs[i].attempts);
            g_assert_cmpint(request->response.first_frame ? request->response.first_ns : 0, ==, logs[i].answered_ns);
        }
        close_table(&table);
        g_array_free(events, TRUE);
        g_rand_free(random);
    }
}

void
datagrams_tests_add(void)
{
    g_test_add_func("/datagrams/attempts", test_attempts);
    g_test_add_func("/datagrams/ids", test_ids);
    g_test_add_func("/datagrams/without-question", test_without_question);
    g_test_add_func("/datagrams/wait", test_wait);
    g_test_add_func("/datagrams/outstanding", test_outstanding);
    g_test_add_func("/datagrams/forgotten", test_forgotten);
    g_test_add_func("/datagrams/refused", test_refused);
    g_test_add_func("/datagrams/multicast", test_multicast);
    g_test_add_func("/datagrams/cut", test_cut);
    g_test_add_func("/datagrams/network", test_network);
}
