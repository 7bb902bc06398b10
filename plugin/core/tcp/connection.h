/* connection.h
 * Connections: their ends, who is the client, how long the handshake took, how they end, and what state their session
 * is in. Of TCP and QUIC; conversations of DNS over UDP have what is not TCP's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CONNECTION_H
#define LATENCY_CONNECTION_H

#include "continuity.h"
#include "run.h"
#include "segment.h"
#include "sequence.h"
#include "../util/hashed.h"
#include "../util/protocols.h"
#include "../util/settings.h"

struct ca_circuit;
struct request;
struct opening;
struct parser;
struct reading;
struct stream;
struct tls_handshake;
struct connection_points;
struct head;
struct quic;
struct undecided;

/* How it is known which endpoint is the client. */
enum roles {
    ROLES_GUESSED,  /* by ports */
    ROLES_REVERSED, /* what is said shows that the client is not who seemed so; see reading_reverses_roles() */
    ROLES_CERTAIN
};

/* Whether a segment between a connection's endpoints is taken for the connection's. */
enum life {
    CONNECTION_LIVES,
    CONNECTION_RETIRED, /* it is looked up no more */
    CONNECTION_REPLACED /* the same, since a new connection has taken over its endpoints */
};

/* Says which of lingering.h's rows has the connection. */
enum lingers { LINGERS_NOWHERE, LINGERS_OPEN, LINGERS_ENDED };

/* How a connection is read (docs/internals.md, The states of a session). connection_set_session() alone changes it.
 *
 * TLS is none of these: its records lie around the session, from the first hello on (`tls` of struct tcp_part). What
 * nobody has decrypted of them goes by turns; what Wireshark has is read in these same states (reading_parts.h, struct
 * decryption). */
enum session {
    SESSION_TURNS,    /* nobody knows what is spoken: turns are counted, and each of the client may show a protocol */
    SESSION_OPENING,  /* the same, and what the client has said is held until a protocol shows, or none (opening.h) */
    SESSION_MESSAGES, /* messages are told (exchanges.h), and turns are not counted */
    SESSION_OVER      /* turns are counted, and no protocol is looked for any more: the one that was read went over to
                         what nobody reads, or its server never spoke it, or not all of what TLS hides was decrypted */
};

/* An attempt to connect; begun if `number` is not 0. */
struct connect {
    uint32_t number; /* of the attempt in the capture, from 1 */
    uint32_t syn_frame;
    uint32_t answer_frame;
    uint32_t syn_ack_frame;
    int64_t syn_ns;
    int64_t last_syn_ns;
    int64_t time_ns;           /* first SYN to its answer; -1 while unanswered */
    int64_t network_server_ns; /* -1 if unknown, as below */
    int64_t network_client_ns;
    int64_t syn_ack_ns;    /* of the last SYN-ACK */
    uint32_t syn_retries;  /* SYNs before the answer, but the first */
    uint32_t syns_refused; /* those behind an RST, which may be no answer yet */
    bool syn_ack_seen : 1;
    enum connect_result result : 8; /* never CONNECT_WAITING */
    uint16_t syn_bytes : 16;        /* of payload on its SYN */
};

enum { RECENT_FRAMES = 8 };

/* A frame's print and time, to know it when the capture has it twice. */
struct recent {
    uint32_t print;
    uint32_t time_us;
};

/* One side, of TCP. */
struct tcp_sender {
    struct sequence sequence;
    struct row_before before; /* its last frame with new payload */
    struct continuity continuity;
    uint32_t isn; /* meaningful if has_isn */
    uint32_t ack; /* its last, meaningful if has_acked */
    uint16_t mss; /* announced; 0 if unknown */
    bool has_isn : 1;
    bool has_acked : 1;
    bool is_full : 1;    /* its last window was 0: the other side cannot send */
    bool incomplete : 1; /* the last payload frame was an IP fragment: the rest of its payload is not here */
};

/* What a proxy has said before the client of whose connection this one carries on (prelude.h). */
struct proxied {
    int64_t end;    /* offset behind it in the client's stream */
    uint32_t frame; /* with which it began */
    uint16_t port;  /* of the proxy's client; 0: it has none, or it is not known */
    char client[];  /* its address; "": the connection is the proxy's own, or it does not say */
};

/* What a conversation of datagrams has, too. */
struct sender {
    int64_t read; /* offset after what has been read of it, whoever it is of; 0 for nothing */
    union {
        struct recent one;
        struct recent *many; /* if there is room for more than one */
    } recent;                /* its latest frames */
};

struct recent_slots {
    uint8_t room : 4; /* at most RECENT_FRAMES: most connections are short */
    uint8_t next : 4;
};

/* A server's payload before any request of its connection. */
struct greeting {
    uint32_t frame; /* the first; 0 for none */
    int64_t first_ns, last_ns;
    uint64_t bytes; /* new payload */
};

/* A server's payload that nobody asked for. */
struct unsolicited {
    struct greeting greeting;
    struct run run;    /* of it, by turns */
    bool has_pushed;   /* a frame was told as unsolicited; and: */
    bool has_greeted;  /* all of them before the first request */
    int64_t pushed_ns; /* the latest one's time */
};

