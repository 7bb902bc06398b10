/* quic.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic.h"

#include "../protocol/tls/tls_alert.h"
#include "../protocol/tls/tls_handshake.h"
#include "../tcp/payload.h"
#include "http3.h"
#include "quic_frames.h"

void
quic_init(struct quic_connections *quic, wmem_allocator_t *scope, uint32_t *connections, uint32_t *attempts,
          uint32_t *handshakes)
{
    *quic = (struct quic_connections){
        .table = connection_table_new(scope, connections, CONNECTIONS_OF_QUIC),
        .ids = quic_ids_new(),
        .attempts = attempts,
        .handshakes = handshakes,
    };
    g_queue_init(&quic->openings);
}

static void
close_opening(struct quic_connections *quic, struct quic *of, wmem_allocator_t *scope)
{
    if (!of->opening)
        return;
    for (unsigned side = QUIC_CLIENT; side <= QUIC_SERVER; side++)
        quic_crypto_clear(&of->opening->crypto[side], scope);
    g_queue_remove(&quic->openings, of->opening);
    wmem_free(scope, of->opening);
    of->opening = NULL;
}

void
quic_clear(struct quic_connections *quic)
{
    g_queue_clear(&quic->openings);
    for (unsigned i = 0; quic->http3 && i < quic->http3->len; i++)
        http3_free(g_ptr_array_index(quic->http3, i));
    if (quic->http3)
        g_ptr_array_free(quic->http3, TRUE);
    quic_ids_free(quic->ids);
    g_free(quic->first.frames);
}

static void
leave_shared(struct quic *of)
{
    if (of->earlier)
        of->earlier->tcp->quic->later = of->later;
    if (of->later)
        of->later->tcp->quic->earlier = of->earlier;
    of->earlier = of->later = NULL;
}

void
quic_forget(struct quic_connections *quic, const struct requests *requests, struct connection *connection)
{
    struct quic *of = connection->tcp->quic;
    close_opening(quic, of, requests->scope);
    leave_shared(of);
    if (of->http3) {
        g_ptr_array_remove_fast(quic->http3, of->http3);
        http3_free(of->http3);
    }
    quic_ids_forget(quic->ids, &of->server, connection);
    wmem_free(requests->scope, of->spin);
    wmem_free(requests->scope, of);
}

/* A datagram that is being taken. */
struct taking {
    struct quic_connections *quic;
    struct requests *requests;
    struct connection *connection;
    struct quic *of;
    const struct segment *segment;
    unsigned side;  /* who sent it: QUIC_CLIENT or QUIC_SERVER */
    bool shows_tls; /* it has a step of the handshake of TLS */
    bool shows_syn; /* it has an item for the attempt to connect */
};

static void
tell_tls(struct taking *taking, enum tls_step step, const char *text)
{
    const struct payload payload = { .connection = taking->connection, .segment = taking->segment };
    const struct piece piece = { .payload = &payload, .segment = *taking->segment };
    tls_handshake_step(taking->requests, &piece, step, text, taking->quic->handshakes);
    taking->shows_tls = true;
}

static void
show(struct taking *taking, enum item_kind kind)
{
    if (taking->shows_syn)
        return;
    taking->shows_syn = true;
    items_add(taking->requests->items, taking->segment->frame, kind)->connection = taking->connection;
}

/* Takes the frames of the Initial with which the connection has just begun. */
static void
take_first(struct taking *taking, struct quic_initial_said *said)
{
    struct quic_opening *opening = taking->of->opening;
    struct quic_first *first = &taking->quic->first;
    opening->next_number[QUIC_CLIENT] = first->next_number;
    quic_crypto_take(&opening->crypto[QUIC_CLIENT], first->frames, first->bytes, taking->requests->scope, said);
    g_free(first->frames);
    first->frames = NULL;
}

/* Decrypts an Initial and takes its frames. */
static bool
take_frames(struct taking *taking, const struct quic_packet *packet, struct quic_initial_said *said)
{
    struct quic_opening *opening = taking->of->opening;
    if (taking->quic->first.frames) {
        take_first(taking, said);
        return true;
    }
    uint8_t *payload = g_malloc(packet->bytes);
    const size_t bytes =
        quic_initial_decrypt(&opening->keys, taking->side, packet, &opening->next_number[taking->side], payload);
    if (bytes > 0)
        quic_crypto_take(&opening->crypto[taking->side], payload, bytes, taking->requests->scope, said);
    g_free(payload);
    return bytes > 0;
}

