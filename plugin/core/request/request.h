/* request.h
 * Requests and their responses: the records, and what follows from them (docs/measuring.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_REQUEST_H
#define LATENCY_REQUEST_H

#include "../tcp/connection.h"
#include "../tcp/item.h"
#include "operation_texts.h"
#include "request_ids.h"
#include "tls_turn.h"
#include "../util/pool.h"
#include "../util/waiting.h"

struct event;
struct piece;

enum { STATUS_ROOM = 20 }; /* for ECA_16KARRAYCLIENT */

/* So many of a connection's latest requests are searched one by one for whose a retransmission is. */
enum { REQUESTS_NEAR = 256 };

/* Requests a connection remembers, to know whose a retransmission is, where frames are not kept; up to REQUESTS_NEAR if
 * not all of them, or of their responses, has been acknowledged. */
enum { REQUESTS_RECENT = 16 };

/* What answers a request, as far as it has been captured. Its first frame, and the latest with new bytes, are p0 and p1
 * in docs/measuring.md. Times since the epoch. */
struct response {
    int64_t first_ns, last_ns;
    struct run row;
    uint64_t bytes;                   /* new payload */
    uint64_t promised_bytes;          /* at least; 0 if unknown */
    uint32_t first_frame, last_frame; /* first_frame 0: there is none */
    uint32_t highest_frame;           /* the highest with a part of it; 0: none has */
    bool failed;                      /* it is an error */
    char status[STATUS_ROOM];         /* what it says of its success; "" for nothing */
};

/* What ended a request before it had all of a response. A request that is lost may be answered after all. */
enum ending {
    ENDING_NONE,
    ENDING_TIMED_OUT,
    ENDING_LOST,      /* its answer cannot be told from others any more; without it while exchanges.is_lost */
    ENDING_REFUSED,   /* the server says that it has not looked at it */
    ENDING_CANCELLED, /* the client did not want the answer, or its rest, any more */
    ENDING_TRUNCATED  /* its response ended before its length */
};

/* A request and its response whose parts stand between those of others (HTTP/2). Arrays: of the server, of the
 * client. */
struct parts {
    uint32_t content[2];    /* messages of gRPC, or of the WebSocket behind it; 0 where there are none */
    uint32_t item_frame[2]; /* of the last item */
};

/* A request is remembered as long as the capture, or where frames are not kept, until more than REQUESTS_RECENT have
 * begun behind it on its connection, or two if that has ended or is quiet, and it is not open. Its record is then used
 * for another request; it is freed with its scope alone. Whoever comes back to a request keeps a struct
 * request_reference. Its first frame, and the latest with new bytes, are q0 and q1 in docs/measuring.md. Times since
 * the epoch. */
struct request {
    struct connection *connection;
    struct request *spare; /* the next record that is nobody's */
    const char *operation; /* "" if unknown */
    struct response response;
    int64_t first_ns, last_ns;
    int64_t data_ns; /* of the response's first content, in data_frame */
    struct run asking;
    uint64_t request_bytes; /* new payload */
    uint64_t key, note;     /* see event.h */
    uint32_t number;        /* in the capture, from 1 */
    uint32_t slot;          /* its record's, from 0: as many as there are at a time */
    uint32_t first_frame, last_frame;
    uint32_t updated_frame;  /* where something else became known of it */
    uint32_t followed_frame; /* with which the REQUESTS_RECENTth behind it began; 0: none has */
    uint32_t data_frame;     /* 0: not known to have begun */
    uint32_t touched_frame;  /* with which an item became its own last */
    uint32_t retransmissions;
    uint32_t misses;        /* the connection's (struct exchanges) with the last part of its response */
    uint32_t flags;         /* that its frames show */
    bool by_messages : 1;   /* from others by what is said, not by turns; see exchanges.h */
    bool open : 1;          /* and its answer is awaited or under way */
    bool cut : 1;           /* by the snap length: segments say where it or its response ends */
    bool is_farewell : 1;   /* the client has closed its side with it */
    bool closes_second : 1; /* a farewell behind the server's FIN */
    bool in_parts : 1;      /* between those of others; see exchanges.h */
    bool has_asked : 1;     /* in parts: the last part of the request has been there */
    bool has_answered : 1;  /* in parts: the last part of the response has been there */
    bool is_pushed : 1;     /* in parts: the server asked in the client's place */
    bool settled : 1;       /* nobody up to it waits, but what was late */
    bool reordered : 1;     /* the capture has the response first, or parts of the request after it */
    bool is_stream : 1;     /* its response is messages that keep coming: the client waits for the first byte alone */
    bool awaits_event : 1;  /* it asks the server to wait for something to happen (a long poll) */
    uint8_t tls;            /* enum tls_turn, by the operation: see tls_turn_role() */
    uint8_t protocol;       /* enum protocol */
    uint8_t ending;         /* enum ending */
    uint16_t client_port;   /* of a datagram, whose conversation has none; see request_client() */
    uint32_t attempts;      /* of a datagram: how often it was sent until it was answered; else 0 */
    struct parts parts;     /* but for `content` meaningful if `in_parts` */
};

