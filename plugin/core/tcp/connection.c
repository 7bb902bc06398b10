/* connection.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connection.h"
#include "../util/seldom.h"

#include <string.h>

enum { DUPLICATE_WITHIN_US = 10000, FINS_BOTH = 3 };

/* After so long a SYN is sent again, the first time. */
#define FIRST_RETRY_NS INT64_C(1000000000)

struct connection_table {
    wmem_allocator_t *scope;
    struct hashed_table latest; /* by endpoints and IP version */
    struct connection *last;
    struct connection *replaced; /* last; NULL once it has been asked for */
    uint32_t *count;
    struct tcp_part no_tcp; /* of each conversation of datagrams: nothing is said of TCP there */
    enum connections_of of;
};

/* Both in one, for an allocator's header is 16 bytes. */
struct tcp_connection {
    struct connection connection;
    struct tcp_part tcp;
};

/* Stands for a handshake of which nothing is known. */
static const struct connect no_connect = { .time_ns = -1, .network_server_ns = -1, .network_client_ns = -1 };

/* The same for both directions. */
static inline uint32_t
hash_ends(const struct connection_table *table, const struct endpoint *a, const struct endpoint *b)
{
    uint64_t key = table->latest.key;
    return (uint32_t)((endpoint_hash(a, key) + endpoint_hash(b, key)) >> 16);
}

static inline bool
is_between(const struct connection *connection, const struct endpoint *source, const struct endpoint *destination,
           bool ipv6)
{
    const struct endpoint *ends = connection->endpoint;
    return connection->ipv6 == ipv6 && ((endpoint_equal(&ends[0], source) && endpoint_equal(&ends[1], destination)) ||
                                        (endpoint_equal(&ends[1], source) && endpoint_equal(&ends[0], destination)));
}

struct connection_table *
connection_table_new(wmem_allocator_t *scope, uint32_t *count, enum connections_of of)
{
    struct connection_table *table = wmem_new0(scope, struct connection_table);
    table->scope = scope;
    table->count = count;
    table->of = of;
    table->no_tcp.connect = no_connect;
    hashed_init(&table->latest, scope);
    return table;
}

inline struct connection *
connection_find(const struct connection_table *table, const struct endpoint *source, const struct endpoint *destination,
                bool ipv6)
{
    if (table->last && is_between(table->last, source, destination, ipv6))
        return table->last;
    struct hashed *found = hashed_first(&table->latest, hash_ends(table, source, destination));
    while (found && !is_between((struct connection *)found, source, destination, ipv6))
        found = hashed_next(found);
    return (struct connection *)found;
}

static void
guess_roles(struct connection *connection, const struct segment *segment, const struct settings *settings)
{
    const struct endpoint *endpoint = connection->endpoint;
    enum port_kind kind[2] = { settings->port_kind(endpoint[0].port), settings->port_kind(endpoint[1].port) };
    if (kind[0] != kind[1])
        connection->client = kind[0] > kind[1];
    else if (endpoint[0].port != endpoint[1].port)
        connection->client = endpoint[0].port < endpoint[1].port;
    else
        connection->client = connection_sender(connection, segment);
}

static bool
starts_another(const struct connection *connection, const struct segment *segment)
{
    const struct tcp_sender *sender = &connection->tcp->sender[connection_sender(connection, segment)];
    if (connection_is_over(connection, segment->time_ns))
        return true;
    if (!(segment->flags & SEGMENT_SYN) || !sender->has_isn || sender->isn == segment->seq)
        return false;
    /* The SYN before a SYN-ACK may be missing in the capture. */
    return !(segment->flags & SEGMENT_ACK) ||
           (connection_has_ended(connection) &&
            (!connection->tcp->connect.number || connection_is_of_another_syn(connection, segment)));
}

static bool
is_ordered(const struct endpoint *a, const struct endpoint *b)
{
    int order = memcmp(a->address, b->address, ADDRESS_BYTES);
    return order < 0 || (order == 0 && a->port <= b->port);
}