/* Decrypts an Initial and takes its frames, also where the server has chosen another version than the client's (RFC
 * 9369 §4), or the client another after a negotiation, or has got a new id from a Retry. */
static bool
take_initial(struct taking *taking, const struct quic_packet *packet, struct quic_initial_said *said)
{
    struct quic_opening *opening = taking->of->opening;
    const struct quic_id *id = taking->side == QUIC_CLIENT ? &packet->destination : &opening->keys.id;
    if (packet->version == opening->keys.version) {
        if (take_frames(taking, packet, said))
            return true;
        if (quic_id_equal(id, &opening->keys.id))
            return false;
    }
    const struct quic_keys kept = opening->keys;
    if (quic_keys_set(&opening->keys, packet->version, id) && take_frames(taking, packet, said))
        return true;
    opening->keys = kept;
    return false;
}

static void
take_client_hello(struct taking *taking)
{
    struct quic_opening *opening = taking->of->opening;
    struct tls_hello hello;
    if (opening->has_hello[QUIC_CLIENT] || !quic_crypto_hello(&opening->crypto[QUIC_CLIENT], true, &hello))
        return;
    opening->has_hello[QUIC_CLIENT] = true;
    quic_crypto_end(&opening->crypto[QUIC_CLIENT], taking->requests->scope);
    tell_tls(taking, TLS_STEP_HOST, hello.host);
    if (*hello.alpn)
        tell_tls(taking, TLS_STEP_ALPN, hello.alpn);
}

static void
take_server_hello(struct taking *taking)
{
    struct quic_opening *opening = taking->of->opening;
    struct tls_hello hello;
    if (opening->has_hello[QUIC_SERVER] || !quic_crypto_hello(&opening->crypto[QUIC_SERVER], false, &hello))
        return;
    if (hello.is_retry) {
        /* The hello that counts comes behind it in the stream, which is not read on. */
        tell_tls(taking, TLS_STEP_RETRY, "");
        return;
    }
    opening->has_hello[QUIC_SERVER] = true;
    quic_crypto_end(&opening->crypto[QUIC_SERVER], taking->requests->scope);
    tell_tls(taking, TLS_STEP_ANSWER, "");
    tell_tls(taking, TLS_STEP_VERSION, tls_version_name(hello.version));
    if (hello.resumes)
        tell_tls(taking, TLS_STEP_RESUMED, "");
}

/* A side gives up: if for a reason of TLS, it names it. */
static void
take_close(struct taking *taking, uint64_t error)
{
    if (error >= QUIC_CRYPTO_ERROR && error <= QUIC_CRYPTO_ERROR_LAST)
        tell_tls(taking, TLS_STEP_FAILED, tls_alert_name((uint8_t)(error - QUIC_CRYPTO_ERROR)));
    close_opening(taking->quic, taking->of, taking->requests->scope);
}

/* The server has answered the attempt to connect, if it had not. */
static void
answer(struct taking *taking, enum connect_result result)
{
    struct connect *connect = &taking->connection->tcp->connect;
    if (connect->answer_frame && connect->result == result)
        return;
    connect_answer(connect, result, taking->segment->frame, taking->segment->time_ns);
    show(taking, ITEM_ANSWER);
}

/* The first packet with which the server accepts, which the client acknowledges at once. */
static void
accept(struct taking *taking, const struct quic_packet *packet)
{
    struct connect *connect = &taking->connection->tcp->connect;
    struct quic *of = taking->of;
    answer(taking, CONNECT_ACCEPTED);
    if (connect->syn_ack_seen)
        return;
    connect->syn_ack_seen = true;
    connect->syn_ack_ns = taking->segment->time_ns;
    connect->syn_ack_frame = taking->segment->frame;
    of->version = packet->version;
    of->server = packet->source;
    of->has_server_id = true;
    quic_ids_add(taking->quic->ids, &of->server, taking->connection);
}

static void
take_server_initial(struct taking *taking, const struct quic_packet *packet)
{
    struct quic *of = taking->of;
    struct quic_initial_said said;
    /* A refusal that is sent again is still one. */
    if (!of->opening && taking->connection->tcp->connect.result == CONNECT_REFUSED && !of->negotiated)
        return;
    if (!of->opening || packet->is_cut) {
        accept(taking, packet);
        return;
    }
    if (!take_initial(taking, packet, &said))
        return;
    if (said.closes && !of->opening->has_hello[QUIC_SERVER] && of->opening->crypto[QUIC_SERVER].known == 0)
        answer(taking, CONNECT_REFUSED);
    else
        accept(taking, packet);
    take_server_hello(taking);
    if (said.closes)
        take_close(taking, said.error);
}

