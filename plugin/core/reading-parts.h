/* reading-parts.h
 * What the files of reading.h share: a connection's state, its flows of bytes (reading-flow.c), the order of its
 * messages (reading-order.c, reading-doubt.c), what comes late (reading-late.c), and what TLS hides
 * (reading-decrypted.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_READING_PARTS_H
#define LATENCY_READING_PARTS_H

#include "framer.h"
#include "operation.h"
#include "tls-records.h"

/* Where the client begins to ask anew: it has had its answers to all before. */
struct mark {
    bool set;
    uint64_t asked; /* before it */
    uint32_t seq;   /* of the server's next byte */
};

enum { CANDIDATES = 64 };

/* Of a number that is not known. */
#define BELOW_ALL (INT64_MIN / 2)
#define ABOVE_ALL (INT64_MAX / 2)

/* A hole in what one side has said, that may be filled late. */
struct late {
    bool open;
    int64_t end;
    int64_t found;       /* where the first message after it begins; 0 while there is none */
    uint64_t next;       /* number of the next request, or answer, in it */
    uint64_t known;      /* reading's, when it was left; of answers as of now */
    uint64_t losses;     /* of the side, that one included */
    uint64_t orders;     /* reading's, when it was left */
    uint64_t after_loss; /* before it */
    struct flow flow;    /* from its place on the hole is missing */
    char operation[OPERATION_ROOM];
};

struct bounds {
    int64_t low, high;
    uint64_t ruled_out; /* bit i of CANDIDATES: it is not low + i */
    int64_t least;      /* what is certain of `low`, but for requests that the capture does not have */
    int64_t hidden;     /* so many of them at most */
    bool exact;         /* and it is not above `least` */
};

/* How many requests the client has had in flight at most, and how often so many. */
struct habit {
    uint64_t most;
    unsigned times;
};

/* A connection's. */
struct reading {
    const struct framer *framer; /* NULL: none now */
    const struct framer *last_framer;
    bool over;        /* and none ever */
    bool makes_sense; /* the server has answered */
    uint8_t mode;
    struct flow flow[2]; /* of the server, of the client */
    uint64_t asked, answered;
    uint64_t known;         /* of those in order, the answers to the first so many can be told */
    struct bounds next;     /* the number of the request that the next answer belongs to */
    uint64_t unplaced;      /* answers that wait for it to be known */
    uint64_t told_unplaced; /* how often they were told: not less than their frames */
    uint64_t in_vain;       /* requests that were searched for a note, less so many for each answer since */
    uint64_t after_loss;    /* so many had asked when bytes of the client were lost last */
    struct habit leaves;    /* when the client begins to ask */
    struct habit holds;     /* when it has asked */
    uint32_t last_note;
    bool has_notes;   /* no two requests in a row had the same */
    bool overlaps;    /* the client has asked while answers were on their way */
    unsigned turns;   /* how often it has asked when none was */
    uint64_t batch;   /* the most it has asked at once */
    uint64_t seen;    /* answers that could not be numbered, since the order was known last */
    uint64_t lost_at; /* so many had asked when, since the mark, bytes of the client were lost; UINT64_MAX: none were */
    struct mark mark;
    uint32_t client_ack; /* the highest of its payload */
    uint32_t server_ack;
    int64_t last_ns; /* of payload */
    char operation[OPERATION_ROOM];
    struct late *late[2]; /* of the server, of the client; NULL before the first */
    uint64_t orders;      /* how often the order became known, for good */
    uint64_t losses[2];   /* how often the place, or the order, was lost for what it did not say */
    bool is_late;         /* what is read now fills a hole */
    bool is_mute;         /* and is not told */
    bool decrypted;       /* the flows are of decrypted bytes (reading-decrypted.c), and these: */
    bool sealed;          /* none of them are looked at any more */
    bool deciphers;       /* the client's part of the handshake was decrypted */
    bool awaits;          /* the end of the client's first record, to see what is in it */
    bool has_answered;    /* there were some of the server */
    unsigned tickets;     /* of which it sent so many records before */
    struct tls_records records[2];
    int64_t records_from[2];   /* offset from which on they are followed */
    struct requests *requests; /* for the call */
    struct connection *connection;
};