/* Zeroed, but for its part of TCP. */
static struct connection *
new_connection(struct connection_table *table)
{
    struct connection *connection;
    if (table->of == CONNECTIONS_OF_DNS) {
        connection = wmem_new0(table->scope, struct connection);
        connection->is_datagrams = true;
        connection->tcp = &table->no_tcp;
        return connection;
    }
    struct tcp_connection *both = wmem_new0(table->scope, struct tcp_connection);
    connection = &both->connection;
    connection->tcp = &both->tcp;
    both->tcp.connect = no_connect;
    return connection;
}

/* Nothing more belongs to it: the segment begins another one. */
static SELDOM void
replace(struct connection_table *table, struct connection *connection, const struct segment *segment)
{
    connection_retire(table, connection);
    connection->life = CONNECTION_REPLACED;
    table->replaced = connection;
    connection->ended_ns = MIN(connection->ended_ns, segment->time_ns);
    connection->last_ns = MAX(connection->last_ns, segment->time_ns);
}

static SELDOM struct connection *
begin(struct connection_table *table, const struct segment *segment, const struct settings *settings)
{
    bool ordered = is_ordered(&segment->source, &segment->destination);
    struct connection *connection = new_connection(table);
    connection->number = ++*table->count;
    connection->first_frame = segment->frame;
    connection->endpoint[0] = ordered ? segment->source : segment->destination;
    connection->endpoint[1] = ordered ? segment->destination : segment->source;
    connection->ipv6 = segment->ipv6;
    connection->ended_ns = INT64_MAX;
    connection->last_ns = segment->time_ns;
    guess_roles(connection, segment, settings);
    hashed_add(&table->latest, &connection->hashed, hash_ends(table, &segment->source, &segment->destination));
    return connection;
}

inline struct connection *
connection_of(struct connection_table *table, const struct segment *segment, const struct settings *settings)
{
    struct connection *connection = connection_find(table, &segment->source, &segment->destination, segment->ipv6);
    if (connection && starts_another(connection, segment)) {
        replace(table, connection, segment);
        connection = NULL;
    }
    return table->last = connection ? connection : begin(table, segment, settings);
}

static bool
is_within(int32_t difference, int32_t limit)
{
    return -limit <= difference && difference <= limit;
}

/* Of a frame, to compare it with few others: nobody looks anything up by it. */
static uint32_t
print_of(const struct segment *segment)
{
    const uint64_t position = (uint64_t)segment->seq << 32 | segment->ack;
    const uint64_t packet = (uint64_t)segment->payload_bytes << 32 | (uint32_t)segment->ip_id << 16 | segment->checksum;
    const uint64_t rest = (uint64_t)segment->window << 8 | segment->flags;
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)hashed_mix(hashed_mix(position ^ odd, odd) ^ packet, hashed_mix(rest ^ odd, odd));
}

static struct recent *
recent_of(struct sender *sender, const struct recent_slots *at)
{
    return at->room > 1 ? sender->recent.many : &sender->recent.one;
}

/* Doubles the room for recent frames. */
static SELDOM void
make_room(struct sender *sender, struct recent_slots *at, wmem_allocator_t *scope)
{
    const unsigned before = at->room, room = MAX(before * 2U, 1);
    if (room > 1) {
        struct recent *many = wmem_realloc(scope, before > 1 ? sender->recent.many : NULL, room * sizeof *many);
        if (before == 1)
            many[0] = sender->recent.one;
        memset(&many[before], 0, (room - before) * sizeof *many);
        sender->recent.many = many;
    }
    at->room = room & 0xFU;
}

static inline void
remember(struct sender *sender, struct recent_slots *at, struct recent frame, wmem_allocator_t *scope)
{
    if (at->next == at->room && at->room < RECENT_FRAMES)
        make_room(sender, at, scope);
    const unsigned slot = at->next & (at->room - 1U); /* room is a power of two */
    recent_of(sender, at)[slot] = frame;
    at->next = (slot + 1) & 0xFU;
}

/* Its first byte is the next one of its sender's, whatever has been captured. */
static bool
is_new(const struct sequence *sequence, const struct segment *segment)
{
    return sequence->known && segment->payload_bytes > 0 && segment->seq == sequence->end_seq &&
           !(segment->flags & (SEGMENT_SYN | SEGMENT_RST));
}

