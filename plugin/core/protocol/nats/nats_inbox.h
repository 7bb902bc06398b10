/* nats_inbox.h
 * Which request a message answers: that whose reply subject is the message's, or, where JetStream delivers what a pull
 * has asked for under the stream's own subject, that whose reply subject the message's subscription has.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_NATS_INBOX_H
#define LATENCY_NATS_INBOX_H

#include "nats_line.h"

/* Subscriptions and reply subjects that are kept, the latest ones. */
enum { NATS_SUBSCRIPTIONS = 32, NATS_REPLIES = 64, NATS_KEY_BITS = 61, NATS_MANY = UINT32_MAX };

/* What is asked of a reply subject; all zero for none. */
struct nats_reply {
    uint64_t key;
    uint32_t left;   /* messages that are to come, NATS_MANY if nobody knows how many */
    bool is_blurred; /* it was asked of while messages were to come: whose these are is not known */
};

struct nats_subscription {
    uint64_t sid, subject; /* hashes; of the subject up to its first wildcard */
    uint64_t pull;         /* the key of what was pulled last for it; 0 for none */
    uint16_t bytes;        /* of the subject, up to there */
    bool is_wild;
};

/* Those of a connection; all zero for none. */
struct nats_inboxes {
    struct nats_subscription subscriptions[NATS_SUBSCRIPTIONS];
    struct nats_reply replies[NATS_REPLIES];
    uint32_t subscribed;
    bool is_complete; /* all that has been subscribed to is here */
};

/* What becomes of a message with a reply subject. */
enum nats_fate {
    NATS_ANSWERED_ELSEWHERE, /* the client has not subscribed to that: another connection gets the answer */
    NATS_ASKS,
    NATS_IS_BLURRED /* whose the answer is will not be known, nor is it of what has `key` */
};

void nats_subscribe(struct nats_inboxes *inboxes, const struct nats_line *line);
void nats_unsubscribe(struct nats_inboxes *inboxes, const struct nats_line *line);

/* Notes that so many messages are asked for. `pulls`: of a consumer of JetStream. */
enum nats_fate nats_ask(struct nats_inboxes *inboxes, struct nats_word reply, bool pulls, uint32_t messages,
                        uint64_t *key);

/* Notes how many messages a pull asks for, which has been asked with that key. */
void nats_pull(struct nats_inboxes *inboxes, uint64_t key, uint32_t messages);

/* Notes that messages may be missing: what the subscription in that slot delivers may be of another pull than it
 * seems. Returns the key of the one that is known no more; 0 for none. */
uint64_t nats_blur_pull(struct nats_inboxes *inboxes, unsigned slot);

/* Returns the key of the request that a message answers, if that waits; 0 if it answers none. */
uint64_t nats_asked(const struct nats_inboxes *inboxes, const struct nats_line *line);

/* Notes that a message of what was asked with that key has come; `ends`: no other one will. */
void nats_answered(struct nats_inboxes *inboxes, uint64_t key, bool ends);

#endif