/* Takes a server's packet, if it is addressed to the client's id: another one is somebody else's. */
static void
take_from_server(struct taking *taking, const struct quic_packet *packet)
{
    struct quic *of = taking->of;
    if (packet->type == QUIC_SHORT || !of->has_client_id || !quic_id_equal(&packet->destination, &of->client))
        return;
    switch (packet->type) {
    case QUIC_INITIAL:
        take_server_initial(taking, packet);
        break;
    case QUIC_HANDSHAKE:
        accept(taking, packet);
        break;
    case QUIC_RETRY:
        if (of->opening && !of->retried && quic_keys_set(&of->opening->keys, packet->version, &packet->source)) {
            of->retried = true;
            of->retry = packet->source;
        }
        answer(taking, CONNECT_ACCEPTED);
        break;
    case QUIC_NEGOTIATION:
        of->negotiated |= !taking->connection->tcp->connect.syn_ack_seen;
        if (of->negotiated)
            answer(taking, CONNECT_REFUSED);
        break;
    default:
        break;
    }
}

/* An Initial of the client that says nothing new, or one after the server has refused: the first one again. */
static void
take_again(struct taking *taking)
{
    struct connect *connect = &taking->connection->tcp->connect;
    if (connect->syn_frame == taking->segment->frame || connect->last_syn_ns == taking->segment->time_ns ||
        (connect->answer_frame && connect->result == CONNECT_ACCEPTED))
        return;
    connect->last_syn_ns = taking->segment->time_ns;
    connect->syn_retries += connect->result != CONNECT_REFUSED;
    show(taking, ITEM_SYN_AGAIN);
}

/* Takes the client's first packet behind the server's hello, which it acknowledges at once (RFC 9000 §13.2.1). What the
 * server may have sent before acknowledges alone, and is not acknowledged. */
static void
take_acknowledgement(struct taking *taking)
{
    struct connect *connect = &taking->connection->tcp->connect;
    const struct tls_handshake *handshake = taking->connection->tcp->handshake;
    if (!handshake || !handshake->answer_frame || connect->network_client_ns >= 0)
        return;
    connect->network_client_ns = MAX(taking->segment->time_ns - handshake->answer_ns, 0);
    show(taking, ITEM_ACK);
}

static void
take_client_initial(struct taking *taking, const struct quic_packet *packet)
{
    struct quic *of = taking->of;
    struct quic_initial_said said;
    if (!of->opening || packet->is_cut || !take_initial(taking, packet, &said))
        return;
    if (!of->has_client_id) {
        of->client = packet->source;
        of->has_client_id = true;
        of->version = packet->version;
        tell_tls(taking, TLS_STEP_HELLO, "");
        tell_tls(taking, TLS_STEP_FIRST, "");
    } else if (!quic_id_equal(&of->client, &packet->source) && of->negotiated) {
        of->client = packet->source;
    }
    if (!said.has_new_bytes && !said.acknowledges && !said.closes)
        take_again(taking);
    if (said.acknowledges)
        take_acknowledgement(taking);
    take_client_hello(taking);
    if (said.closes)
        take_close(taking, said.error);
}

static void
complete(struct taking *taking)
{
    const struct tls_handshake *handshake = taking->connection->tcp->handshake;
    if (!taking->connection->tcp->connect.syn_ack_seen || !handshake || handshake->end_frame)
        return;
    tell_tls(taking, TLS_STEP_COMPLETE, "");
    taking->connection->host_known = true;
    close_opening(taking->quic, taking->of, taking->requests->scope);
}

static void
take_from_client(struct taking *taking, const struct quic_packet *packet)
{
    switch (packet->type) {
    case QUIC_INITIAL:
        take_client_initial(taking, packet);
        break;
    case QUIC_ZERO_RTT:
        taking->of->has_early_data = true;
        break;
    case QUIC_HANDSHAKE:
        take_acknowledgement(taking);
        break;
    case QUIC_SHORT:
        take_acknowledgement(taking);
        complete(taking);
        break;
    default:
        break;
    }
}

