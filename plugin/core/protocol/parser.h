/* parser.h
 * Parsers of protocols: each finds the messages in a connection's bytes. To add one, see
 * docs/parsers-internal.md.
 *
 * A parser is given the bytes of each direction in order and in units: lines, or blocks of a size that it has asked
 * for. It says what a unit means: a message begins, a number of bytes is skipped, the message ends. It knows nothing
 * of segments, and of gaps only what stands under "after a loss", here and below: the rest is done for it.
 *
 * Answers come *in order*, or messages have *ids*: a parser uses the functions of one of the two, and `has_ids` says of
 * which. In order, answers are to the requests in the order in which they were asked. With ids, an answer is to the
 * request that has waited longest among those with its id.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PARSER_H
#define LATENCY_PARSER_H

#include "../request/event.h"
#include "../request/request.h"
#include "../util/seldom.h"

/* Bounds what is given at once: of a longer line that segments share only so much, and no longer block can be asked
 * for. */
enum { UNIT_BYTES = 528 };

/* Says, as flow->skip, that the message ends with the connection. */
enum { FLOW_UNTIL_CLOSED = INT64_MAX };

struct operation_writer;
struct parser;
struct reading;

/* Says whether what a server says answers what its client asked. */
enum agreement {
    AGREEMENT_OPEN, /* it may be the answer to something else, or more of it must be seen */
    AGREEMENT_IS_ONE,
    AGREEMENT_IS_NONE /* it is no answer of the protocol */
};

/* Bounds how often agrees() compares an answer with a request: both sides may have said thousands of messages. */
enum { AGREEMENT_TRIES = 128 };

/* Messages one after another, of a protocol in which an answer shows by itself which request it is to. */
struct message_walk {
    /* Returns the bytes of the request, or the answer, that begins there, also of one that is cut; 0 if there is none.
     */
    size_t (*request)(const uint8_t *bytes, size_t length);
    size_t (*answer)(const uint8_t *bytes, size_t length);

    /* Returns whether this answer is to this request. */
    bool (*is_pair)(const uint8_t *request, size_t request_bytes, const uint8_t *answer, size_t answer_bytes);

    size_t least; /* bytes of an answer by which that shows */
};

/* Returns what agrees() is to return: compares the answers with the requests, AGREEMENT_TRIES times at most. */
enum agreement parser_agreement(const struct message_walk *walk, const uint8_t *asked, size_t asked_bytes,
                                const uint8_t *answered, size_t answered_bytes);

/* What take() makes of a unit. */
enum verdict {
    PARSER_GOES_ON,
    PARSER_WANTS_MORE, /* the same unit again, with flow->block bytes */
    PARSER_IS_LOST,    /* nonsense: turns, until a message is recognised */
    PARSER_IS_OVER,    /* what follows is another protocol */
    PARSER_IS_UPGRADED /* what follows of both sides is read by flow->upgrade, with what reading_to_answer() returns;
                        * what answers has ended */
};

/* How far a flow's message has been told (exchanges.h). */
enum progress {
    PROGRESS_NOTHING,
    PROGRESS_BEGINNING, /* that something has begun, before it was known what it is (EVENT_BEGINS) */
    PROGRESS_MESSAGE    /* something of what asks or answers */
};

/* One direction of a connection. */
struct flow {
    /* Read by parsers. */
    int64_t at;             /* offset of the next byte in the side's stream */
    uint64_t bytes;         /* of the message so far */
    bool has_message;       /* that asks or answers; this is it: */
    struct message message; /* begun by the functions below; a part of several sets `last` (HTTP/2). What is known of a
                             * stream, or a long poll, sets `is_stream`, or `awaits_event` */
    int64_t arrived_ns;     /* the latest time of any bytes of the message, and their frame */
    uint32_t arrived_frame;
    uint8_t *unit; /* in end(): what take() was given last, if it asked for more; NULL before a segment has cut one */

    /* Set by parsers; false or 0 before each message, where nothing else is said. */
    uint32_t block; /* bytes of the next unit, UNIT_BYTES at most; 0 for a line. At first the parser's */
    uint64_t skip;  /* bytes that pass unread before the next unit, also those that the capture lacks */
    bool ends;      /* the message, behind what is skipped */
    bool may_end;   /* in order: it ends here if what follows is recognised as an answer (ends_before()); of a client
                     * that has been answered: as a request */
    uint64_t if_ends, if_goes_on; /* with it: what the answer looks like, when that shows (parser_looks()) */
    bool awaits_client;           /* the client may leave instead of going on, and then nothing follows */
    const struct parser *upgrade; /* with PARSER_IS_UPGRADED: reads what follows of both sides */

    /* Kept for parsers, which do with them what they like; 0 before each message. */
    uint8_t state;
    uint16_t marks;
    uint64_t left;

