/* connection.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connection.h"

#include <string.h>

enum { DUPLICATE_WITHIN_US = 10000 };

/* How far from the sender's next byte an RST may lie; one of an earlier connection lies anywhere. */
enum { RST_WINDOW = 1 << 24 };

/* MSS of a host that announces none: RFC 9293 §3.7.1. */
enum { DEFAULT_MSS_IPV4 = 536, DEFAULT_MSS_IPV6 = 1220 };

struct connection_table {
    wmem_allocator_t *scope;
    wmem_map_t *latest; /* by endpoints and IP version: its key is the connection itself */
    struct connection *last;
    uint32_t count;
};

static unsigned
hash_connection(const void *key)
{
    const struct connection *connection = key;
    return wmem_strong_hash((const uint8_t *)connection->endpoint, sizeof connection->endpoint);
}

static int
compare_endpoints(const struct endpoint *a, const struct endpoint *b)
{
    int order = memcmp(a->address, b->address, ADDRESS_BYTES);
    return order ? order : (int)a->port - (int)b->port;
}

bool
endpoint_equal(const struct endpoint *a, const struct endpoint *b)
{
    return compare_endpoints(a, b) == 0;
}

static int
equal_connections(const void *a, const void *b)
{
    const struct connection *x = a;
    const struct connection *y = b;
    return x->ipv6 == y->ipv6 && endpoint_equal(&x->endpoint[0], &y->endpoint[0]) &&
           endpoint_equal(&x->endpoint[1], &y->endpoint[1]);
}

struct connection_table *
connection_table_new(wmem_allocator_t *scope)
{
    struct connection_table *table = wmem_new0(scope, struct connection_table);
    table->scope = scope;
    table->latest = wmem_map_new(scope, hash_connection, equal_connections);
    return table;
}

struct connection *
connection_find(const struct connection_table *table, const struct endpoint *source, const struct endpoint *destination,
                bool ipv6)
{
    struct connection key;
    bool ordered = compare_endpoints(source, destination) <= 0;
    key.endpoint[0] = ordered ? *source : *destination;
    key.endpoint[1] = ordered ? *destination : *source;
    key.ipv6 = ipv6;
    if (table->last && equal_connections(table->last, &key))
        return table->last;
    return wmem_map_lookup(table->latest, &key);
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
    const struct sender *sender = &connection->sender[connection_sender(connection, segment)];
    return (segment->flags & (SEGMENT_SYN | SEGMENT_ACK)) == SEGMENT_SYN && sender->has_isn &&
           sender->isn != segment->seq;
}

struct connection *
connection_of(struct connection_table *table, const struct segment *segment, const struct settings *settings)
{
    struct connection *connection = connection_find(table, &segment->source, &segment->destination, segment->ipv6);
    if (!connection || starts_another(connection, segment)) {
        if (connection) {
            /* wmem_map_insert would keep the old key, which is the old connection. */
            wmem_map_remove(table->latest, connection);
            connection->replaced = true;
            connection->ended_ns = MIN(connection->ended_ns, segment->time_ns);
        }
        bool ordered = compare_endpoints(&segment->source, &segment->destination) <= 0;
        connection = wmem_new0(table->scope, struct connection);
        connection->number = ++table->count;
        connection->endpoint[0] = ordered ? segment->source : segment->destination;
        connection->endpoint[1] = ordered ? segment->destination : segment->source;
        connection->ipv6 = segment->ipv6;
        connection->ended_ns = INT64_MAX;
        connection->connect.time_ns = -1;
        connection->connect.network_server_ns = -1;
        connection->connect.network_client_ns = -1;
        guess_roles(connection, segment, settings);
        wmem_map_insert(table->latest, connection, connection);
    }
    table->last = connection;
    return connection;
}

uint8_t
connection_sender(const struct connection *connection, const struct segment *segment)
{
    return compare_endpoints(&connection->endpoint[0], &segment->source) != 0;
}

static bool
is_within(int32_t difference, int32_t limit)
{
    return -limit <= difference && difference <= limit;
}