/* A request that may be forgotten meanwhile; valid as long as the records' scope. */
struct request_reference {
    const struct request *record; /* the request's, as long as it has its number */
    uint32_t number;
};

/* The piece of a stream that messages are in, and what its frame has of it. */
struct carrier {
    const struct piece *piece;
    struct run row;      /* of its packet, as long as nobody has that; then it is of this kind: */
    enum item_kind kind; /* once the piece has been read */
    bool is_free;        /* nobody has the packet yet */
    bool arrives;        /* what is told now became known before the piece was taken */
};

/* As much of a status as there is room for. */
static inline void
status_copy(char to[static STATUS_ROOM], const char *from)
{
    size_t i;
    for (i = 0; from[i] && i < STATUS_ROOM - 1; i++)
        to[i] = from[i];
    to[i] = '\0';
}

/* Per capture. */
struct requests {
    wmem_allocator_t *scope;
    const struct settings *settings;
    struct items *items;
    struct operation_texts operations;
    /* Writes what a request with these first bytes asks for (OPERATION_ROOM bytes), and returns its length. */
    size_t (*read_operation)(const uint8_t *bytes, size_t captured, char *text);
    bool wants_ids;         /* those that requests carry are looked for, and kept in `ids` */
    bool wants_traces;      /* and in what traces these say that the requests stand */
    bool hides_operations;  /* nobody is shown what requests ask for: they have it only where the core goes by it */
    struct waiting waiting; /* for an answer: see matching.h */
    /* Is given each event, and the segment with which it became known; NULL: nobody is told. */
    void (*told)(void *data, const struct connection *connection, const struct event *event,
                 const struct segment *segment);
    void *told_data;
    /* Is given each request that is about to be forgotten; NULL: nobody is told. */
    void (*forgets)(void *data, const struct request *request);
    void *forgets_data;
    struct pool records;   /* of struct request: their numbers less 1 are slots */
    struct request *spare; /* the first record of a request that was forgotten; NULL for none */
    uint32_t frame;        /* that is being taken; UINT32_MAX with an end */
    uint32_t count;
    int64_t last_ns; /* the latest time of any frame */
    struct request_ids ids;
};

/* Tells who keeps what is said of connections, if anybody does, of an event that became known with the segment. */
static inline void
requests_tell(const struct requests *requests, const struct connection *connection, const struct event *event,
              const struct segment *segment)
{
    if (requests->told)
        requests->told(requests->told_data, connection, event, segment);
}

/* Begins the connection's next request with a segment whose payload is at `offset` in the client's sequence; `frame`:
 * in which that shows. `operation`: "" or NULL if it is not known. */
struct request *request_begin(struct requests *requests, struct connection *connection, struct instant begun,
                              const char *operation, int64_t offset, uint32_t frame);

/* Begins the response with a segment whose payload is at `offset` in the server's sequence. */
void response_begin(struct response *response, struct instant begun, int64_t offset);

/* Adds a segment with `bytes` of new payload to the response; it may have been captured before the first. */
void response_add(struct response *response, struct instant seen, uint64_t bytes);

/* `bytes` of new payload in a segment that go on asking, begin to answer, or go on answering. */
void request_asks_more(struct request *request, struct instant seen, uint64_t bytes);
void request_is_answered(struct request *request, struct instant begun, int64_t offset);
void request_answers_more(struct request *request, struct instant seen, uint64_t bytes);

/* Returns the row of the request's packets, or of its response's. */
static inline struct run *
request_row(struct request *request, bool asks)
{
    return asks ? &request->asking : &request->response.row;
}

/* Ends the request, unless something has ended it before. */
static inline void
request_end(struct request *request, enum ending ending)
{
    if (request->ending == ENDING_NONE)
        request->ending = (uint8_t)ending;
}

/* Marks the request for good as reordered if what is known of it and of its response says so. */
void request_note_order(struct request *request);

/* A packet of what the request asks, or is answered: adds an item of it, and the request has its flags. */
void request_add_packet(const struct requests *requests, struct request *request, const struct piece *piece, bool asks);

/* Likewise one that is in no request's row. Returns its item. */
struct item *requests_add_packet(const struct requests *requests, struct run *run, const struct piece *piece,
                                 enum item_kind kind);

/* Returns what the connection's server has said unasked; all zero before the first time. */
struct unsolicited *requests_unsolicited(const struct requests *requests, struct connection *connection);

/* Notes in an ITEM_UNSOLICITED, which came at that time, how far it is behind the connection's latest (spacing_ns). */
void requests_note_push(const struct requests *requests, struct item *item, int64_t time_ns);

