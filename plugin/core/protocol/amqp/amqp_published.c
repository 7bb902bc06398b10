/* amqp_published.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "amqp_published.h"

#include <stdio.h>

#include <glib.h>

#include "../../../compat.h"

enum { PUBLISHED_FIRST = 8 };

static uint64_t
published_key(const struct amqp_channel *channel, uint64_t number)
{
    return (uint64_t)2 << 62 | (uint64_t)channel->id << AMQP_NUMBER_BITS | number;
}

static uint64_t
unknown_key(uint64_t number)
{
    return (uint64_t)3 << 62 | number;
}

/* Returns whether the request with this key is being asked yet: it cannot be given up. */
static bool
is_under_way(struct reading *reading, uint64_t key)
{
    const struct flow *flow = reading_flow(reading, true);
    return flow->has_message && flow->message.key == key;
}

void
amqp_give_up(struct reading *reading, uint64_t key, enum stop how)
{
    struct amqp_channels *channels = reading_own(reading, sizeof(struct amqp_channels));
    if (is_under_way(reading, key))
        channels->put_off = key;
    else
        reading_gives_up(reading, key, how);
}

void
amqp_give_up_put_off(struct reading *reading, struct amqp_channels *channels)
{
    if (channels->put_off == 0 || is_under_way(reading, channels->put_off))
        return;
    reading_gives_up(reading, channels->put_off, STOP_LOST);
    channels->put_off = 0;
}

static struct amqp_published *
place_of(const struct amqp_channel *channel, uint64_t number)
{
    return &channel->published[number & (channel->room - 1)];
}

/* Returns what waits with this number; NULL if nothing does. */
static struct amqp_published *
waiting(const struct amqp_channel *channel, uint64_t number)
{
    struct amqp_published *published = channel->room > 0 && number > 0 ? place_of(channel, number) : NULL;
    return published && published->number == number ? published : NULL;
}

void
amqp_give_up_published(struct reading *reading, struct amqp_channel *channel, uint64_t last, enum stop how)
{
    for (; channel->oldest <= last; channel->oldest++) {
        struct amqp_published *published = waiting(channel, channel->oldest);
        if (!published)
            continue;
        published->number = 0;
        amqp_give_up(reading, published_key(channel, channel->oldest), how);
    }
}

static void
grow(struct reading *reading, struct amqp_channel *channel)
{
    const struct amqp_channel before = *channel;
    channel->room = MAX(2 * before.room, PUBLISHED_FIRST);
    channel->published = wmem_alloc0_array(reading_scope(reading), struct amqp_published, channel->room);
    for (uint32_t i = 0; i < before.room; i++)
        if (before.published[i].number > 0)
            *place_of(channel, before.published[i].number) = before.published[i];
    wmem_free(reading_scope(reading), before.published);
}

/* Returns whether all that was published before has been confirmed, which shows by silence; then the highest number
 * that was confirmed since bytes of the server went missing is that of the last message, if one was published since. */
static bool
has_fallen_silent(struct reading *reading, const struct amqp_channel *channel)
{
    enum { QUIET_NS = 10000000, QUIET_UNKNOWN_NS = 1000000000 };
    const int64_t least_ns = channel->has_confirmed ? QUIET_NS : QUIET_UNKNOWN_NS;
    return channel->highest > 0 && channel->published_ns > 0 &&
           reading_flow(reading, true)->arrived_ns - channel->published_ns > least_ns &&
           reading_was_quiet(reading, least_ns);
}

void
amqp_publish(struct reading *reading, struct amqp_channels *channels, struct amqp_channel *channel, uint32_t exchange,
             uint32_t name, const char *operation)
{
    if (channel->confirms == AMQP_CONFIRMS_NOT)
        return;
    if (channel->confirms == AMQP_CONFIRMS_UNKNOWN && has_fallen_silent(reading, channel)) {
        amqp_give_up_published(reading, channel, channel->number, STOP_LOST);
        channel->number = channel->highest;
        channel->oldest = channel->highest + 1;
        channel->confirms = AMQP_CONFIRMS;
    }
    channel->published_ns = reading_flow(reading, true)->arrived_ns;
    if (channel->confirms == AMQP_CONFIRMS_UNKNOWN) {
        reading_asks_as(reading, unknown_key(++channels->unknown), operation);
        return;
    }
    const uint64_t number = ++channel->number;
    while (channel->room < AMQP_PUBLISHED_MOST && (channel->room == 0 || place_of(channel, number)->number > 0))
        grow(reading, channel);
    if (place_of(channel, number)->number > 0)
        amqp_give_up_published(reading, channel, place_of(channel, number)->number, STOP_LOST);
    *place_of(channel, number) = (struct amqp_published){ number, exchange, name, 0 };
    reading_asks_as(reading, published_key(channel, number), operation);
}