    /* Read by parsers, after a loss: */
    bool is_cut;    /* this is all that there will ever be of the unit: the snap length, or a gap, has the rest */
    bool after_gap; /* and it is a gap */

    /* The reading's own. */
    uint64_t missing; /* bytes of the message in holes */
    bool placed;      /* `at` is known to lie in a message or between two */
    enum progress progress : 8;
    bool is_open_ended;  /* the message's end is lost: it lasts until the client asks again */
    uint32_t unit_bytes; /* of `unit`, so far */
    char text[STATUS_ROOM];
};

/* A protocol's parser. What is not said to be needed may be NULL, false or 0. */
struct parser {
    /* --- Always --- */

    /* The protocol, of protocols.h. Needed. */
    enum protocol protocol;

    /* Bytes of each message's first unit; 0 for a line. */
    uint32_t block;

    /* Bytes of the shortest request. A gap's length divided by it bounds how many requests are missing. Needed. */
    uint8_t least;

    /* Returns whether a request may begin with these bytes, which may be cut. It is asked of whatever clients say:
     * where it is right by chance, bytes of another protocol are read. Needed. */
    bool (*recognise)(const uint8_t *bytes, size_t length);

    /* Returns whether an answer may begin with these bytes, which may be cut. Needed. */
    bool (*recognise_answer)(const uint8_t *bytes, size_t length);

    /* Returns whether recognise() may know a request by more than these few bytes. They are then kept until there are
     * more. Needed by what stands in protocols.h. */
    bool (*may_begin)(const uint8_t *bytes, size_t length);

    /* Takes a unit: a line without its end, or a block. Needed. */
    enum verdict (*take)(struct reading *reading, bool from_client, const uint8_t *unit, size_t length);

    /* Returns how many of these bytes, where flow->state is not 0, are whole units of which take() would learn
     * nothing: they pass without it, many at once. NULL: none do. */
    size_t (*passes)(struct flow *flow, const uint8_t *bytes, size_t length);

    /* Is called when all of a message has passed, before that is told: who knows only then what it was says so. */
    void (*end)(struct reading *reading, bool from_client);

    /* Frees what reading_own() has. Needed if that is used. */
    void (*forget)(struct reading *reading);

    /* Writes what a request that begins with these bytes asks for (operation.h), and returns true; false, and nothing
     * is written, if it is none of this protocol. Is asked where a connection is read by turns, of whatever is said
     * there. NULL: such a request has no operation. */
    bool (*operation)(const uint8_t *bytes, size_t length, struct operation_writer *writer);

    /* --- Always: how it is told from other protocols, and who is the client --- */

    /* Returns whether the server's bytes, from the first that can answer them, have an answer to a request that begins
     * among the client's; of bytes that the capture cut, what is missing is 0. What the client says is kept until then.
     * NULL where no other protocol's requests look alike: then recognise() is believed. */
    enum agreement (*agrees)(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes);

    /* Returns whether a request with these bytes, of `whole` that the client has said, is the protocol's for certain,
     * whatever the answer. NULL: none is. */
    bool (*is_certain)(const uint8_t *bytes, size_t length, uint64_t whole);

    /* Returns whether these bytes, with which a segment of `whole` begins, say for certain which side's they are,
     * whichever protocol it is, and wherever in the connection they stand; *from_client is then set. Is asked where
     * nobody has seen a handshake. NULL: none do. */
    bool (*tells_client)(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);

    /* Returns whether the server, before the client has said anything, may say this. NULL: it waits. */
    bool (*recognise_greeting)(const uint8_t *bytes, size_t length);

    /* Returns whether the greeting ends with these bytes. NULL where the client waits for it before it asks. */
    bool (*greeting_ends)(const uint8_t *bytes, size_t length);

    /* --- In order --- */

    /* Requests as short as `least` stand beside long ones: those before tell nothing of the next. */
    bool has_short;

    /* Returns whether an answer that may end does, if these bytes follow what is skipped. NULL: it ends before what is
     * skipped, if these bytes are recognised as an answer. */
    bool (*ends_before)(struct reading *reading, const uint8_t *bytes, size_t length);

    /* Returns whether a message of that side may begin with these bytes, which stand behind another. NULL: anything may
     * be one. Else, where nothing is missing and the client waits for each answer, what is none is surplus, up to the
     * segment's end. */
    bool (*may_follow)(const uint8_t *bytes, size_t length, bool from_client);

    /* Returns whether a request begins with these bytes of a segment, and not with those kept of the one before. */
    bool (*begins_anew)(const uint8_t *unit, size_t unit_bytes, const uint8_t *bytes, size_t length);

    /* Returns the parser of both sides from here on, if the server answers what waits with these bytes of another
     * protocol (see flow->upgrade); NULL if it does not. */
    const struct parser *(*answered_by)(struct reading *reading, const uint8_t *bytes, size_t length);