/* The datagram has a packet of 1-RTT. */
static void
take_spin(struct taking *taking, bool spins)
{
    struct quic *of = taking->of;
    if (!of->spin)
        of->spin = wmem_new0(taking->requests->scope, struct quic_spin);
    struct quic_spin *spin = of->spin;
    const int64_t rtt_ns = quic_spin_take(spin, taking->side, spins, taking->segment->time_ns);
    if (rtt_ns < 0)
        return;
    struct item *item = items_add(taking->requests->items, taking->segment->frame, ITEM_SPIN);
    item->connection = taking->connection;
    item->spacing_ns = rtt_ns;
    item->n_believed = spin->believed;
    item->n_rounds = quic_spin_rounds(spin);
}

void
quic_take(struct quic_connections *quic, struct requests *requests, struct connection *connection,
          const struct segment *segment)
{
    const bool from_client = connection_sender(connection, segment) == connection->client;
    struct taking taking = {
        .quic = quic,
        .requests = requests,
        .connection = connection,
        .of = connection->tcp->quic,
        .segment = segment,
        .side = from_client ? QUIC_CLIENT : QUIC_SERVER,
    };
    struct quic_packet packet;
    bool has_spin = false, spins = false;
    if (taking.of->is_missed && taking.of->http3)
        http3_miss(taking.of->http3, taking.of->missed_ns);
    taking.of->has_data = taking.of->has_handshake = taking.of->is_missed = false;
    taking.of->datagrams[taking.side]++;
    taking.of->bytes[taking.side] += segment->payload_bytes;
    if (connection->tcp->connect.syn_frame == segment->frame)
        show(&taking, ITEM_SYN);
    for (size_t at = 0;
         at < segment->captured_bytes && quic_packet_read(segment->payload + at, segment->captured_bytes - at, &packet);
         at += packet.bytes) {
        taking.of->has_data |= packet.type == QUIC_SHORT || packet.type == QUIC_ZERO_RTT;
        taking.of->has_handshake |= packet.type == QUIC_INITIAL || packet.type == QUIC_HANDSHAKE;
        taking.of->is_missed |= packet.type == QUIC_SHORT && !from_client;
        taking.of->missed_ns = segment->time_ns;
        has_spin |= packet.type == QUIC_SHORT;
        spins |= packet.spins;
        if (from_client)
            take_from_client(&taking, &packet);
        else
            take_from_server(&taking, &packet);
        if (packet.is_cut)
            break;
    }
    if (taking.shows_tls)
        items_add(requests->items, segment->frame, ITEM_TLS)->connection = connection;
    else if (!taking.shows_syn)
        items_add(requests->items, segment->frame, ITEM_DATAGRAM)->connection = connection;
    if (quic->follows_spin && has_spin)
        take_spin(&taking, spins);
}

/* Returns whether the datagram begins with an Initial that decrypts as a client's first, whose frames are then kept. */
static bool
is_first(struct quic_first *first, const struct segment *segment, struct quic_packet *packet)
{
    if (!quic_packet_read(segment->payload, segment->captured_bytes, packet) ||
        !quic_keys_set(&first->keys, packet->version, &packet->destination))
        return false;
    first->next_number = 0;
    first->frames = g_malloc(packet->bytes);
    first->bytes = quic_initial_decrypt(&first->keys, QUIC_CLIENT, packet, &first->next_number, first->frames);
    if (first->bytes > 0)
        return true;
    g_free(first->frames);
    first->frames = NULL;
    return false;
}

static void
add_opening(struct quic_connections *quic, struct quic_opening *opening, wmem_allocator_t *scope)
{
    g_queue_push_tail(&quic->openings, opening);
    if (quic->openings.length > QUIC_OPENINGS_MOST) {
        const struct quic_opening *oldest = g_queue_peek_head(&quic->openings);
        close_opening(quic, oldest->connection->tcp->quic, scope);
    }
}