bool
connection_is_duplicate(struct connection *connection, const struct segment *segment)
{
    struct sender *sender = &connection->sender[connection_sender(connection, segment)];
    const uint32_t words[] = {
        segment->seq,    segment->ack,   segment->payload_bytes, (uint32_t)segment->ip_id << 16 | segment->checksum,
        segment->window, segment->flags,
    };
    uint32_t print = wmem_strong_hash((const uint8_t *)words, sizeof words);
    struct recent frame = { print ? print : 1, (uint32_t)(segment->time_ns / 1000) };
    for (unsigned i = 0; i < RECENT_FRAMES; i++) {
        int32_t age_us = (int32_t)(frame.time_us - sender->recent[i].time_us);
        if (sender->recent[i].print == frame.print && is_within(age_us, DUPLICATE_WITHIN_US))
            return true;
    }
    sender->recent[sender->next_recent] = frame;
    sender->next_recent = (uint8_t)((sender->next_recent + 1) % RECENT_FRAMES);
    return false;
}

static void
note_isn(struct connection *connection, uint8_t from, const struct segment *segment)
{
    struct sender *sender = &connection->sender[from];
    struct sender *receiver = &connection->sender[!from];
    if (segment->flags & SEGMENT_SYN || !sender->has_isn) {
        sender->isn = segment->flags & SEGMENT_SYN ? segment->seq : segment->seq - 1;
        sender->has_isn = true;
    }
    if (!receiver->has_isn && segment->flags & SEGMENT_ACK) {
        receiver->isn = segment->ack - 1;
        receiver->has_isn = true;
    }
}

static void
take_syn_options(struct connection *connection, uint8_t from, const struct segment *segment, wmem_allocator_t *scope)
{
    struct sender *sender = &connection->sender[from];
    struct sender *receiver = &connection->sender[!from];
    /* A SYN sent again, or one that the capture has after the data, changes nothing. */
    if (!sender->sequence.known)
        sequence_start(&sender->sequence, segment->seq + 1, false, scope);
    if (!segment->options_captured)
        return;
    sender->mss = segment->mss ? segment->mss : segment->ipv6 ? DEFAULT_MSS_IPV6 : DEFAULT_MSS_IPV4;
    if (receiver->mss)
        sender->continuity.mss = receiver->continuity.mss = MIN(sender->mss, receiver->mss);
}

static void
set_client(struct connection *connection, uint8_t client)
{
    if (connection->role_certain || connection->request)
        return;
    connection->client = client;
    connection->role_certain = true;
}

static void
begin_attempt(struct connection *connection, const struct segment *segment, uint32_t *attempts)
{
    struct connect *connect = &connection->connect;
    connect->number = ++*attempts;
    connect->syn_frame = segment->frame;
    connect->syn_ns = connect->last_syn_ns = segment->time_ns;
    if (connect->syn_ack_seen) {
        /* The capture has the answer before the SYN. */
        connect->result = CONNECT_ACCEPTED;
        connect->time_ns = 0;
        connect->answer_frame = connect->syn_ack_frame;
    }
}

static void
answer_attempt(struct connect *connect, enum connect_result result, uint32_t frame, int64_t time_ns)
{
    connect->answer_frame = frame;
    connect->result = result;
    connect->time_ns = MAX(time_ns - connect->syn_ns, 0);
    connect->network_server_ns = result == CONNECT_ACCEPTED ? MAX(time_ns - connect->last_syn_ns, 0) : -1;
}

/* An RST answers a SYN only if it acknowledges it, and at most the data on it: RFC 9293 §3.10.7.3. */
static bool
acknowledges_syn(const struct connection *connection, const struct segment *segment)
{
    const struct sender *client = &connection->sender[connection->client];
    return segment->flags & SEGMENT_ACK && (int32_t)(segment->ack - client->isn) > 0 &&
           (int32_t)(segment->ack - client->sequence.end_seq) <= 0;
}

