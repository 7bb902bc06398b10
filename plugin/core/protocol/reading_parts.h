/* reading_parts.h
 * What the files of reading.h share. Each calls only those before it: what is kept of a connection (reading_state.c),
 * the message that a flow is in (reading_message.c), which answer is whose (reading_matching.c), messages whose end is
 * not seen (reading_cut.c), what gaps do, and where a message begins behind one (reading_gap.c), the last bytes of a
 * message (reading_last.c), the flows of bytes (reading_flow.c), how a connection begins to be read
 * (reading_recognition.c), and what TLS hides (reading_decrypted.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_READING_PARTS_H
#define LATENCY_READING_PARTS_H

#include "parser.h"
#include "plaintext.h"
#include "reading.h"
#include "../request/operation.h"
#include "../request/resync.h"
#include "../request/tls_cursor.h"

/* The session in what TLS hides (reading_decrypted.c), of which TLS's records, outside, know nothing. */
enum decryption_state {
    DECRYPTION_SOUGHT,  /* what has been decrypted, be it nothing yet, is not known to be a protocol's */
    DECRYPTION_AWAITED, /* the client's first record goes on in segments to come: no turn, to see what is in it */
    DECRYPTION_READ,    /* the flows are of decrypted bytes */
    DECRYPTION_SEALED   /* none of them are looked at any more: not all was decrypted, or it is another protocol */
};

/* What of a connection Wireshark has decrypted. */
struct decryption {
    enum decryption_state state : 8;
    bool is_greeted : 1;    /* the server spoke first */
    bool is_disordered : 1; /* bytes are not in the order of their records */
    bool deciphers : 1;     /* the client's part of the handshake was decrypted */
    bool has_answered : 1;  /* there were bytes of the server */
    bool is_part : 1;       /* no record of the server's ends in the segment */
    bool is_broken : 1;     /* with the segment: what it hides was not all decrypted, or is another protocol */
    uint32_t overhead;      /* bytes that encryption adds to a record of the client; 0: not known */
    unsigned n_ready;       /* records of the queue whose plaintext belongs to the segment */
    unsigned tickets;       /* records of the server that may have been session tickets */
    int64_t read_from;      /* offset of what is read now in its side's decrypted bytes */
    struct followed {
        struct tls_cursor cursor;
        struct plaintext plaintext;
    } followed[2]; /* the records of the server, of the client, and what they hide */
};

/* The client's, of the segments so far. */
struct last_bytes {
    int64_t until; /* offset: what comes from there on is not wanted */
    int64_t end;   /* offset behind them */
    uint16_t count;
    uint8_t bytes[LAST_ROOM];
};

/* A connection's. */
struct reading {
    const struct parser *parser; /* NULL: none now */
    const struct parser *last_parser;
    struct flow flow[2]; /* of the server, of the client */
    char operation[OPERATION_ROOM];
    uint64_t unread[2];      /* bytes of the server, of the client, since their place was lost */
    uint64_t least;          /* bytes of a message of the client so far; 0 before the first */
    uint64_t before;         /* bytes of the server's segment before, or of the hole */
    uint32_t largest;        /* segment of the server's */
    struct resync *resync;   /* NULL: nothing has asked yet */
    void *own;               /* the parser's; NULL for nothing */
    uint32_t undecided;      /* answers that wait for it to be known which requests they are to */
    uint32_t told_undecided; /* how often they were told: not less than their frames */
    int64_t open_from;  /* offset in the client's bytes: what is asked behind it ends the answer that is open-ended */
    int64_t last_ns;    /* of payload */
    int64_t begun;      /* offset in the client's bytes from which they are read */
    int64_t asked_from; /* offset of the latest request in the client's bytes, and its number */
    uint64_t asked;
    uint32_t first_ack;       /* of the client, with the segment that was recognised */
    uint32_t client_ack;      /* with its last payload */
    uint8_t mode;             /* the parser's */
    bool makes_sense : 1;     /* the server has answered */
    bool has_gap : 1;         /* bytes are missing: what makes no sense may come of that */
    bool began_unseen : 1;    /* before the capture, without ids: that the first request waits alone is assumed */
    bool is_preceded : 1;     /* the server has acknowledged less than what came before that request */
    bool has_unsolicited : 1; /* an answer passed, and nobody had asked */
    bool waited : 1;          /* what made no sense was one answer, to a client that waited, or one line that asked;
                               * and the client has not asked since */
    bool is_cut : 1;          /* bytes that the snap length cut may be whole messages */
    struct decryption *decryption; /* NULL before something may be decrypted */
    struct last_bytes *last;       /* NULL: nobody wants them */
    struct requests *requests;     /* for the call, as the next one */
    struct carrier *carrier;       /* of what is being read; NULL outside of that */
    struct connection *connection;
};

/* A connection's; made if there is none yet. The second is that of the carrier's connection, which is read now. */
struct reading *reading_at(const struct requests *requests, struct connection *connection);
struct reading *reading_of(struct requests *requests, struct carrier *carrier);

/* Returns whether the flows are of decrypted bytes. */
static inline bool
reading_is_decrypted(const struct reading *reading)
{
    return reading->decryption && reading->decryption->state == DECRYPTION_READ;
}

/* The offset after what has been read of the server, or of the client; -1 if nothing is known of it. */
int64_t reading_end(const struct reading *reading, bool from_client);

/* What it has sent. */
const struct sequence *reading_sequence(const struct reading *reading, bool from_client);

/* Ends what was read of the carrier, which is its caller's, and frees what only messages under way need. */
void reading_put_away(struct reading *reading);

/* Frees what the parser keeps of the connection. */
void reading_drop_own(struct reading *reading);