/* What of a connection's messages has begun and not ended. */
struct exchanges_work {
    struct request *under_way[2]; /* whose answer, and which request */
    struct undecided *undecided;  /* an answer of which it is not known whose it is; see unowned.h */
    struct head *head[2];         /* what may be a message of the server, or of the client; see unowned.h */
    uint64_t before[2];           /* bytes of what is under way before its message */
    struct request *turn;         /* that had not been answered when messages were; NULL: none */
};

/* Bounds how many turns lose their answers where a protocol shows: see struct claim. */
enum { TURNS_WITHIN_MOST = 8 };

/* See exchanges.h. */
struct exchanges {
    bool is_lost;         /* which request the next answer belongs to, after a gap */
    uint8_t protocol;     /* enum protocol */
    bool goes_on : 1;     /* by turns: the last request, which a message has told */
    bool hidden : 1;      /* messages are: see struct claim */
    uint8_t turns_within; /* how many may lose their answers; above TURNS_WITHIN_MOST: none, from now on */
    uint32_t looks_like;  /* the protocols that they look like: a bit for each enum protocol */
    uint32_t lost_number; /* requests up to this one were lost, or had been answered */
    uint32_t misses;      /* how often bytes of the server were missing */
    int64_t longest_ns;   /* first_byte of any request so far */
    struct exchanges_work work;
};

/* What a connection of TCP or QUIC has, and no conversation of datagrams. */
struct tcp_part {
    struct tcp_sender sender[2];
    struct connect connect;
    struct opening *opening;         /* see opening.h; NULL for none */
    struct proxied *proxied;         /* NULL: no proxy has said anything */
    struct reading *reading;         /* see reading.h; NULL until a protocol was recognised */
    const struct parser *believed;   /* has had a request and an answer that agree; NULL for none */
    uint16_t refused;                /* those whose requests were answered by something else: a bit for each */
    wmem_array_t *undecided;         /* answers; see unowned.h; NULL for none */
    struct tls_client *tls;          /* see tls_turn.h; NULL until a handshake began */
    struct tls_handshake *handshake; /* see tls_handshake.h; NULL for none */
    struct stream *stream;           /* see stream.h; NULL before its first segment */
    struct ca_circuit *circuit;      /* of Channel Access or pvAccess; NULL if it is none */
    struct quic *quic; /* see quic/quic.h; NULL: it is TCP. Of QUIC there is this, `connect`, `handshake` */
};

struct connection {
    struct hashed hashed; /* by its endpoints, in the table */
    uint32_t number;      /* in the capture, from 1 */
    uint32_t first_frame;
    struct endpoint endpoint[2]; /* in the order of their bytes */
    uint32_t n_requests;
    uint32_t room;      /* for requests, 0 for but one; and: */
    uint32_t forgotten; /* as many before the first */
    bool client : 1;    /* index of the client's endpoint */
    bool ipv6 : 1;
    bool is_ssh : 1;       /* its client began with that */
    bool is_datagrams : 1; /* none: a conversation of UDP; see datagrams.h */
    bool host_known : 1;   /* its client has said something: with or without SNI */
    bool has_gaps : 1;     /* the capture does not have all bytes of its payload */
    bool has_greeted : 1;  /* all that its server has said is a greeting, and that has ended */
    enum roles roles : 3;
    enum life life : 3;
    enum lingers lingers : 3;
    enum session session : 3;
    uint8_t fins : 2; /* which ends have sent theirs: a bit for each, like the endpoints */
    struct recent_slots recent_slots[2];
    uint32_t reset_before;   /* requests with lower numbers began before its last RST; 0: it has had none */
    struct sender sender[2]; /* like the endpoints */
    int64_t ended_ns;        /* first RST, FIN of the server, or replacement; INT64_MAX before */
    int64_t last_ns;         /* of its last segment, or replacement */
    struct connection *lingers_before, *lingers_behind; /* see lingering.h */
    struct request *request;                            /* the last that began; NULL before the first */
    struct request **requests;                          /* in the order they began; of but one: where `request` is */
    struct unsolicited *unsolicited;                    /* NULL for nothing */
    struct exchanges exchanges;
    struct connection_points *points; /* see preferred_point.h; NULL before its first sighting */
    struct tcp_part *tcp;             /* of datagrams one that says nothing, and cannot be written to */
};

struct connection_table;

/* What a table's connections are. Those of DNS are conversations of datagrams (datagrams.h). */
enum connections_of { CONNECTIONS_OF_TCP, CONNECTIONS_OF_DNS, CONNECTIONS_OF_QUIC };

/* Everything allocated lives in `scope`. `count`: of connections, by which they are numbered, also in other tables. */
struct connection_table *connection_table_new(wmem_allocator_t *scope, uint32_t *count, enum connections_of of);

/* The connection a segment belongs to; a new one if there is none or the segment's SYN starts another. */
struct connection *connection_of(struct connection_table *table, const struct segment *segment,
                                 const struct settings *settings);

