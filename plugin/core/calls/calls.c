/* calls.c
 * Requests as they are taken, and what is said of them once their causes are told.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_host.h"

#include <string.h>

#include "same_hosts.h"
#include "../request/datagrams.h"
#include "../request/operation.h"

/* A power of two. */
enum { OPERATIONS_RECENT = 4096 };

struct operation_record {
    struct hashed hashed; /* by all that follows */
    uint32_t number;      /* from 0 */
    struct call_operation operation;
};

/* What was asked for of late, as a hash of it and of who was asked, and which operation that is. */
struct operation_memo {
    uint64_t hash;
    uint32_t number; /* of the operation's record; 0: nothing is here */
};

struct host_record {
    struct hashed hashed; /* by the address */
    struct endpoint address;
    bool ipv6;
    uint32_t number;
};

static struct host_record *
find_host(const struct calls *calls, const struct endpoint *address, bool ipv6, uint32_t hash)
{
    struct hashed *at = hashed_first(&calls->hosts, hash);
    for (; at; at = hashed_next(at)) {
        struct host_record *record = (struct host_record *)at;
        if (record->ipv6 == ipv6 && endpoint_equal(&record->address, address))
            return record;
    }
    return NULL;
}

/* Returns the number of the address, which is `number` if there is none yet: one more than there are, or that of
 * another address of its host. */
static uint32_t
put_host(struct calls *calls, const struct endpoint *end, bool ipv6, uint32_t number)
{
    struct endpoint address = *end;
    address.port = 0;
    const uint32_t hash = (uint32_t)hashed_bytes(calls->hosts.key, address.address, ADDRESS_BYTES);
    struct host_record *record = find_host(calls, &address, ipv6, hash);
    if (record)
        return record->number;
    record = wmem_new0(calls->scope, struct host_record);
    record->address = address;
    record->ipv6 = ipv6;
    record->number = number;
    hashed_add(&calls->hosts, &record->hashed, hash);
    if (number > calls->addresses.count) {
        struct call_address *first = pool_at(&calls->addresses, pool_add(&calls->addresses));
        *first = (struct call_address){ address, address_hash(address.address, ipv6), ipv6 };
    }
    return number;
}

static void
join_hosts(struct calls *calls)
{
    struct same_hosts same;
    g_free(same_hosts_read(calls->settings->same_hosts, &same));
    for (unsigned i = 0; i < same.n; i++)
        put_host(calls, &same.addresses[i].end, same.addresses[i].ipv6, same.addresses[i].host);
    same_hosts_clear(&same);
}

struct calls *
calls_new(const struct settings *settings)
{
    struct calls *calls = g_new0(struct calls, 1);
    calls->settings = settings;
    calls->scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    pool_init(&calls->records, calls->scope, sizeof(struct call));
    pool_init(&calls->connections, calls->scope, sizeof(struct call_connection));
    pool_init(&calls->operations, calls->scope, sizeof(struct operation_record));
    hashed_init(&calls->operations_by_key, calls->scope);
    hashed_init(&calls->hosts, calls->scope);
    pool_init(&calls->addresses, calls->scope, sizeof(struct call_address));
    calls->joins = g_array_new(FALSE, FALSE, sizeof(struct call_join));
    calls->memo = wmem_alloc0_array(calls->scope, struct operation_memo, OPERATIONS_RECENT);
    calls_threads_init(&calls->threads);
    calls_clocks_init(&calls->clocks, calls->scope);
    join_hosts(calls);
    return calls;
}

void
calls_free(struct calls *calls)
{
    if (!calls)
        return;
    calls_threads_clear(&calls->threads);
    g_free(calls->by_cause);
    g_array_free(calls->joins, TRUE);
    wmem_destroy_allocator(calls->scope);
    g_free(calls);
}

/* The record with this number, a zeroed one if there was none. */
static void *
record_at(struct pool *pool, uint32_t number)
{
    while (pool->count < number)
        pool_add(pool);
    return pool_at(pool, number);
}

static const struct call_connection *
take_connection(struct calls *calls, const struct connection *connection)
{
    struct call_connection *record = record_at(&calls->connections, connection->number);
    if (!record->from) {
        record->from = put_host(calls, connection_client(connection), connection->ipv6, calls->addresses.count + 1);
        record->to = put_host(calls, connection_server(connection), connection->ipv6, calls->addresses.count + 1);
        record->is_whole =
            connection->is_datagrams || connection->tcp->connect.syn_frame || connection->tcp->connect.syn_ack_frame;
    }
    record->has_gaps = connection->has_gaps;
    return record;
}

