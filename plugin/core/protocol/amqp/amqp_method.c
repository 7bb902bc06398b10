/* amqp_method.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "amqp_method.h"

#include <stdlib.h>

#include <glib.h>

#include "../../../compat.h"

#define ASKED(class_id, method_id, bytes, no_wait, name)                                                               \
    {                                                                                                                  \
        AMQP_ID(class_id, method_id), AMQP_CLIENT, bytes, AMQP_ID(class_id, method_id), 0, no_wait, name               \
    }
#define ANSWER(class_id, method_id, bytes, asked_id)                                                                   \
    {                                                                                                                  \
        AMQP_ID(class_id, method_id), AMQP_SERVER, bytes, 0, AMQP_ID(class_id, asked_id), NULL, NULL                   \
    }
#define SAID(class_id, method_id, sides, bytes, name)                                                                  \
    {                                                                                                                  \
        AMQP_ID(class_id, method_id), sides, bytes, 0, 0, NULL, name                                                   \
    }

/* By their ids. Of no_wait, a digit is so many bytes to skip, s a text, and a letter from a on the bit. */
static const struct amqp_kind kinds[] = {
    { AMQP_ID(10, 10), AMQP_SERVER, 14, 0, AMQP_HEADER, NULL, NULL },
    ASKED(10, 11, 10, NULL, "connection.start-ok"),
    { AMQP_ID(10, 20), AMQP_SERVER, 4, 0, AMQP_START_OK, NULL, NULL },
    { AMQP_ID(10, 21), AMQP_CLIENT, 4, AMQP_START_OK, 0, NULL, "connection.secure-ok" },
    { AMQP_ID(10, 30), AMQP_SERVER, 8, 0, AMQP_START_OK, NULL, NULL },
    SAID(10, 31, AMQP_CLIENT, 8, "connection.tune-ok"),
    ASKED(10, 40, 3, NULL, "connection.open"),
    ANSWER(10, 41, 1, 40),
    { AMQP_CONNECTION_CLOSE, AMQP_EITHER, 7, AMQP_CONNECTION_CLOSE, 0, NULL, "connection.close" },
    { AMQP_ID(10, 51), AMQP_EITHER, 0, 0, AMQP_CONNECTION_CLOSE, NULL, NULL },
    SAID(10, 60, AMQP_EITHER, 1, "connection.blocked"),
    SAID(10, 61, AMQP_EITHER, 0, "connection.unblocked"),
    { AMQP_ID(10, 70), AMQP_EITHER, 5, AMQP_ID(10, 70), 0, NULL, "connection.update-secret" },
    { AMQP_ID(10, 71), AMQP_EITHER, 0, 0, AMQP_ID(10, 70), NULL, NULL },
    ASKED(20, 10, 1, NULL, "channel.open"),
    ANSWER(20, 11, 4, 10),
    { AMQP_ID(20, 20), AMQP_EITHER, 1, AMQP_ID(20, 20), 0, NULL, "channel.flow" },
    { AMQP_ID(20, 21), AMQP_EITHER, 1, 0, AMQP_ID(20, 20), NULL, NULL },
    { AMQP_CHANNEL_CLOSE, AMQP_EITHER, 7, AMQP_CHANNEL_CLOSE, 0, NULL, "channel.close" },
    { AMQP_CHANNEL_CLOSE_OK, AMQP_EITHER, 0, 0, AMQP_CHANNEL_CLOSE, NULL, NULL },
    ASKED(40, 10, 9, "2sse", "exchange.declare"),
    ANSWER(40, 11, 0, 10),
    ASKED(40, 20, 4, "2sb", "exchange.delete"),
    ANSWER(40, 21, 0, 20),
    ASKED(40, 30, 10, "2sssa", "exchange.bind"),
    ANSWER(40, 31, 0, 30),
    ASKED(40, 40, 10, "2sssa", "exchange.unbind"),
    ANSWER(40, 51, 0, 40),
    ASKED(50, 10, 8, "2se", "queue.declare"),
    ANSWER(50, 11, 9, 10),
    ASKED(50, 20, 10, "2sssa", "queue.bind"),
    ANSWER(50, 21, 0, 20),
    ASKED(50, 30, 4, "2sa", "queue.purge"),
    ANSWER(50, 31, 4, 30),
    ASKED(50, 40, 4, "2sc", "queue.delete"),
    ANSWER(50, 41, 4, 40),
    ASKED(50, 50, 9, NULL, "queue.unbind"),
    ANSWER(50, 51, 0, 50),
    ASKED(60, 10, 7, NULL, "basic.qos"),
    ANSWER(60, 11, 0, 10),
    ASKED(60, 20, 9, "2ssd", "basic.consume"),
    ANSWER(60, 21, 1, 20),
    { AMQP_ID(60, 30), AMQP_EITHER, 2, AMQP_ID(60, 30), 0, "sa", "basic.cancel" },
    { AMQP_ID(60, 31), AMQP_EITHER, 1, 0, AMQP_ID(60, 30), NULL, NULL },
    SAID(60, 40, AMQP_CLIENT, 5, "basic.publish "),
    SAID(60, 50, AMQP_SERVER, 5, "basic.return"),
    SAID(60, 60, AMQP_SERVER, 12, "basic.deliver"),
    ASKED(60, 70, 4, NULL, "basic.get"),
    ANSWER(60, 71, 15, 70),
    ANSWER(60, 72, 1, 70),
    SAID(60, 80, AMQP_EITHER, 9, "basic.ack"),
    SAID(60, 90, AMQP_CLIENT, 9, "basic.reject"),
    SAID(60, 100, AMQP_CLIENT, 1, "basic.recover-async"),
    ASKED(60, 110, 1, NULL, "basic.recover"),
    ANSWER(60, 111, 0, 110),
    SAID(60, 120, AMQP_EITHER, 9, "basic.nack"),
    ASKED(85, 10, 1, "a", "confirm.select"),
    ANSWER(85, 11, 0, 10),
    ASKED(90, 10, 0, NULL, "tx.select"),
    ANSWER(90, 11, 0, 10),
    ASKED(90, 20, 0, NULL, "tx.commit"),
    ANSWER(90, 21, 0, 20),
    ASKED(90, 30, 0, NULL, "tx.rollback"),
    ANSWER(90, 31, 0, 30),
};

static int
compare(const void *id, const void *kind)
{
    const uint32_t a = *(const uint32_t *)id, b = ((const struct amqp_kind *)kind)->id;
    return (a > b) - (a < b);
}

const struct amqp_kind *
amqp_kind_of(uint32_t id)
{
    return bsearch(&id, kinds, G_N_ELEMENTS(kinds), sizeof *kinds, compare);
}

size_t
amqp_read_text(const uint8_t *arguments, size_t length, size_t at, struct amqp_text *text)
{
    const size_t bytes = at < length ? arguments[at] : 0, end = at + 1 + bytes;
    *text = (struct amqp_text){ .is_cut = end > length };
    if (at >= length)
        return end;
    text->bytes = arguments + at + 1;
    text->length = MIN(bytes, length - at - 1);
    return end;
}

bool
amqp_is_no_wait(const struct amqp_kind *kind, const uint8_t *arguments, size_t length)
{
    struct amqp_text text;
    size_t at = 0;
    for (const char *step = kind->no_wait; step && *step; step++) {
        if (*step == 's')
            at = amqp_read_text(arguments, length, at, &text);
        else if (g_ascii_isdigit(*step))
            at += (size_t)(*step - '0');
        else
            return at < length && arguments[at] >> (*step - 'a') & 1;
    }
    return false;
}
