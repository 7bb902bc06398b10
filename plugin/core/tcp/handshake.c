/* handshake.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connection.h"
#include "../util/seldom.h"

/* How far from the sender's next byte FIN and RST may lie; one of an earlier connection lies anywhere. */
enum { END_WINDOW = 1 << 24 };

/* MSS of a host that announces none: RFC 9293 §3.7.1. */
enum { DEFAULT_MSS_IPV4 = 536, DEFAULT_MSS_IPV6 = 1220 };

static inline void
note_isn(struct connection *connection, uint8_t from, const struct segment *segment)
{
    struct tcp_sender *sender = &connection->tcp->sender[from];
    struct tcp_sender *receiver = &connection->tcp->sender[!from];
    /* another connection's, whose SYN is missing */
    if (segment->flags & SEGMENT_SYN && sender->has_isn && sender->isn != segment->seq)
        receiver->has_acked = false;
    if (segment->flags & SEGMENT_SYN || !sender->has_isn) {
        sender->isn = segment->flags & SEGMENT_SYN ? segment->seq : segment->seq - 1;
        sender->has_isn = true;
    }
    if (!receiver->has_isn && segment->flags & SEGMENT_ACK) {
        receiver->isn = segment->ack - 1;
        receiver->has_isn = true;
    }
}

static SELDOM void
take_syn_options(struct connection *connection, uint8_t from, const struct segment *segment, wmem_allocator_t *scope)
{
    struct tcp_sender *sender = &connection->tcp->sender[from];
    struct tcp_sender *receiver = &connection->tcp->sender[!from];
    if (!sender->sequence.known)
        sequence_start(&sender->sequence, segment->seq + 1, false, scope);
    else
        sequence_begin_at(&sender->sequence, segment->seq + 1, scope);
    if (!segment->options_captured)
        return;
    sender->mss = segment->mss ? segment->mss : segment->ipv6 ? DEFAULT_MSS_IPV6 : DEFAULT_MSS_IPV4;
    if (receiver->mss)
        sender->continuity.mss = receiver->continuity.mss = MIN(sender->mss, receiver->mss);
}

static SELDOM void
set_client(struct connection *connection, uint8_t client)
{
    if (connection->roles == ROLES_CERTAIN || connection->request)
        return;
    connection->client = client;
    connection->roles = ROLES_CERTAIN;
}

static SELDOM void
begin_attempt(struct connection *connection, const struct segment *segment, uint32_t *attempts)
{
    struct connect *connect = &connection->tcp->connect;
    connect->number = ++*attempts;
    connect->syn_frame = segment->frame;
    connect->syn_ns = connect->last_syn_ns = segment->time_ns;
    connect->syn_bytes = (uint16_t)MIN(segment->payload_bytes, UINT16_MAX);
    if (connect->syn_ack_seen) {
        /* The capture has the answer before the SYN. */
        connect->result = CONNECT_ACCEPTED;
        connect->time_ns = 0;
        connect->answer_frame = connect->syn_ack_frame;
    }
}

SELDOM void
connect_answer(struct connect *connect, enum connect_result result, uint32_t frame, int64_t time_ns)
{
    connect->answer_frame = frame;
    connect->result = result;
    connect->time_ns = MAX(time_ns - connect->syn_ns, 0);
    connect->network_server_ns = result == CONNECT_ACCEPTED ? MAX(time_ns - connect->last_syn_ns, 0) : -1;
}

/* Whether it acknowledges the client's SYN, and at most what the client sent before `end_seq`. */
static SELDOM bool
acknowledges_syn(const struct connection *connection, const struct segment *segment, uint32_t end_seq)
{
    const struct tcp_sender *client = &connection->tcp->sender[connection->client];
    return segment->flags & SEGMENT_ACK && (int32_t)(segment->ack - client->isn) > 0 &&
           (int32_t)(segment->ack - end_seq) <= 0;
}

/* An RST answers a SYN only if it acknowledges it, and at most the data on it: RFC 9293 §3.10.7.3. Who has taken more
 * had accepted. */
static SELDOM bool
refuses(const struct connection *connection, const struct segment *segment)
{
    const uint32_t isn = connection->tcp->sender[connection->client].isn;
    return acknowledges_syn(connection, segment, isn + 1 + connection->tcp->connect.syn_bytes);
}

SELDOM bool
connection_is_of_another_syn(const struct connection *connection, const struct segment *segment)
{
    const struct tcp_sender *client = &connection->tcp->sender[connection->client];
    return connection->tcp->connect.number && !acknowledges_syn(connection, segment, client->sequence.end_seq);
}

/* Returns whether the server had sent payload before that time. Then a SYN-ACK of that time is one that was sent again,
 * and the time since the SYN is no round trip. */