    /* --- With ids --- */

    /* It asks and answers by reading_asks_as() and reading_answers_to() alone. */
    bool has_ids;

    /* And by reading_goes_on(): messages are in parts, and several of a direction are under way at once. */
    bool interleaves;

    /* Begins where a request of another protocol, which reading_answers_to() knows by `id`, has asked for this one (see
     * flow->upgrade). Needed by what is upgraded to. */
    void (*begin_upgraded)(struct reading *reading, uint64_t id);

    /* --- After a loss --- */

    /* Returns whether a segment with these bytes, after some that were not read, begins with a message, and with
     * nothing else. NULL: recognise() and recognise_answer() are asked. */
    bool (*resumes)(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client);

    /* Returns the kinds of answers (looks.h) that what begins with these bytes of the server can be a part of, though
     * it looks like an answer; 0: none. NULL: nothing can. */
    uint16_t (*part_of)(const uint8_t *bytes, size_t length);

    /* Returns where in these bytes, a client's, which begin with the rest of a request, the next one begins; 0:
     * nowhere. NULL: behind the end of a line, if the parser reads lines, and else nowhere. */
    size_t (*find)(const uint8_t *bytes, size_t length);

    /* Is recognise(), of a segment that the snap length has cut: of its `whole` bytes there are these. NULL:
     * recognise() is asked, as if they were all. */
    bool (*recognise_cut)(const uint8_t *bytes, size_t length, uint64_t whole);

    /* Takes a unit of which a snap length or a gap has left these bytes, and says by flow->skip where the message
     * ends; false if nobody knows. NULL: take() is called, with flow->is_cut, if the first block is there. */
    bool (*take_cut)(struct reading *reading, bool from_client, const uint8_t *unit, size_t length);

    /* Is called when bytes of that side are missing, among them perhaps whole messages, and the next unit begins
     * another message: what the parser keeps of that side from one message to the next may be wrong now. */
    void (*lose_place)(struct reading *reading, bool from_client);

    /* Is called, with ids, when the server has acknowledged bytes of the client that are not there, before their gap is
     * reached: from now on it may answer requests that nobody has seen. */
    void (*lack_requests)(struct reading *reading);
};

#define PARSER_DECLARED(name) extern const struct parser parser_##name;
PROTOCOLS(NO_PROTOCOL, PARSER_DECLARED)
#undef PARSER_DECLARED

/* --- Always --- */

/* Returns that side's flow. */
struct flow *reading_flow(struct reading *reading, bool from_client);

/* Returns a byte of the parser's own for the connection; 0 at first. */
uint8_t *reading_mode(struct reading *reading);

/* Returns what the parser keeps of the connection: always the same `bytes`, which are 0 at first. Its forget() frees
 * them, from reading_scope(). */
void *reading_own(struct reading *reading, size_t bytes);
wmem_allocator_t *reading_scope(const struct reading *reading);

/* Returns the connection: for who keeps something beside it (Channel Access). */
const struct connection *reading_connection(const struct reading *reading);

/* Returns whether the server has spoken first. */
bool reading_is_greeted(const struct reading *reading);

/* Says of the answer being read what is known only now. `status` is what is shown of its success, "" for nothing; of a
 * longer one only the first STATUS_ROOM - 1 bytes are shown. `failed`: the protocol calls it an error. That nothing was
 * found is one only where the protocol says so (HTTP's 404, and not memcached's NOT_FOUND, Redis's nil or NXDOMAIN). */
void reading_says(struct reading *reading, const char *status, bool failed);

/* Sets the number of messages that a side has sent so far where none of them asks (CONTENT_UNKNOWN: not known), which
 * the connection's last request shows. */
void reading_counts(struct reading *reading, bool from_client, uint32_t messages);

/* Returns whether ids that requests carry are looked for (request_ids.h). */
bool reading_wants_ids(const struct reading *reading);

/* Returns the names of further fields of HTTP whose values are ids, by commas; "" for none. */
const char *reading_id_headers(const struct reading *reading);

/* Returns whether ids in a WebSocket's messages pair them. */
bool reading_wants_websocket_ids(const struct reading *reading);

/* Says which ids the client's message being read carries, which asks. */
void reading_carries(struct reading *reading, const struct found_ids *ids);

/* Keeps the client's last bytes, from these on, with which the unit ends that take() has been given, up to an offset
 * in its stream, for reading_last(). */
SELDOM void reading_keeps_last(struct reading *reading, const uint8_t *bytes, size_t length, int64_t until);

/* Copies the client's last bytes before `end` and not before `from`, offsets in its stream, where what it says has just
 * got to `end` or a little further. Returns how many there are; 0 if one of them is missing, or has not been kept of an
 * earlier segment. What was kept is then dropped. */