enum handshake
connection_shake_hands(struct connection *connection, const struct segment *segment, uint32_t *attempts,
                       wmem_allocator_t *scope)
{
    struct connect *connect = &connection->connect;
    uint8_t from = connection_sender(connection, segment);
    uint8_t kind = segment->flags & (SEGMENT_SYN | SEGMENT_ACK | SEGMENT_RST);
    note_isn(connection, from, segment);
    if (segment->flags & SEGMENT_SYN) {
        take_syn_options(connection, from, segment, scope);
        set_client(connection, kind & SEGMENT_ACK ? !from : from);
    }
    bool from_client = from == connection->client;
    bool open = connect->number && connect->result != CONNECT_ACCEPTED;
    switch (kind) {
    case SEGMENT_SYN:
        if (!from_client)
            return HANDSHAKE_NONE;
        connection->reset = false;
        if (!connect->number) {
            begin_attempt(connection, segment, attempts);
            return HANDSHAKE_SYN;
        }
        if (!open)
            return HANDSHAKE_NONE;
        connect->last_syn_ns = segment->time_ns;
        connect->syn_retries += connect->result != CONNECT_REFUSED;
        return HANDSHAKE_SYN_AGAIN;
    case SEGMENT_SYN | SEGMENT_ACK:
        if (from_client)
            return HANDSHAKE_NONE;
        if (connect->network_client_ns < 0) {
            connect->syn_ack_seen = true;
            connect->syn_ack_ns = segment->time_ns;
            connect->syn_ack_frame = segment->frame;
        }
        if (!connect->number)
            return HANDSHAKE_ANSWER;
        if (!open || connect->result == CONNECT_REFUSED)
            return HANDSHAKE_NONE;
        answer_attempt(connect, CONNECT_ACCEPTED, segment->frame, segment->time_ns);
        return HANDSHAKE_ANSWER;
    case SEGMENT_ACK:
        if (!from_client || !connect->syn_ack_seen || connect->network_client_ns >= 0)
            return HANDSHAKE_NONE;
        connect->network_client_ns = MAX(segment->time_ns - connect->syn_ack_ns, 0);
        return HANDSHAKE_ACK;
    default:
        if (!(kind & SEGMENT_RST) || from_client || !open || connect->result != CONNECT_UNANSWERED ||
            !acknowledges_syn(connection, segment))
            return HANDSHAKE_NONE;
        answer_attempt(connect, CONNECT_REFUSED, segment->frame, segment->time_ns);
        return HANDSHAKE_ANSWER;
    }
}

bool
connection_unreachable(struct connection *connection, const struct segment *quoted)
{
    struct connect *connect = &connection->connect;
    uint8_t sender = connection_sender(connection, quoted);
    if (!connect->number || connect->result != CONNECT_UNANSWERED || sender != connection->client ||
        quoted->seq != connection->sender[sender].isn)
        return false;
    answer_attempt(connect, CONNECT_UNREACHABLE, quoted->frame, quoted->time_ns);
    return true;
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

bool
connection_is_closed(const struct connection *connection)
{
    return connection->replaced || connection->sender[!connection->client].fin;
}

bool
connection_has_ended(const struct connection *connection)
{
    return connection->reset || connection->replaced || (connection->sender[0].fin && connection->sender[1].fin);
}

void
connection_forget(struct connection_table *table, struct connection *connection)
{
    if (wmem_map_lookup(table->latest, connection) == connection)
        wmem_map_remove(table->latest, connection);
    if (table->last == connection)
        table->last = NULL;
    sequence_clear(&connection->sender[0].sequence, table->scope);
    sequence_clear(&connection->sender[1].sequence, table->scope);
    wmem_free(table->scope, connection);
}

/* RFC 9293 §3.10.7.3 and 4, without knowing the window. */
static bool
resets(const struct connection *connection, uint8_t from, const struct segment *segment)
{
    const struct sequence *sequence = &connection->sender[from].sequence;
    if (!(segment->flags & SEGMENT_RST))
        return false;
    if (sequence->known)
        return is_within((int32_t)(segment->seq - sequence->end_seq), RST_WINDOW);
    return from == connection->client || !connection->connect.number || acknowledges_syn(connection, segment);
}

void
connection_close(struct connection *connection, const struct segment *segment)
{
    uint8_t from = connection_sender(connection, segment);
    if (segment->flags & SEGMENT_FIN)
        connection->sender[from].fin = true;
    if (resets(connection, from, segment))
        connection->reset = true;
    if (connection->reset || connection_is_closed(connection))
        connection->ended_ns = MIN(connection->ended_ns, segment->time_ns);
}