inline bool
connection_is_duplicate(struct connection *connection, const struct segment *segment, wmem_allocator_t *scope)
{
    const uint8_t side = connection_sender(connection, segment);
    struct sender *sender = &connection->sender[side];
    struct recent_slots *at = &connection->recent_slots[side];
    uint32_t print = print_of(segment);
    struct recent frame = { print ? print : 1, (uint32_t)(segment->time_ns / 1000) };
    const struct recent *recent = recent_of(sender, at);
    const struct recent *end = is_new(&connection->tcp->sender[side].sequence, segment) ? recent : recent + at->room;
    for (; recent < end; recent++)
        if (recent->print == frame.print && is_within((int32_t)(frame.time_us - recent->time_us), DUPLICATE_WITHIN_US))
            return true;
    remember(sender, at, frame, scope);
    return false;
}

const struct greeting *
connection_greeting(const struct connection *connection)
{
    const struct unsolicited *unsolicited = connection->unsolicited;
    return unsolicited && unsolicited->greeting.frame ? &unsolicited->greeting : NULL;
}

void
connection_set_session(struct connection *connection, enum session session)
{
    if (session == SESSION_TURNS && connection->tcp->opening)
        session = SESSION_OPENING;
    connection->session = session;
}

const struct endpoint *
connection_client(const struct connection *connection)
{
    return &connection->endpoint[connection->client];
}

const struct endpoint *
connection_server(const struct connection *connection)
{
    return &connection->endpoint[!connection->client];
}

inline bool
connection_has_ended(const struct connection *connection)
{
    return connection_is_reset(connection) || connection->life == CONNECTION_REPLACED || connection->fins == FINS_BOTH;
}

enum connect_result
connection_connect_result(const struct connection *connection, int64_t now_ns)
{
    const struct connect *connect = &connection->tcp->connect;
    const bool is_recent = connect->syn_retries == 0 && now_ns - connect->syn_ns < FIRST_RETRY_NS;
    if (connect->result != CONNECT_UNANSWERED || !is_recent || connection->tcp->sender[connection->client].has_acked ||
        connection_has_ended(connection))
        return connect->result;
    return CONNECT_WAITING;
}

struct connection *
connection_replaced(struct connection_table *table)
{
    struct connection *replaced = table->replaced;
    table->replaced = NULL;
    return replaced;
}

inline bool
connection_is_quiet(const struct connection *connection, int64_t now_ns)
{
    const int64_t away_ns = now_ns - connection->last_ns;
    return away_ns >= CONNECTION_LINGERS_NS || away_ns <= -CONNECTION_LINGERS_NS;
}

bool
connection_is_over(const struct connection *connection, int64_t now_ns)
{
    return connection_is_quiet(connection, now_ns) && connection_has_ended(connection);
}

SELDOM void
connection_retire(struct connection_table *table, struct connection *connection)
{
    if (table->last == connection)
        table->last = NULL;
    if (connection->life != CONNECTION_LIVES)
        return;
    hashed_remove(&table->latest, &connection->hashed);
    connection->life = CONNECTION_RETIRED;
}

void
connection_forget(struct connection_table *table, struct connection *connection)
{
    connection_retire(table, connection);
    if (table->replaced == connection)
        table->replaced = NULL;
    for (unsigned side = 0; side < 2; side++) {
        if (table->of == CONNECTIONS_OF_TCP)
            sequence_clear(&connection->tcp->sender[side].sequence, table->scope);
        if (connection->recent_slots[side].room > 1)
            wmem_free(table->scope, connection->sender[side].recent.many);
    }
    wmem_free(table->scope, connection->unsolicited);
    wmem_free(table->scope, connection);
}

inline void
connection_close(struct connection *connection, const struct segment *segment, uint32_t next_request)
{
    uint8_t from = connection_sender(connection, segment);
    if (connection_is_finished_by(connection, segment))
        connection->fins = (connection->fins | 1U << from) & FINS_BOTH;
    if (connection_is_reset_by(connection, segment))
        connection->reset_before = next_request;
    if (connection_is_reset(connection) || connection_is_closed(connection))
        connection->ended_ns = MIN(connection->ended_ns, segment->time_ns);
}