static uint64_t
hash_of_operation(uint64_t key, const struct call_operation *operation)
{
    const uint64_t kind = hashed_bytes(key, operation->kind, strlen(operation->kind));
    const uint64_t server = hashed_bytes(kind, operation->server.address, ADDRESS_BYTES);
    return hashed_mix(server, (uint64_t)operation->server.port << 8 | operation->framing | 1U << 31);
}

/* The number of the operation's record, or 0 if there is none. */
static uint32_t
find_operation(const struct calls *calls, const struct call_operation *key, uint32_t hash)
{
    for (struct hashed *at = hashed_first(&calls->operations_by_key, hash); at; at = hashed_next(at)) {
        const struct operation_record *record = (const struct operation_record *)at;
        const struct call_operation *operation = &record->operation;
        if (operation->framing == key->framing && operation->ipv6 == key->ipv6 &&
            endpoint_equal(&operation->server, &key->server) && strcmp(operation->kind, key->kind) == 0)
            return record->number + 1;
    }
    return 0;
}

/* The number of the request's operation's record, a new one if there is none. */
static uint32_t
put_operation(struct calls *calls, const struct request *request)
{
    char kind[OPERATION_ROOM];
    const enum protocol framing = request->protocol;
    struct call_operation key = {
        .server = *connection_server(request->connection),
        .kind = kind,
        .ipv6 = request->connection->ipv6,
        .framing = request->protocol,
    };
    operation_kind(request->operation, framing, true, kind);
    const uint32_t hash = (uint32_t)hash_of_operation(calls->operations_by_key.key, &key);
    uint32_t number = find_operation(calls, &key, hash);
    if (number > 0)
        return number;
    number = pool_add(&calls->operations);
    struct operation_record *record = pool_at(&calls->operations, number);
    record->number = number - 1;
    record->operation = key;
    record->operation.kind = wmem_strdup(calls->scope, kind);
    hashed_add(&calls->operations_by_key, &record->hashed, hash);
    return number;
}

/* `text`: a hash of what is asked for. */
static uint32_t
operation_of_request(struct calls *calls, const struct request *request, uint64_t text)
{
    const struct connection *connection = request->connection;
    const struct endpoint *server = connection_server(connection);
    const uint64_t address = hashed_bytes(text, server->address, ADDRESS_BYTES);
    const uint64_t hash =
        hashed_mix(address ^ connection->ipv6, (uint64_t)server->port << 8 | request->protocol | 1U << 31);
    struct operation_memo *memo = &calls->memo[hash & (OPERATIONS_RECENT - 1)];
    if (memo->number > 0 && memo->hash == hash)
        return memo->number - 1;
    *memo = (struct operation_memo){ hash, put_operation(calls, request) };
    return memo->number - 1;
}

/* When a request without response had ended on its server, as far as that is known. */
static int64_t
ended_ns(const struct request *request, enum outcome outcome)
{
    const struct connection *connection = request->connection;
    const int64_t last_ns = MAX(connection->last_ns, request->last_ns);
    if (connection->ended_ns != INT64_MAX)
        return connection->ended_ns;
    if (connection->is_datagrams)
        return request->asking.last_ns + DATAGRAM_WAIT_NS;
    /* Whose answer is lost, or was not awaited, had it with what the connection had last. */
    return outcome == OUTCOME_LOST || outcome == OUTCOME_CLOSED_BY_CLIENT || request->ending != ENDING_NONE ? last_ns
                                                                                                            : INT64_MAX;
}

/* Whether a database's client makes itself known: that is the first on a connection. */
static bool
is_login(const struct request *request)
{
    return (request->protocol == PROTOCOL_POSTGRESQL && strcmp(request->operation, "startup") == 0) ||
           (request->protocol == PROTOCOL_MYSQL && strcmp(request->operation, "login") == 0);
}