/* Adds an item of the frame in which a message of `sender` begins or ends. */
struct item *requests_add_message(const struct requests *requests, uint32_t frame, uint8_t sender);

/* Adds the item of the carrier's packet, which nobody has yet. */
struct item *carrier_packet(const struct requests *requests, struct carrier *carrier, enum item_kind kind);

/* Adds the item of a message in the carrier: its packet's, as a packet of `row`, if nobody has that yet; else one more.
 */
struct item *carrier_item(const struct requests *requests, struct carrier *carrier, struct run *row, bool from_client);

/* The item, ITEM_REQUEST or ITEM_RESPONSE, is the request's. */
void request_own(const struct requests *requests, struct request *request, struct item *item, bool asks);

/* What the request asks for is known only now. */
void request_rename(struct requests *requests, struct request *request, const char *operation);

/* In the frame something becomes known of the request, which is none of its own. */
void request_update(struct requests *requests, struct request *request, uint32_t frame);

/* Whether the end of the capture is being told (analysis.h). */
bool requests_are_ending(const struct requests *requests);

/* Whether an item of the frame, which is the last with items, is the request's. */
bool request_has_item(const struct requests *requests, const struct request *request, uint32_t frame);

/* What waits will not be told its answer; the frame shows it. */
void request_lose(struct requests *requests, struct request *request, uint32_t frame);

/* The same of what has been told the beginning of an answer, whose end is missing: it counts as none. */
void request_lose_answer(struct requests *requests, struct request *request, uint32_t frame);

/* Nothing is awaited of the connection: forgets its requests but those that go on, and the last two. Only where frames
 * are not kept. */
void requests_shed(struct requests *requests, struct connection *connection);

/* Forgets the connection's requests. Only where frames are not kept. */
void requests_forget(struct requests *requests, struct connection *connection);

/* Hands over each request that has not been forgotten, in no order. */
void requests_each(const struct requests *requests, void (*take)(void *data, const struct request *request),
                   void *data);

/* Whether more frames of the request or of its response are awaited. When no more are, the request is updated. */
bool request_goes_on(const struct request *request);

struct request_reference request_refer(const struct request *request);

/* NULL if it has been forgotten. */
const struct request *request_referred(const struct request_reference *reference);

/* The request in whose bytes, or whose response's, `offset` lies; NULL if the capture has none. */
struct request *request_at(const struct connection *connection, bool from_client, int64_t offset);

/* Whether an RST came after it began: what comes later is not its response. */
bool request_is_cut_off(const struct request *request);

/* Whether an unanswered request has waited longer than the timeout by `now_ns`. */
bool request_has_timed_out(const struct requests *requests, const struct request *request, int64_t now_ns);

/* Who asked. */
struct endpoint request_client(const struct request *request);

/* Until the capture has been read to its end, the outcome so far. */
enum outcome request_outcome(const struct requests *requests, const struct request *request);

/* Whether it has no response, and the client did not await one. */
bool request_is_farewell(const struct request *request);

/* Whether its response may still come. */
bool request_is_waiting(const struct requests *requests, const struct request *request);

/* Return whether a turn, or a request, is one of TLS that nobody has decrypted; the first knows only its operation. */
bool turn_is_in_tls(const char *operation);
bool request_is_in_tls(const struct request *request);

/* Whether the response is an error, or truncated. */
bool request_has_error(const struct request *request);

/* In nanoseconds; negative differences are 0. Only for answered requests. */
int64_t request_first_byte(const struct request *request);
int64_t request_service(const struct request *request);
int64_t request_last_byte(const struct request *request);
int64_t request_stream(const struct request *request);     /* of HTTP/2 or HTTP/3; -1: it has none */
int64_t request_first_data(const struct request *request); /* only with a data_frame */

/* What ends a client's wait: the last byte of a response, the first of a stream. Who asks the server to wait for an
 * event waits for that, not for the server. */
enum wait { WAIT_NONE, WAIT_FOR_LAST_BYTE, WAIT_FOR_FIRST_BYTE, WAIT_FOR_EVENT };

static inline enum wait
request_wait(const struct request *request)
{
    if (request->awaits_event)
        return WAIT_FOR_EVENT;
    return request->is_stream ? WAIT_FOR_FIRST_BYTE : WAIT_FOR_LAST_BYTE;
}

/* Returns how long the client of an answered request waited for the server: its duration, of a stream the time to first
 * byte, and 0 of one that awaits an event. */
int64_t request_wait_ns(const struct request *request);

/* The same to a response frame captured at `time_ns`. */
int64_t request_elapsed(const struct request *request, int64_t time_ns);

/* max(0, service - network.server), or -1 if the handshake was not captured. */
int64_t request_server_time(const struct request *request);

#endif
