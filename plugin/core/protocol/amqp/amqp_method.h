/* amqp_method.h
 * The methods of AMQP 0-9-1: the specification, 1.3 to 1.8 of its reference, and RabbitMQ's extensions of it
 * (amqp0-9-1.extended.xml: confirm, basic.nack, exchange.bind, connection.blocked, connection.update-secret).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_AMQP_METHOD_H
#define LATENCY_AMQP_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A method's id and that of its class, in one number. */
#define AMQP_ID(class_id, method_id) ((uint32_t)(class_id) << 16 | (method_id))

enum { AMQP_CLASS_CONNECTION = 10, AMQP_CLASS_BASIC = 60 };

enum amqp_method {
    AMQP_HEADER = 1, /* no method: what a connection begins with */
    AMQP_START_OK = AMQP_ID(10, 11),
    AMQP_CONNECTION_CLOSE = AMQP_ID(10, 50),
    AMQP_CHANNEL_OPEN = AMQP_ID(20, 10),
    AMQP_CHANNEL_CLOSE = AMQP_ID(20, 40),
    AMQP_CHANNEL_CLOSE_OK = AMQP_ID(20, 41),
    AMQP_PUBLISH = AMQP_ID(60, 40),
    AMQP_RETURN = AMQP_ID(60, 50),
    AMQP_GET_OK = AMQP_ID(60, 71),
    AMQP_GET_EMPTY = AMQP_ID(60, 72),
    AMQP_ACK = AMQP_ID(60, 80),
    AMQP_NACK = AMQP_ID(60, 120),
    AMQP_CONFIRM_SELECT = AMQP_ID(85, 10),
    AMQP_CONFIRM_SELECT_OK = AMQP_ID(85, 11)
};

/* Who sends a method. */
enum amqp_sides { AMQP_CLIENT = 1, AMQP_SERVER = 2, AMQP_EITHER = AMQP_CLIENT | AMQP_SERVER };

/* What is known of a method. */
struct amqp_kind {
    uint32_t id;
    uint8_t sides;
    uint8_t least;       /* bytes of its arguments at least */
    uint32_t asks;       /* of the client's: what its answer has as `answers`; 0 if nothing answers it */
    uint32_t answers;    /* of the server's; 0 if it answers nothing */
    const char *no_wait; /* of the client's: where the bit stands that says that nobody waits; NULL if it has none */
    const char *name;
};

/* Returns what is known of a method; NULL if there is none with this id. */
const struct amqp_kind *amqp_kind_of(uint32_t id);

/* Returns whether these arguments of a method say that its client waits for no answer. */
bool amqp_is_no_wait(const struct amqp_kind *kind, const uint8_t *arguments, size_t length);

/* A text of one byte's length among the arguments, as much of it as there is. */
struct amqp_text {
    const uint8_t *bytes;
    size_t length;
    bool is_cut;
};

/* Reads the text at `at`, and returns where it ends; `length` or more if it is cut. */
size_t amqp_read_text(const uint8_t *arguments, size_t length, size_t at, struct amqp_text *text);

#endif