void
calls_take(struct calls *calls, const struct requests *requests, const struct request *request)
{
    const struct response *response = &request->response;
    const bool is_answered = response->first_frame > 0;
    const enum outcome outcome = request_outcome(requests, request);
    const uint64_t text = hashed_bytes(calls->hosts.key, request->operation, strlen(request->operation));
    struct call *call = record_at(&calls->records, request->number);
    take_connection(calls, request->connection);
    *call = (struct call){
        .begins_ns = request->first_ns,
        .answers_ns = is_answered ? response->first_ns : INT64_MAX,
        .ends_ns = is_answered ? response->last_ns : ended_ns(request, outcome),
        .asking_ns = (uint32_t)CLAMP(request->last_ns - request->first_ns, 0, (int64_t)UINT32_MAX),
        .frame = request->first_frame,
        .end_frame = is_answered ? response->last_frame : 0,
        .operation = operation_of_request(calls, request, text),
        .connection = request->connection->number,
        .said = request->by_messages && *request->operation ? (uint32_t)text | 1 : 0,
        .probability = 100,
        .outcome = (uint8_t)outcome,
        .failed = request_has_error(request),
        .is_login = is_login(request),
        .is_pushed = request->in_parts && request->is_pushed,
        .wait = request_wait(request),
    };
    calls->is_told = false;
}

void
calls_take_sighting(struct calls *calls, const struct points *points, const struct sighting *sighting)
{
    calls_threads_take(&calls->threads, points, sighting);
    calls_clocks_take(&calls->clocks, points, sighting);
}

bool
calls_points_differ(const struct calls *calls, struct clock_difference *difference)
{
    return calls_clocks_differ(&calls->clocks, difference);
}

const struct call_join *
calls_joined(const struct calls *calls, unsigned *count)
{
    *count = calls->joins->len;
    return (const struct call_join *)(const void *)calls->joins->data;
}

const struct call *
calls_find(const struct calls *calls, uint32_t number)
{
    const struct call *call = number <= calls->records.count ? call_at(calls, number) : NULL;
    return call && call->frame > 0 ? call : NULL;
}

uint32_t
calls_last(const struct calls *calls)
{
    return calls->records.count;
}

const struct call_operation *
calls_operation(const struct calls *calls, uint32_t operation)
{
    const struct operation_record *record = pool_at(&calls->operations, operation + 1);
    return &record->operation;
}

uint32_t
calls_operations(const struct calls *calls)
{
    return calls->operations.count;
}

uint64_t
calls_told(const struct calls *calls, enum call_rule rule)
{
    return calls->told[rule];
}

void
calls_each(const struct calls *calls, uint32_t number, void (*take)(void *data, uint32_t call), void *data)
{
    const struct call *cause = calls_find(calls, number);
    for (uint32_t i = cause ? cause->first_call : calls->n_by_cause; i < calls->n_by_cause; i++) {
        if (call_at(calls, calls->by_cause[i])->cause != number)
            return;
        take(data, calls->by_cause[i]);
    }
}

bool
calls_has_any(const struct calls *calls, uint32_t number)
{
    const struct call *cause = calls_find(calls, number);
    return cause && cause->first_call < calls->n_by_cause &&
           call_at(calls, calls->by_cause[cause->first_call])->cause == number;
}

/* When the client's wait for an answered request ends. */
static int64_t
wait_ends_ns(const struct call *call)
{
    if (call->wait == WAIT_FOR_EVENT)
        return call->begins_ns;
    return call->wait == WAIT_FOR_FIRST_BYTE ? call->answers_ns : call->ends_ns;
}

/* Of a request's time, what its calls before have taken. */
struct call_sum {
    const struct calls *calls;
    int64_t taken_ns; /* up to here */
    int64_t ends_ns;
    struct call_times times;
};

/* A call that awaits an event takes the time of its cause all the same. */
static void
add_call(void *data, uint32_t number)
{
    struct call_sum *sum = data;
    const struct call *call = call_at(sum->calls, number);
    const int64_t until_ns = call->wait == WAIT_FOR_FIRST_BYTE ? call->answers_ns : call->ends_ns;
    const int64_t from_ns = MAX(call->begins_ns, sum->taken_ns), to_ns = MIN(until_ns, sum->ends_ns);
    sum->times.calls++;
    if (to_ns <= from_ns)
        return;
    sum->times.call_ns += to_ns - from_ns;
    sum->taken_ns = to_ns;
}

struct call_times
calls_times(const struct calls *calls, uint32_t number)
{
    const struct call *cause = calls_find(calls, number);
    if (!cause)
        return (struct call_times){ 0 };
    struct call_sum sum = { .calls = calls, .taken_ns = cause->begins_ns, .ends_ns = cause->begins_ns };
    if (cause->end_frame > 0)
        sum.ends_ns = MAX(wait_ends_ns(cause), cause->begins_ns);
    calls_each(calls, number, add_call, &sum);
    sum.times.own_ns = sum.ends_ns - cause->begins_ns - sum.times.call_ns;
    return sum.times;
}