static struct connection *
begin(struct quic_connections *quic, const struct requests *requests, const struct segment *segment,
      const struct quic_packet *packet)
{
    struct connection *connection = connection_of(quic->table, segment, requests->settings);
    struct quic_opening *opening = wmem_new0(requests->scope, struct quic_opening);
    struct quic *of = wmem_new0(requests->scope, struct quic);
    struct connect *connect = &connection->tcp->connect;
    connection->client = connection_sender(connection, segment);
    connection->roles = ROLES_CERTAIN;
    connection_set_session(connection, SESSION_OVER);
    connection->tcp->quic = of;
    of->opening = opening;
    of->first = packet->destination;
    opening->connection = connection;
    opening->keys = quic->first.keys;
    connect->number = ++*quic->attempts;
    connect->syn_frame = segment->frame;
    connect->syn_ns = connect->last_syn_ns = segment->time_ns;
    add_opening(quic, opening, requests->scope);
    quic->has_any = true;
    return connection;
}

/* Returns whether the packet is addressed to an id that who gets it is known to have. */
static bool
is_addressed(const struct connection *connection, const struct segment *segment, const struct quic_packet *packet)
{
    const struct quic *of = connection->tcp->quic;
    if (connection_sender(connection, segment) != connection->client)
        return of->has_client_id && quic_packet_is_to(packet, &of->client);
    return quic_packet_is_to(packet, &of->first) || (of->retried && quic_packet_is_to(packet, &of->retry)) ||
           (of->has_server_id && quic_packet_is_to(packet, &of->server));
}

/* Returns whether a server addresses its client by no id. Then there is but one connection at a time. */
static bool
has_no_id(const struct connection *connection, const struct segment *segment)
{
    const struct quic *of = connection->tcp->quic;
    return connection_sender(connection, segment) != connection->client && of->has_client_id && of->client.length == 0;
}

/* Returns which of the connections between these ports a datagram is of, the latest of which is given; NULL if that
 * cannot be known. */
static struct connection *
choose(struct connection *latest, const struct segment *segment)
{
    struct quic *of = latest->tcp->quic;
    struct quic_packet packet;
    if (!quic_packet_read(segment->payload, segment->captured_bytes, &packet))
        return of->is_shared ? NULL : latest;
    for (struct connection *each = latest; each; each = each->tcp->quic->earlier) {
        if (has_no_id(each, segment) || !is_addressed(each, segment, &packet))
            continue;
        of->is_shared |= each != latest;
        return each;
    }
    if (has_no_id(latest, segment))
        return latest;
    /* Who clears the fixed bit (RFC 9287) does so at random, so that most packets show that they are QUIC's. */
    const bool is_likely = packet.has_fixed_bit || packet.type == QUIC_NEGOTIATION;
    return is_likely && !of->is_shared ? latest : NULL;
}

/* A client's Initial to an id that the connection has not is another's, on the same addresses: unless it asks again in
 * a version that the server speaks. */
static bool
may_begin_another(const struct connection *connection, const struct segment *segment)
{
    const struct quic *of = connection->tcp->quic;
    struct quic_packet packet;
    return connection_sender(connection, segment) == connection->client &&
           quic_packet_read(segment->payload, segment->captured_bytes, &packet) &&
           !is_addressed(connection, segment, &packet) && (!of->negotiated || connection->tcp->connect.syn_ack_seen);
}

/* Notes that a connection has begun between the ports of another, which may go on. */
static void
share(struct connection *earlier, struct connection *begun)
{
    unsigned n = 1;
    begun->tcp->quic->earlier = earlier;
    earlier->tcp->quic->later = begun;
    for (; earlier && n < QUIC_SHARED_MOST; n++)
        earlier = earlier->tcp->quic->earlier;
    if (earlier)
        leave_shared(earlier->tcp->quic);
}

static void
put_back(const struct connection *connection, struct segment *segment, bool from_client)
{
    segment->source = *(from_client ? connection_client(connection) : connection_server(connection));
    segment->destination = *(from_client ? connection_server(connection) : connection_client(connection));
}

/* Returns whether nothing but the client's port differs from those of the connection. */
static bool
is_renumbered(const struct connection *connection, const struct segment *segment)
{
    return endpoint_equal(&segment->destination, connection_server(connection)) &&
           memcmp(segment->source.address, connection_client(connection)->address, ADDRESS_BYTES) == 0;
}

/* Returns the connection of a datagram between addresses that no connection has begun with. */
static struct connection *
find_moved(struct quic_connections *quic, struct segment *segment)
{
    bool from_client;
    struct quic_packet packet;
    struct connection *connection = quic_ids_moved(quic->ids, segment, &from_client);
    if (!connection && quic_packet_read(segment->payload, segment->captured_bytes, &packet) &&
        packet.type == QUIC_SHORT) {
        connection = quic_ids_find(quic->ids, segment->payload, segment->captured_bytes);
        from_client = true;
        if (connection && is_renumbered(connection, segment)) {
            connection->tcp->quic->moves++;
            quic_ids_move(quic->ids, segment, connection);
        } else {
            connection = NULL;
        }
    }
    if (connection)
        put_back(connection, segment, from_client);
    return connection;
}

