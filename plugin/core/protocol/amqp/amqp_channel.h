/* amqp_channel.h
 * What waits on the channels of a connection: methods that have an answer, and what is published where the server
 * confirms, by numbers that both sides count (RabbitMQ's documentation, Consumer Acknowledgements and Publisher
 * Confirms).
 *
 * Requests are known by keys. What is said to be missing is given up as soon as nobody can tell its answer from
 * another's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_AMQP_CHANNEL_H
#define LATENCY_AMQP_CHANNEL_H

#include "../parser.h"

/* Channels up to this number are kept: one more than RabbitMQ allows if nothing else is said (channel_max). */
enum { AMQP_CHANNELS_MOST = 2048 };

/* Bounds what waits on a channel: methods, and what is published. */
enum { AMQP_ASKED_MOST = 16, AMQP_PUBLISHED_MOST = 4096 };

/* Bits of the numbers by which messages are known, in keys. */
enum { AMQP_NUMBER_BITS = 46 };

enum amqp_confirms {
    AMQP_CONFIRMS_NOT,     /* or it is not known: what is published has no answer */
    AMQP_CONFIRMS_UNKNOWN, /* the server confirms, but what number comes next is not known */
    AMQP_CONFIRMS
};

/* A method that waits. */
struct amqp_asked {
    uint32_t method; /* what its answer has as amqp_kind.answers */
    bool lacks[2];   /* bytes of the server, of the client, have been missing or unread since */
};

/* What is published and waits, by its number. */
struct amqp_published {
    uint64_t number;         /* 0: nothing waits here */
    uint32_t exchange, name; /* hashes: of the exchange, and with the routing key */
    uint16_t returned;       /* the code with which it came back; 0 if it did not */
};

struct amqp_channel {
    uint16_t id;
    enum amqp_confirms confirms : 8;
    uint8_t n_asked;
    struct amqp_asked asked[AMQP_ASKED_MOST];
    uint64_t number, oldest;          /* of what was published last; nothing before this one waits */
    uint64_t lacked[2];               /* that last number when bytes of the server, of the client, went missing */
    struct amqp_published *published; /* in slots by their numbers */
    uint32_t room;                    /* how many there are, a power of two */
    uint64_t highest;                 /* number that was confirmed since bytes of the server went missing; 0 for none */
    int64_t published_ns;             /* when something was published last, since then; 0: nothing was */
    bool has_confirmed;               /* something that was seen */
};

/* What the parser keeps of a connection. */
struct amqp_channels {
    struct amqp_channel **channels; /* in the order in which they were used first */
    uint32_t count, room;
    uint64_t unknown, given_up; /* how many requests nobody will know the answer of, and of these those given up */
    uint64_t put_off;           /* key of a request that is to be given up when it has been asked; 0 for none */
    bool is_unread;             /* bytes of the server pass unread */
};

/* Returns that channel; NULL beyond AMQP_CHANNELS_MOST. */
struct amqp_channel *amqp_channel(struct reading *reading, struct amqp_channels *channels, uint16_t id);

/* Says that the client's message being read asks, for that answer. */
void amqp_ask(struct reading *reading, struct amqp_channel *channel, uint32_t method, const char *operation);

/* Says that the server's message being read is that answer, if its request waits. */
void amqp_answer(struct reading *reading, struct amqp_channel *channel, uint32_t method, const char *status,
                 bool failed);

/* Returns the first channel where that is what waits; NULL if there is none. */
struct amqp_channel *amqp_awaiting(const struct amqp_channels *channels, uint32_t method);

/* Says that the server's message being read answers what it is about, a method or what went to that exchange (0: not
 * known), or else what has waited longest, and that nothing else of the channel is answered. Returns whether something
 * was, and is not `is_answered` already. */
bool amqp_close(struct reading *reading, struct amqp_channel *channel, uint32_t method, uint32_t exchange,
                const char *status, bool is_answered);

/* Begins the channel anew: what waits is given up. */
void amqp_reopen(struct reading *reading, struct amqp_channel *channel, enum stop how);

/* Notes that bytes of that side are missing. */
void amqp_lack(struct reading *reading, struct amqp_channels *channels, bool from_client);

/* Frees the channels. */
void amqp_channels_free(struct reading *reading, struct amqp_channels *channels);

#endif