void reading_bind(struct reading *reading, struct requests *requests, struct connection *connection);

/* The framer whose request begins with these bytes; NULL for none. */
const struct framer *reading_recognise(const uint8_t *bytes, size_t length);

/* Reads anew; what was learnt of the client's ways remains. */
void reading_begin(struct reading *reading, const struct framer *framer, int64_t now_ns);

/* What the server, or the client, has sent. */
const struct sequence *reading_sequence(const struct reading *reading, bool from_client);

/* Flows. The new bytes of a segment, from the flow's place on: of `length`, the first `captured` are there. */
void reading_bytes(struct reading *reading, bool from_client, const uint8_t *bytes, size_t captured, uint64_t length);
/* Likewise `length` of a segment from the offset on. */
void reading_segment(struct reading *reading, bool from_client, const struct segment *segment, size_t offset,
                     uint64_t length);

/* The server goes on with these bytes: ends its message, if that ends before them. */
void reading_see_end(struct reading *reading, const uint8_t *bytes, size_t captured);
void reading_pass(struct flow *flow, uint64_t bytes);
void reading_reset(struct reading *reading, bool from_client);
void reading_end_message(struct reading *reading, bool from_client);
/* `may_go_on`: where reading_leave_hole() was told. */
void reading_lose_place(struct reading *reading, bool from_client, bool may_go_on);

/* Turns go on; `over`: for ever. */
void reading_release(struct reading *reading, bool over);
void reading_tell(struct reading *reading, struct message message);
bool reading_is_between(const struct flow *flow);

/* For reading_arrives(): what is decrypted ends where TLS's records cannot be followed. */
void reading_follow_records(struct reading *reading, const struct segment *segment, bool from_client);

/* Late. Before the place of a flow is lost to a hole, which ends at `end`: whether it can go on there. */
bool reading_leave_hole(struct reading *reading, bool from_client, int64_t end);
/* Likewise where the client's first bytes are missing. */
void reading_leave_beginning(struct reading *reading, int64_t end);
enum lateness reading_lateness(const struct reading *reading, bool from_client, int64_t start);
/* It is known again at `start`, where a message begins. */
void reading_meet(struct reading *reading, bool from_client, int64_t start);
/* A segment that begins before what has been read. */
void reading_take_late(struct reading *reading, const struct segment *segment, bool from_client);

/* Order. */
bool reading_is_after(uint32_t a, uint32_t b);
uint64_t reading_key(uint64_t number);
uint64_t reading_number(uint64_t key);
void reading_know_order(struct reading *reading, uint64_t known);
void reading_note_asking(struct reading *reading, const struct segment *segment);
void reading_take_mark(struct reading *reading, int64_t start);

/* Doubt: which request an answer belongs to. */
void reading_know_next(struct reading *reading);
/* If the bounds leave one number, goes on from there. */
void reading_settle(struct reading *reading);
/* What asks with that number, and may get the next answer; NULL if nothing is known of it. */
const struct request *reading_candidate(const struct reading *reading, int64_t number);
void reading_lose_requests(struct reading *reading);
/* The client's place is known again. */
void reading_bound_hidden(struct reading *reading);
void reading_drop(struct reading *reading);
/* So many requests with the number `at` and higher are now known; `is_past`: the next answer is to none of them. */
void reading_move_next(struct reading *reading, uint64_t at, uint64_t count, bool is_past);
/* So many answers have come before those that were seen since the order was lost. */
void reading_pass_late(struct reading *reading, uint64_t count);
/* Before the request with that number one may have been counted twice. */
void reading_doubt_count(struct reading *reading, uint64_t number);
/* No request is missing any more, and no answer. */
void reading_know_asked(struct reading *reading, uint64_t after_loss);
void reading_know_seen(struct reading *reading);
/* An answer is about to begin, or has begun. */
void reading_bound_answer(struct reading *reading);
void reading_pass_answer(struct reading *reading);
/* Everything that was asked has been answered when the client sends this. */
void reading_all_answered(struct reading *reading, const struct segment *segment);
void reading_note_habit(struct reading *reading, const struct segment *segment, struct habit *habit);

#endif