enum { LAST_ROOM = 256 };
SELDOM size_t reading_last(struct reading *reading, int64_t from, int64_t end, uint8_t bytes[static LAST_ROOM]);

/* --- In order --- */

/* Says that the client's message being read asks for an answer. `operation` is what it asks for; `note` is kept for
 * reading_to_answer(): its bits 0 to 15 are the parser's, the others parser_looks(). */
void reading_asks(struct reading *reading, const char *operation, uint64_t note);

/* Changes the note of what has asked last. */
void reading_notes(struct reading *reading, uint64_t note);

/* Says that the server's message being read answers the request that has waited longest; a message without this is
 * unsolicited. The rest is as in reading_says(). */
void reading_answers(struct reading *reading, const char *status, bool failed);

/* Ends the answer being read, and answers the next request, too, with no bytes of its own. */
void reading_answers_also(struct reading *reading, const char *status, bool failed);

/* Returns the request that reading_answers() would answer, with its note: where the answer's form depends on it (HEAD,
 * SUBSCRIBE). NULL if there is none, or the order is not known. */
const struct request *reading_to_answer(struct reading *reading);

/* Returns the same where what is being read may answer nothing, so that it says nothing of the order. */
const struct request *reading_oldest(struct reading *reading);

/* Returns whether all that has asked has been answered. */
bool reading_is_idle(const struct reading *reading);

/* --- In order, after a loss: what helps to find out whose an answer is (resync.h). Nothing of it is needed. --- */

/* Returns what an answer looks like (looks.h): the kinds of answers that there can be to a request, and the name of
 * what is asked for, if the answer has it (NULL: it does not). Goes into a request's note, and to the functions below.
 */
uint64_t parser_looks(uint16_t kinds, const uint8_t *name, size_t length);

/* Returns whether it is known which request the next answer belongs to. */
bool reading_knows_next(const struct reading *reading);

/* Says what the answer being read, or about to be told, looks like; before reading_answers(). */
void reading_sees(struct reading *reading, uint64_t looks);

/* Says the same of looks whose number is repeated from the request, and believes it against what was known before:
 * answers come in order, and yet have a number (memcached's opaque). */
void reading_identifies(struct reading *reading, uint64_t looks);

/* Says that what has just asked may be many requests, or none. */
void reading_blurs(struct reading *reading);

/* Says that the next answer may still belong to the request that was answered last. */
void reading_repeats(struct reading *reading);

/* Says that some of what waits may have no answer. It goes on waiting, but which of it the next answer belongs to is no
 * longer known. */
void reading_loses_order(struct reading *reading);

/* Gives up all that waits, for good: it is *lost*. */
void reading_gives_up_all(struct reading *reading);

/* --- With ids --- */

/* Says that the client's message being read asks, under this id. An id may be in use several times. */
void reading_asks_as(struct reading *reading, uint64_t id, const char *operation);

/* Says that the server's message being read answers the request that has waited longest under this id; none: it is
 * unsolicited. The rest is as in reading_says(). */
void reading_answers_to(struct reading *reading, uint64_t id, const char *status, bool failed);

/* Ends the answer being read, and answers the request that has waited longest under this id, too, with no bytes of its
 * own. */
void reading_answers_to_also(struct reading *reading, uint64_t id, const char *status, bool failed);

/* Ends the message of that side before the unit that take() has been given, of `length`: that begins another one. */
void reading_ends_before(struct reading *reading, bool from_client, size_t length);

/* Says, where messages interleave, that the part being read goes on with what asks, or answers, under this id. The last
 * part of a side sets flow->message.last to LAST_OF_SIDE. */
void reading_goes_on(struct reading *reading, bool from_client, uint64_t id);

/* Says that the server's message being read asks in the client's place (a push). */
void reading_promises(struct reading *reading, uint64_t id, const char *operation);

/* Returns whether a request waits under this id; what this call of take() has asked does not yet. */
bool reading_awaits(const struct reading *reading, uint64_t id);

/* Gives up, at once, the request that has waited longest under this id, if there is one: nothing more will come of it,
 * and `how` says why. What this call of take() has asked does not wait yet. With STOP_LOST: of an id that comes again
 * and again (a ping's), of which the client has but one in flight, before it is asked again, and after a loss; else the
 * next answer under this id would be taken for that. */
void reading_gives_up(struct reading *reading, uint64_t id, enum stop how);

/* --- With ids, after a loss --- */

/* Says that bytes of that side have passed unread in which there may have been answers. What waits is *lost* unless its
 * answer comes yet. Gaps say so by themselves: a parser does of what it has to skip. */
void reading_loses_answers(struct reading *reading, bool from_client);

/* Returns whether neither side had said anything for longer than that, and than several times the longest wait for an
 * answer, when the client began to say what is being read; and whether it had all that the server had said, and so has
 * the capture. */
bool reading_was_quiet(const struct reading *reading, int64_t least_ns);

#endif