/* The one that connection_of() has replaced by its new one, if none was asked for meanwhile; NULL for none. */
struct connection *connection_replaced(struct connection_table *table);

/* The connection of these endpoints; NULL if there is none. Nothing is created. */
struct connection *connection_find(const struct connection_table *table, const struct endpoint *source,
                                   const struct endpoint *destination, bool ipv6);

/* `key`: a hash table's. */
static inline uint64_t
endpoint_hash(const struct endpoint *endpoint, uint64_t key)
{
    uint64_t words[2];
    memcpy(words, endpoint->address, sizeof words);
    return hashed_mix(hashed_mix(words[0] ^ key, words[1] ^ key << 1), endpoint->port ^ key);
}

/* Index of the endpoint that sent the segment, which is the connection's. */
static inline uint8_t
connection_sender(const struct connection *connection, const struct segment *segment)
{
    const struct endpoint *ends = connection->endpoint;
    if (ends[0].port != ends[1].port)
        return segment->source.port != ends[0].port;
    return !endpoint_equal(&ends[0], &segment->source);
}

/* True if the sender's frame has been captured just before (docs/measuring.md, "duplicate"); else remembers it. */
bool connection_is_duplicate(struct connection *connection, const struct segment *segment, wmem_allocator_t *scope);

/* The server's payload before any request; NULL for none. */
const struct greeting *connection_greeting(const struct connection *connection);

/* Changes how the connection is read. With SESSION_TURNS it is SESSION_OPENING as long as it has an opening. */
void connection_set_session(struct connection *connection, enum session session);

enum handshake { HANDSHAKE_NONE, HANDSHAKE_SYN, HANDSHAKE_SYN_AGAIN, HANDSHAKE_ANSWER, HANDSHAKE_ACK };

/* Takes SYN, SYN-ACK, RST and the ACK after; says what the segment was to the attempt to connect. A SYN-ACK without
 * an attempt is an answer too: its SYN may come later.
 * A SYN that begins an attempt takes its number from `attempts`, which it increments. */
enum handshake connection_shake_hands(struct connection *connection, const struct segment *segment, uint32_t *attempts,
                                      wmem_allocator_t *scope);

/* Whether a SYN-ACK is the answer to a SYN of the ports' next connection, not to this one's that the capture has, which
 * it does not acknowledge: RFC 9293 §3.10.7.3. */
bool connection_is_of_another_syn(const struct connection *connection, const struct segment *segment);

/* The attempt has got this answer. */
void connect_answer(struct connect *connect, enum connect_result result, uint32_t frame, int64_t time_ns);

/* An ICMP error quoted a segment of this connection (see analysis.h); true if that answers its SYN. */
bool connection_unreachable(struct connection *connection, const struct segment *quoted);

const struct endpoint *connection_client(const struct connection *connection);
const struct endpoint *connection_server(const struct connection *connection);

/* The server can send nothing more: its FIN, or a new connection in its place. */
static inline bool
connection_is_closed(const struct connection *connection)
{
    return connection->life == CONNECTION_REPLACED || connection->fins >> !connection->client & 1;
}

/* Seconds after a connection's last segment in which those are awaited that have been under way. */
enum { CONNECTION_LINGERS_S = 120 };
#define CONNECTION_LINGERS_NS (CONNECTION_LINGERS_S * INT64_C(1000000000))

/* An RST has ended it. */
static inline bool
connection_is_reset(const struct connection *connection)
{
    return connection->reset_before > 0;
}

/* Whether nothing has come of it for so long; a clock that was set back is as good as one that has gone on. */
bool connection_is_quiet(const struct connection *connection, int64_t now_ns);

/* Nothing of it is awaited but stray segments: FIN of both, RST, or a new connection in its place. */
bool connection_has_ended(const struct connection *connection);

/* Returns what the attempt has come to at `now_ns`. One without an answer is waiting for less than a second: then a
 * client sends its SYN again (RFC 6298 §2.1). Once it has, or has acknowledged an answer that the capture lacks, or the
 * connection has ended, it is unanswered. */
enum connect_result connection_connect_result(const struct connection *connection, int64_t now_ns);

/* Returns whether it has ended and been quiet for so long that a segment that comes now is another connection's. */
bool connection_is_over(const struct connection *connection, int64_t now_ns);

/* From now on a segment between its endpoints is another connection's. */
void connection_retire(struct connection_table *table, struct connection *connection);

/* Frees the connection, whose requests are forgotten. */
void connection_forget(struct connection_table *table, struct connection *connection);

/* Whether its FIN is the end of what its sender says. One without payload is not noted by payload_take() if not. */
bool connection_is_finished_by(const struct connection *connection, const struct segment *segment);

/* Whether the segment resets it: RFC 9293 §3.10.7.3 and 4, without knowing the window. */
bool connection_is_reset_by(const struct connection *connection, const struct segment *segment);

/* Takes FIN and RST, once the segment's payload is done with. `next_request`: the number of the next that begins. */
void connection_close(struct connection *connection, const struct segment *segment, uint32_t next_request);

#endif