static SELDOM bool
has_sent_before(const struct tcp_sender *server, int64_t ns)
{
    return server->before.frame > 0 && server->before.ns < ns;
}

/* A SYN that was refused is sent again: the RST was not the connection's end. */
static SELDOM void
reopen(struct connection *connection)
{
    if (connection_is_reset(connection) && !connection_is_closed(connection))
        connection->ended_ns = INT64_MAX;
    connection->reset_before = 0;
}

inline enum handshake
connection_shake_hands(struct connection *connection, const struct segment *segment, uint32_t *attempts,
                       wmem_allocator_t *scope)
{
    struct connect *connect = &connection->tcp->connect;
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
        reopen(connection);
        if (!connect->number) {
            begin_attempt(connection, segment, attempts);
            return HANDSHAKE_SYN;
        }
        if (!open)
            return HANDSHAKE_NONE;
        connect->last_syn_ns = segment->time_ns;
        connect->syn_retries += connect->result != CONNECT_REFUSED;
        connect->syns_refused += connect->result == CONNECT_REFUSED;
        return HANDSHAKE_SYN_AGAIN;
    case SEGMENT_SYN | SEGMENT_ACK:
        if (from_client || connection_is_of_another_syn(connection, segment))
            return HANDSHAKE_NONE;
        if (connect->network_client_ns < 0) {
            connect->syn_ack_seen = true;
            connect->syn_ack_ns = segment->time_ns;
            connect->syn_ack_frame = segment->frame;
        }
        if (!connect->number)
            return HANDSHAKE_ANSWER;
        if (!open || (connect->result == CONNECT_REFUSED && connect->syns_refused == 0))
            return HANDSHAKE_NONE;
        connect->syn_retries += connect->syns_refused;
        connect_answer(connect, CONNECT_ACCEPTED, segment->frame, segment->time_ns);
        if (has_sent_before(&connection->tcp->sender[from], segment->time_ns))
            connect->network_server_ns = -1;
        return HANDSHAKE_ANSWER;
    case SEGMENT_ACK:
        if (!from_client || !connect->syn_ack_seen || connect->network_client_ns >= 0)
            return HANDSHAKE_NONE;
        connect->network_client_ns = MAX(segment->time_ns - connect->syn_ack_ns, 0);
        return HANDSHAKE_ACK;
    default:
        if (!(kind & SEGMENT_RST) || from_client || !open || connect->result != CONNECT_UNANSWERED ||
            !refuses(connection, segment))
            return HANDSHAKE_NONE;
        connect_answer(connect, CONNECT_REFUSED, segment->frame, segment->time_ns);
        return HANDSHAKE_ANSWER;
    }
}

bool
connection_unreachable(struct connection *connection, const struct segment *quoted)
{
    struct connect *connect = &connection->tcp->connect;
    uint8_t sender = connection_sender(connection, quoted);
    if (!connect->number || connect->result != CONNECT_UNANSWERED || sender != connection->client ||
        quoted->seq != connection->tcp->sender[sender].isn)
        return false;
    connect_answer(connect, CONNECT_UNREACHABLE, quoted->frame, quoted->time_ns);
    return true;
}

static bool
is_near(const struct sequence *sequence, uint32_t seq)
{
    return ABS((int64_t)(int32_t)(seq - sequence->end_seq)) <= END_WINDOW;
}

inline bool
connection_is_finished_by(const struct connection *connection, const struct segment *segment)
{
    const struct sequence *sequence = &connection->tcp->sender[connection_sender(connection, segment)].sequence;
    return segment->flags & SEGMENT_FIN &&
           (!sequence->known || is_near(sequence, segment->seq + segment->payload_bytes));
}

/* Before what the other side has acknowledged, or before the SYN: RFC 9293 §3.10.7.4 lets it reset nothing. */
static bool
is_past(const struct connection *connection, uint8_t from, uint32_t seq)
{
    const struct tcp_sender *sender = &connection->tcp->sender[from], *receiver = &connection->tcp->sender[!from];
    const uint32_t awaited = receiver->has_acked ? receiver->ack : sender->isn + 1;
    const int64_t before = (int32_t)(awaited - seq);
    return before > 0 && before <= END_WINDOW;
}

inline bool
connection_is_reset_by(const struct connection *connection, const struct segment *segment)
{
    if (!(segment->flags & SEGMENT_RST))
        return false;
    const uint8_t from = connection_sender(connection, segment);
    const struct sequence *sequence = &connection->tcp->sender[from].sequence;
    if (sequence->known)
        return is_near(sequence, segment->seq) && !is_past(connection, from, segment->seq);
    return from == connection->client || !connection->tcp->connect.number ||
           acknowledges_syn(connection, segment, connection->tcp->sender[!from].sequence.end_seq);
}
