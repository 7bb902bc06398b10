/* framing.h
 * Connections whose messages a parser finds: each message that has an answer is a request of its own, many in flight.
 *
 * Whoever reads the messages tells where they begin and end, in the order in which the capture has them, while the
 * segment that carries them is being taken or right after. An answer belongs to the request with the same key that has
 * waited longest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAMING_H
#define LATENCY_FRAMING_H

#include "request.h"
#include "../tcp/payload.h"

enum message_kind {
    MESSAGE_CLAIM,   /* none yet: from now on the connection's messages are requests, and turns are not counted */
    MESSAGE_ASKS,    /* for an answer */
    MESSAGE_ANSWERS, /* what asked with the same key */
    MESSAGE_BREAK,   /* what began, on the side of `from_client`, and has not ended never will; `bytes`: how many
                        are known to be its own, or 0 */
    MESSAGE_LOSE,    /* what waits and asked before what has the key will not be told its answer */
    MESSAGE_RELEASE, /* from now on turns are counted again */
    /* When which answer is whose is not known: */
    MESSAGE_UNDECIDED, /* answers something; its key is nobody's */
    MESSAGE_PLACE,  /* those that are undecided, but the first `bytes`, answer what asked with the key and the next keys
                     */
    MESSAGE_DROP,   /* what is undecided will never be placed */
    MESSAGE_BEGINS, /* on the side of `from_client`, in the end of the segment; it will say later what it is */
    MESSAGE_TLS,    /* none: a step of a handshake of TLS, its key; see tls_handshake.h */
    /* Where messages are parts, which interleave: */
    MESSAGE_PROMISES, /* the server's asks in the client's place: it will be answered with the same key */
    MESSAGE_STOPS,    /* nothing more comes of what has the key; `bytes`: enum stop */
    MESSAGE_UPGRADE,  /* the protocol is another from here on; what is outstanding has been asked entirely */
    MESSAGE_ROLES,    /* none yet: ports had the connection's client wrong */
    MESSAGE_MISS,     /* bytes of the server are missing: what waits is lost, unless it is answered after all */
    MESSAGE_ORDER,    /* with the key 1: bytes are missing, and what waits, and asks from now on, is lost, unless it is
                         answered after all; with 0: no longer, for it is known again what is answered next */
    MESSAGE_KEPT,     /* none: from the segment's bytes on, what the client said has been kept until now (opening.h); the
                         connection or the capture `ends` */
    MESSAGE_KINDS
};

/* Of MESSAGE_RELEASE: what is in flight is lost, even alone; the client's segment, if it is nobody's, is of a turn. */
enum { RELEASE_LOSES = 1, RELEASE_TURN = 2 };

/* Says why MESSAGE_STOPS ends a message. Where its response has begun, only STOP_CANCELLED changes anything. */
enum stop {
    STOP_CLOSED,
    STOP_LOST,     /* its answer cannot be told */
    STOP_REFUSED,  /* the server does not look at it */
    STOP_CANCELLED /* by the client */
};

/* Of message.content: bytes are missing. */
enum { CONTENT_UNKNOWN = UINT32_MAX };

struct message {
    enum message_kind kind;
    bool joins;       /* asks again: goes to what waits with the same key, if there is something */
    bool ends;        /* in this segment; else only its beginning is there */
    bool from_client; /* MESSAGE_CLAIM, MESSAGE_ROLES: the segment's sender, believed where there was no handshake */
    bool failed;      /* of what answers: it is an error */
    bool arrives;     /* told before the segment is taken, which has no bytes of it */
    bool cut;         /* by the snap length: segments decide where it ends */
    bool hidden;      /* MESSAGE_CLAIM: in the records of TLS: the bytes that are told count, not those of segments */
    bool goes_on;     /* a part of what asks, or answers, with the key; it begins nothing */
    bool last;        /* part of its side, if it ends */
    bool closes;      /* and nothing more comes of the other side */
    bool is_data;     /* it has content */
    uint32_t content; /* messages of gRPC that have begun so far on its side; 0 for none; not in JSON */
    uint64_t note;    /* of what asks: kept for who finds it by matching_first() */
    uint64_t key;     /* MESSAGE_CLAIM: enum framing_kind; MESSAGE_RELEASE: 0 or of the two below */
    uint64_t bytes;   /* of the message, if it ends; else of what is there of it */
    uint32_t rest;    /* of what answers: so many more will follow at least, unless it is truncated */
    /* Of what asks, and of a turn that MESSAGE_RELEASE begins; and what an answer says of its success, "" for nothing.
     * Borrowed for the call. */
    const char *operation;
    const char *status;
};

/* Returns the segment that has the message's bytes: the carrier's, but where the message ends because its rest is
 * missing, `begun`, with which it began. */
static inline const struct segment *
message_segment(const struct carrier *carrier, const struct message *message, const struct segment *begun)
{
    return message->arrives ? begun : &carrier->piece->segment;
}

/* Takes the next message that begins or ends in the carrier. What begins is told again, with the same key, when it
 * ends. MESSAGE_CLAIM and MESSAGE_ROLES come before their carrier is taken. */
void framing_tell(struct requests *requests, struct carrier *carrier, const struct message *message);

/* For turns_take(): new payload of a claimed connection. */
void framing_take(struct requests *requests, struct carrier *carrier, bool from_client);

/* The server's stream ends with this piece. What answers and has not ended is truncated, unless the capture does not
 * have its last bytes. */
void framing_take_end(struct requests *requests, const struct piece *piece);

/* Whether messages are in parts, which interleave. */
static inline bool
framing_is_in_parts(const struct connection *connection)
{
    return connection->framing.kind == FRAMING_HTTP2;
}

/* Frees what was allocated for the connection. */
void framing_forget(struct requests *requests, struct connection *connection);

#endif
