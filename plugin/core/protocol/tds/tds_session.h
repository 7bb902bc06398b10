/* tds_session.h
 * The sessions of a TDS connection: with MARS several ([MC-SMP]), without it one. Each has one request at a time
 * ([MS-TDS] 2.2.1), of whose answer the last bytes are kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TDS_SESSION_H
#define LATENCY_TDS_SESSION_H

#include "../parser.h"
#include "tds_answer.h"

/* Bounds how many sessions of a connection are kept: when one more begins, the oldest is forgotten. */
enum { TDS_SESSIONS_MOST = 64 };

struct tds_session {
    uint32_t id;
    int64_t asked_ns;
    uint64_t asked;      /* the number of the last request, */
    bool logs_in;        /* which is the log-in, or before it */
    bool waits;          /* and waits for its answer, or for the answer's rest, */
    bool is_asking;      /* and has not been asked to its end; */
    bool is_answered;    /* its answer has begun, */
    bool has_tokens;     /* and is of tokens */
    bool is_cancelled;   /* the client wants no more of it */
    bool lacks[2];       /* packets of the server, of the client are missing since it was asked */
    uint32_t error;      /* with which the answer has begun; 0 for none */
    uint32_t tail_bytes; /* the answer's last */
    uint8_t tail[TDS_TAIL];
};

/* Holds what is known of a connection of TDS. */
struct tds {
    struct tds_session *sessions[TDS_SESSIONS_MOST];
    uint32_t opened;
    bool has_headers, has_lost; /* its batches and calls have; packets are missing */
    bool is_mars;               /* what follows of the client stands in packets of SMP */
    struct {
        struct tds_session *session;
        bool is_last;
    } side[2]; /* of the packet that is being read */
};

struct tds *tds_of(struct reading *reading);

/* Returns what the exchanges know the session's last request by. */
uint64_t tds_key(const struct tds_session *session);

/* Returns the session with this id, which begins if there is none. */
struct tds_session *tds_session_of(struct reading *reading, uint32_t id);

/* Gives up what waits in the session. */
void tds_give_up(struct reading *reading, struct tds_session *session);

/* Keeps the answer's last bytes. */
void tds_keep_tail(struct tds_session *session, const uint8_t *bytes, size_t length);

/* Notes, in all sessions, that packets of that side are missing. */
void tds_lack(struct reading *reading, bool from_client);

void tds_forget(struct reading *reading);

#endif