/* Makes room for the piece that a segment has cut. */
void reading_make_unit(struct reading *reading, bool from_client);

/* Passes bytes of the flow that nobody reads. */
void reading_pass(struct flow *flow, uint64_t bytes);

/* The message of a flow. Between two: */
void reading_reset(struct reading *reading, bool from_client);
void reading_begin_message(struct flow *flow, enum message_kind kind, uint64_t key);
void reading_tell(struct reading *reading, struct event *event);
/* What asks or answers on that side: what is there of it, or all. */
void reading_tell_message(struct reading *reading, bool from_client, bool ends);
/* The same, but for telling. */
void reading_describe_message(struct reading *reading, bool from_client, bool ends);
/* What has begun is no message that asks or answers. */
void reading_break_head(struct reading *reading, bool from_client);
void reading_end_message(struct reading *reading, bool from_client);
/* The same, where the capture lacks its rest. */
void reading_end_unseen(struct reading *reading, bool from_client);

/* Gives up the undecided answers: whose they are will never be known. */
void reading_drop(struct reading *reading);

/* Matching. Which request the next answer belongs to. */
struct resync *reading_resync(struct reading *reading);
struct interval reading_interval(const struct reading *reading);
/* Returns whether one request alone waits for its answer: the latest. */
bool reading_waits(const struct reading *reading);
/* What became known is told. */
void reading_settle(struct reading *reading);

/* Messages whose end is not seen. */
/* Where that side's message ends is not known: it lasts until the next turn. */
void reading_leave_open(struct reading *reading, bool from_client);
/* What the server says is all of it until it begins to answer the next request, as it may with this segment. */
void reading_end_open(struct reading *reading, const struct segment *segment, int64_t start);
/* Of a block that is cut, by the snap length or by a gap, the first bytes say its length: true if the message goes on
 * by that. */
bool reading_takes_cut(struct reading *reading, bool from_client, bool by_gap);
/* The snap length cut what would say where the message of that side ends: true if the turn says it. */
bool reading_goes_on_cut(struct reading *reading, bool from_client);
/* Likewise an answer that has ended, if it answers what is cut: others may belong to that. */
bool reading_answers_cut(struct reading *reading);
/* A client's segment arrives: what is cut ends before it, if the next turn begins. */
void reading_see_turn(struct reading *reading, const struct segment *segment);

/* Gaps. The capture does not have the bytes up to `start`: the place in them is lost, or the message's last bytes. */
void reading_pass_hole(struct reading *reading, bool from_client, int64_t start);
void reading_lose_place(struct reading *reading, bool from_client);
/* It is known, and so how many requests the bytes that were not read can have been. */
void reading_bound_unread(struct reading *reading, bool from_client, bool is_found);
/* A server that acknowledges what the capture does not have may answer that, or what has begun before it. */
void reading_note_acknowledged(struct reading *reading, const struct segment *segment);
/* Behind the first request of a connection that began before the capture: if the server has not had all that the client
 * had sent before it (reading_take_ack()), other requests are under way. */
void reading_note_preceding(struct reading *reading);
/* Returns whether what the server says there, and makes no sense, is the rest of an answer to one of these: who answers
 * a request acknowledges it (RFC 9293 §3.4). */
bool reading_is_rest(struct reading *reading, bool from_client);
/* The client asks with this segment: if both sides have been silent for long before, nothing is in flight. */
void reading_note_silence(struct reading *reading, const struct segment *segment);
/* It has asked: notes how many are in flight, if it had all that the server has said. */
void reading_note_flight(struct reading *reading, const struct segment *segment);

/* Last bytes. Keeps those of what the client says now. */
SELDOM void reading_keep_last(struct reading *reading);
/* Frees what is kept. */
SELDOM void reading_drop_last(struct reading *reading);

/* Flows. The new bytes of a segment, from the flow's place on: of `length`, the first `captured` are there. */
void reading_bytes(struct reading *reading, bool from_client, const uint8_t *bytes, size_t captured, uint64_t length);

/* That side goes on with these bytes: ends its message, if that ends before them. */
void reading_see_end(struct reading *reading, bool from_client, const uint8_t *bytes, size_t captured);

/* The place of that side, which was lost, is looked for in a segment; false if it is not in there. */
bool reading_find_place(struct reading *reading, bool from_client, const struct segment *segment);

/* Recognition. The parser whose request begins with these bytes, of `whole` that were sent together; NULL for none. */
const struct parser *reading_recognise(const uint8_t *bytes, size_t length, uint64_t whole);

/* The one whose server may speak first, with these bytes; NULL for none. */
const struct parser *reading_greeter(const uint8_t *bytes, size_t length);

/* A piece of a connection of which nothing is known: a protocol may show. Without a handshake the roles are guessed, by
 * ports: what the side says that was taken for the server may tell. */
void reading_recognise_protocol(struct requests *requests, struct carrier *carrier);

/* Reads anew, from the carrier on, and claims the connection for the parser; `decrypted`: the bytes that TLS hides, of
 * which both sides' first are in this piece. */
void reading_begin(struct reading *reading, const struct parser *parser, bool from_client, bool decrypted);

/* For reading_arrives() and reading_take(), where something is decrypted, or may be. */
bool reading_is_hidden(const struct reading *reading);
void reading_arrives_decrypted(struct requests *requests, struct carrier *carrier);
void reading_take_decrypted(struct reading *reading, bool from_client);
void reading_forget_decrypted(struct requests *requests, struct reading *reading);

/* Returns whether more than `least_ns` has passed since the connection's last payload, and more than eight times the
 * longest that a request of it has waited. */
bool reading_is_silence(const struct reading *reading, int64_t now_ns, int64_t least_ns);

#endif