void
amqp_return(struct amqp_channel *channel, uint32_t name, uint16_t code)
{
    for (uint64_t number = channel->oldest; number <= channel->number; number++) {
        struct amqp_published *published = waiting(channel, number);
        if (!published || published->name != name || published->returned > 0)
            continue;
        published->returned = code;
        return;
    }
}

/* Says it of what has this number, if that waits, with the message's bytes only `first`. Returns whether it waits. */
static bool
confirm(struct reading *reading, struct amqp_channel *channel, uint64_t number, bool first, bool failed)
{
    struct amqp_published *published = waiting(channel, number);
    char status[STATUS_ROOM] = "";
    if (!published)
        return false;
    if (published->returned > 0)
        snprintf(status, sizeof status, "%u", published->returned);
    else if (failed)
        g_strlcpy(status, "nack", sizeof status);
    failed |= published->returned > 0;
    published->number = 0;
    channel->has_confirmed = true;
    if (first)
        reading_answers_to(reading, published_key(channel, number), status, failed);
    else
        reading_answers_to_also(reading, published_key(channel, number), status, failed);
    return true;
}

/* What was asked before bytes of the server went missing may have been confirmed in them, but not what is named. */
void
amqp_confirm(struct reading *reading, struct amqp_channel *channel, uint64_t number, bool multiple, bool failed)
{
    if (multiple && number == 0)
        number = channel->number;
    channel->highest = MAX(channel->highest, number);
    if (channel->confirms == AMQP_CONFIRMS_NOT || number > channel->number) {
        channel->confirms = AMQP_CONFIRMS_UNKNOWN;
        amqp_give_up_published(reading, channel, channel->number, STOP_LOST);
        return;
    }
    bool first = !confirm(reading, channel, number, true, failed);
    if (!multiple) {
        while (channel->oldest <= channel->number && !waiting(channel, channel->oldest))
            channel->oldest++;
        return;
    }
    amqp_give_up_published(reading, channel, MIN(channel->lacked[false], number), STOP_LOST);
    for (; channel->oldest <= number; channel->oldest++)
        first &= !confirm(reading, channel, channel->oldest, first, failed);
}

uint64_t
amqp_published_to(const struct amqp_channel *channel, uint32_t exchange)
{
    uint64_t oldest = 0;
    for (uint64_t number = channel->oldest; number <= channel->number; number++) {
        const struct amqp_published *published = waiting(channel, number);
        if (published && exchange > 0 && published->exchange == exchange)
            return number;
        oldest = published && oldest == 0 ? number : oldest;
    }
    return oldest;
}

bool
amqp_answer_published(struct reading *reading, struct amqp_channel *channel, uint32_t exchange, const char *status)
{
    const uint64_t number = channel->confirms == AMQP_CONFIRMS ? amqp_published_to(channel, exchange) : 0;
    if (number == 0)
        return false;
    waiting(channel, number)->number = 0;
    reading_answers_to(reading, published_key(channel, number), status, true);
    return true;
}

/* Notes, of what is published, that bytes of that side are missing. Where they are of both, the channel may have been
 * closed, and count anew. */
void
amqp_lack_published(struct reading *reading, struct amqp_channel *channel, bool from_client)
{
    channel->lacked[from_client] = channel->number;
    amqp_give_up_published(reading, channel, MIN(channel->lacked[false], channel->lacked[true]), STOP_LOST);
    if (!from_client)
        channel->highest = channel->published_ns = 0;
    else if (channel->confirms == AMQP_CONFIRMS)
        channel->confirms = AMQP_CONFIRMS_UNKNOWN;
}

void
amqp_forget_published(struct reading *reading, struct amqp_channel *channel, enum stop how)
{
    amqp_give_up_published(reading, channel, channel->number, how);
    channel->confirms = AMQP_CONFIRMS_NOT;
    channel->number = channel->highest = channel->lacked[false] = channel->lacked[true] = 0;
    channel->published_ns = 0;
    channel->has_confirmed = false;
    channel->oldest = 1;
}

void
amqp_give_up_unknown(struct reading *reading, struct amqp_channels *channels)
{
    while (channels->given_up < channels->unknown && !is_under_way(reading, unknown_key(channels->given_up + 1)))
        reading_gives_up(reading, unknown_key(++channels->given_up), STOP_LOST);
}