struct connection *
quic_find(struct quic_connections *quic, const struct requests *requests, struct segment *segment)
{
    const bool may_begin = quic_may_begin(segment->payload, segment->captured_bytes, segment->payload_bytes);
    if (!may_begin && !quic->has_any)
        return NULL;
    g_free(quic->first.frames);
    quic->first.frames = NULL;
    const struct endpoint source = segment->source, destination = segment->destination;
    struct connection *latest = connection_find(quic->table, &source, &destination, segment->ipv6);
    struct connection *connection = latest ? choose(latest, segment) : find_moved(quic, segment);
    struct quic_packet packet;
    if (!may_begin || (connection && !may_begin_another(connection, segment)) ||
        !is_first(&quic->first, segment, &packet))
        return connection;
    /* Not from the port of a connection that has moved to this one. */
    segment->source = source;
    segment->destination = destination;
    if (latest)
        connection_retire(quic->table, latest);
    connection = begin(quic, requests, segment, &packet);
    if (latest)
        share(latest, connection);
    return connection;
}

/* The server says in its first packet behind the hello which protocol it has chosen. */
static void
take_chosen(struct quic_connections *quic, struct requests *requests, struct connection *connection,
            const struct segment *segment, const uint8_t *frames, size_t length)
{
    char chosen[TLS_TEXT_ROOM];
    const struct tls_handshake *handshake = connection->tcp->handshake;
    struct taking taking = { .quic = quic, .requests = requests, .connection = connection, .segment = segment };
    if (handshake && !*handshake->chosen && !handshake->end_frame &&
        connection_sender(connection, segment) != connection->client && quic_crypto_chosen(frames, length, chosen))
        tell_tls(&taking, TLS_STEP_CHOSEN, chosen);
}

bool
quic_take_decrypted(struct quic_connections *quic, struct requests *requests, struct connection *connection,
                    const struct segment *segment, const uint8_t *frames, size_t length)
{
    struct quic *of = connection->tcp->quic;
    take_chosen(quic, requests, connection, segment, frames, length);
    /* Until something else shows that Wireshark has the connection's keys. */
    const bool may_be_handshakes = !of->http3 && of->has_handshake && quic_frames_may_be_handshakes(frames, length);
    if (!of->has_data || may_be_handshakes)
        return false;
    of->is_missed = false;
    if (!of->http3 && !http3_is_offered(connection))
        return false;
    if (!of->http3) {
        of->http3 = http3_new(connection);
        if (!quic->http3)
            quic->http3 = g_ptr_array_new();
        g_ptr_array_add(quic->http3, of->http3);
        connection->exchanges.protocol = PROTOCOL_HTTP3;
        connection_set_session(connection, SESSION_MESSAGES);
    }
    http3_take(of->http3, requests, connection, segment, frames, length);
    return true;
}

void
quic_end(struct requests *requests, struct connection *connection)
{
    struct quic *of = connection->tcp->quic;
    if (!of || !of->http3)
        return;
    if (of->is_missed)
        http3_miss(of->http3, of->missed_ns);
    http3_end(of->http3, requests);
}

void
quic_add_waiting(const struct quic_connections *quic, GPtrArray *connections)
{
    for (unsigned i = 0; quic->http3 && i < quic->http3->len; i++)
        g_ptr_array_add(connections, http3_connection(g_ptr_array_index(quic->http3, i)));
}

struct connection *
quic_find_quoted(const struct quic_connections *quic, const struct segment *quoted)
{
    return quic->has_any ? connection_find(quic->table, &quoted->source, &quoted->destination, quoted->ipv6) : NULL;
}

void
quic_refuse(const struct requests *requests, struct connection *connection, const struct segment *quoted)
{
    struct connect *connect = &connection->tcp->connect;
    if (connect->answer_frame || connection_sender(connection, quoted) != connection->client)
        return;
    connect_answer(connect, CONNECT_UNREACHABLE, quoted->frame, quoted->time_ns);
    items_add(requests->items, quoted->frame, ITEM_ANSWER)->connection = connection;
}
