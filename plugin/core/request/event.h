/* event.h
 * What becomes known of a connection's messages, event by event, in the order of the capture. exchanges_tell() takes
 * those of requests and responses; requests_tell() gives each to who keeps what is said of connections, and
 * docs/json-internal.md has it as a row.
 *
 * Texts are borrowed for the call.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EVENT_H
#define LATENCY_EVENT_H

#include "../tcp/connection.h"

enum event_kind {
    EVENT_MESSAGE, /* asks or answers */
    EVENT_CLAIM,   /* from now on the connection's messages are requests, and turns are not counted */
    EVENT_ROLES,   /* ports had the connection's client wrong */
    EVENT_BEGINS,  /* a message, in the end of the segment; it will say later what it is */
    EVENT_BREAKS,  /* what has begun on a side and has not ended never will */
    EVENT_STOPS,   /* a request: nothing more comes of it */
    EVENT_UPGRADE, /* the protocol is another from here on; what is outstanding has been asked entirely */
    EVENT_RELEASE, /* from now on turns are counted again */
    EVENT_TLS,     /* a step of a handshake */
    EVENT_COUNTS,  /* messages behind the last request, which ask nothing and answer nothing */
    EVENT_HELD,    /* from the segment's bytes on, what the client said has been held until now; see opening.h */
    EVENT_PRELUDE, /* with these bytes the client's segment begins, which are a proxy's; see prelude.h */
    /* When which answer is whose is not known: */
    EVENT_MISS,   /* bytes of the server are missing: what waits is lost, unless it is answered after all */
    EVENT_ORDER,  /* which request is answered next is not known any more, or is known again */
    EVENT_LOSE,   /* what waits and asked before a certain request will not be told its answer */
    EVENT_ASSIGN, /* it is known whose the undecided answers are */
    EVENT_DROP    /* what is undecided will never be assigned */
};

/* What a message does to the request with its key. */
enum message_kind {
    MESSAGE_ASKS,
    MESSAGE_ANSWERS,   /* the one that has waited longest */
    MESSAGE_UNDECIDED, /* answers something; its key is nobody's */
    MESSAGE_PROMISES   /* the server's asks in the client's place: it will be answered with the same key */
};

/* What it is of what asks, or answers, with its key. */
enum message_part {
    MESSAGE_NEW,   /* its beginning */
    MESSAGE_AGAIN, /* the same once more, if something waits; else its beginning */
    MESSAGE_MORE   /* a part behind the first; where there is none it begins nothing */
};

/* What ends with a part that ends. */
enum message_last {
    LAST_NONE,
    LAST_OF_SIDE, /* all that asks, or answers */
    LAST_OF_BOTH  /* and what the other side says */
};

/* Stands in message.content, or counts.messages, where it is not known how many messages there were, for bytes are
 * missing. */
enum { CONTENT_UNKNOWN = UINT32_MAX };

/* Told when it begins, and again, with the same key, when more is known of it, or it ends. */
struct message {
    enum message_kind kind;
    enum message_part part;
    enum message_last last; /* where messages are in parts */
    bool ends;              /* in this segment; else only its beginning is there */
    bool cut;               /* by the snap length: segments decide where it ends */
    bool failed;            /* of what answers: it is an error */
    bool is_data;           /* it has content */
    bool is_stream;         /* of either side: what answers is messages that keep coming */
    bool awaits_event;      /* of what asks: it asks the server to wait for something to happen */
    uint32_t content;       /* messages of gRPC that have begun so far on its side; 0 for none; not in JSON */
    uint64_t key;
    uint64_t note;         /* of what asks: kept for who finds it by matching_first() */
    uint64_t bytes;        /* of the message, if it ends; else of what is there of it */
    uint32_t rest;         /* of what answers: so many more will follow at least, unless it is truncated */
    const char *operation; /* of what asks */
    const char *status;    /* what an answer says of its success, "" for nothing */
};

struct claim {
    enum protocol protocol; /* PROTOCOL_TURNS: not known yet */
    bool from_client;       /* the segment, believed where there was no handshake */
    bool hidden;            /* in the records of TLS: the bytes that are told count, not those of segments */
    unsigned turns;         /* how many of the last turns may have begun with the rest of a request, for the capture
                               begins within the connection: their answers may be to earlier requests, and are
                               withdrawn; at most TURNS_WITHIN_MOST */
};

struct release {
    bool loses;            /* what is in flight, even alone; else a request that waits alone goes on by turns */
    bool begins_turn;      /* with the segment, if it is the client's and nobody's; then: */
    const char *operation; /* what that asks for; NULL: not known */
};

/* Why nothing more comes of a request. Where its response has begun, only STOP_CANCELLED changes anything. */
enum stop {
    STOP_CLOSED,
    STOP_LOST,     /* its answer cannot be told */
    STOP_REFUSED,  /* the server does not look at it */
    STOP_CANCELLED /* by the client */
};

/* What of a handshake becomes known with a piece: in docs/json-internal.md the key of a row of kind 10. The numbers
 * stay. */
enum tls_step {
    TLS_STEP_HELLO = 1, /* the client's begins */
    TLS_STEP_FIRST,     /* and is the first that it says */
    TLS_STEP_HOST,
    TLS_STEP_ALPN,
    TLS_STEP_ANSWER, /* the server's hello begins */
    TLS_STEP_RETRY,  /* that was no answer */
    TLS_STEP_VERSION,
    TLS_STEP_CHOSEN, /* ALPN */
    TLS_STEP_RESUMED,
    TLS_STEP_COMPLETE,
    TLS_STEP_FAILED, /* with an alert */
    TLS_STEPS
};

struct event {
    enum event_kind kind;
    bool arrives; /* it became known before the segment's bytes, and has none of them */
    union {       /* what has the kind's name; EVENT_MISS and EVENT_DROP have nothing */
        struct message message;
        struct claim claim;
        struct {
            bool from_client; /* the segment is the client's, or the message */
        } roles, begins;
        struct {
            bool from_client;
            uint64_t bytes; /* that are known to be its own; 0: unknown */
        } breaks;
        struct {
            uint64_t key;
            enum stop why;
        } stops;
        struct {
            enum protocol protocol;
        } upgrade;
        struct release release;
        struct {
            bool from_client;
            uint32_t messages; /* so far; or CONTENT_UNKNOWN */
        } counts;
        struct {
            enum tls_step step;
            const char *text; /* "" for none */
        } tls;
        struct {
            bool until_end; /* of the connection, or of the capture */
        } held;
        struct {
            uint32_t bytes;
        } prelude;
        struct {
            bool is_lost; /* what waits, and asks from now on, is lost, unless it is answered after all */
        } order;
        struct {
            uint64_t below; /* this key */
        } lose;
        struct {
            uint64_t key;     /* of the request that the first of them answers; the others answer the next keys */
            uint64_t skipped; /* answers before them, which are nobody's */
        } assign;
    };
};

#endif
