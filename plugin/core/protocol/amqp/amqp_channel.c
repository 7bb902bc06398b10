/* amqp_channel.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "amqp_channel.h"

#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "../../../compat.h"
#include "amqp_method.h"

enum { CHANNELS_FIRST = 8, PUBLISHED_FIRST = 8, CHANNEL_SHIFT = 46 };

static uint64_t
method_key(const struct amqp_channel *channel, uint32_t method)
{
    return (uint64_t)1 << 62 | (uint64_t)channel->id << CHANNEL_SHIFT | method;
}

static uint64_t
published_key(const struct amqp_channel *channel, uint64_t number)
{
    return (uint64_t)2 << 62 | (uint64_t)channel->id << CHANNEL_SHIFT | number;
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

static void
give_up(struct reading *reading, uint64_t key, enum stop how)
{
    if (!is_under_way(reading, key))
        reading_gives_up(reading, key, how);
}

struct amqp_channel *
amqp_channel(struct reading *reading, struct amqp_channels *channels, uint16_t id)
{
    if (id >= AMQP_CHANNELS_MOST)
        return NULL;
    if (id >= channels->room) {
        const uint32_t before = channels->room;
        for (channels->room = MAX(before, CHANNELS_FIRST); channels->room <= id;)
            channels->room *= 2;
        channels->channels =
            wmem_realloc(reading_scope(reading), channels->channels, channels->room * sizeof *channels->channels);
        memset(channels->channels + before, 0, (channels->room - before) * sizeof *channels->channels);
    }
    struct amqp_channel **channel = &channels->channels[id];
    if (!*channel) {
        *channel = wmem_new0(reading_scope(reading), struct amqp_channel);
        (*channel)->id = id;
        (*channel)->oldest = 1;
    }
    return *channel;
}

void
amqp_channels_free(struct reading *reading, struct amqp_channels *channels)
{
    for (uint32_t i = 0; i < channels->room; i++) {
        if (channels->channels[i])
            wmem_free(reading_scope(reading), channels->channels[i]->published);
        wmem_free(reading_scope(reading), channels->channels[i]);
    }
    wmem_free(reading_scope(reading), channels->channels);
}

static void
forget_asked(struct amqp_channel *channel, unsigned i)
{
    channel->n_asked--;
    memmove(channel->asked + i, channel->asked + i + 1, (channel->n_asked - i) * sizeof *channel->asked);
}

static void
give_up_asked(struct reading *reading, struct amqp_channel *channel, unsigned i, enum stop how)
{
    give_up(reading, method_key(channel, channel->asked[i].method), how);
    forget_asked(channel, i);
}

/* A client asks for the next one when it has the last's answer, which has then been among what is missing. */
void
amqp_ask(struct reading *reading, struct amqp_channel *channel, uint32_t method, const char *operation)
{
    while (channel->n_asked > 0 && (channel->asked[0].lacks[false] || channel->n_asked == AMQP_ASKED_MOST))
        give_up_asked(reading, channel, 0, STOP_LOST);
    channel->asked[channel->n_asked++] = (struct amqp_asked){ .method = method };
    reading_asks_as(reading, method_key(channel, method), operation);
}

/* Returns the place of what waits longest for this answer; n_asked if nothing does. */
static unsigned
asked_for(const struct amqp_channel *channel, uint32_t method)
{
    unsigned i = 0;
    while (i < channel->n_asked && channel->asked[i].method != method)
        i++;
    return i;
}

/* A server answers a channel's methods in their order (4.7). */
void
amqp_answer(struct reading *reading, struct amqp_channel *channel, uint32_t method, const char *status, bool failed)
{
    unsigned i = asked_for(channel, method);
    if (i == channel->n_asked)
        return;
    for (; i > 0 && channel->asked[0].lacks[false]; i--)
        give_up_asked(reading, channel, 0, STOP_LOST);
    forget_asked(channel, i);
    reading_answers_to(reading, method_key(channel, method), status, failed);
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

static void
give_up_published(struct reading *reading, struct amqp_channel *channel, uint64_t last, enum stop how)
{
    for (; channel->oldest <= last; channel->oldest++) {
        struct amqp_published *published = waiting(channel, channel->oldest);
        if (!published)
            continue;
        published->number = 0;
        give_up(reading, published_key(channel, channel->oldest), how);
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

void
amqp_publish(struct reading *reading, struct amqp_channels *channels, struct amqp_channel *channel, uint32_t exchange,
             uint32_t name, const char *operation)
{
    if (channel->confirms == AMQP_CONFIRMS_NOT)
        return;
    if (channel->confirms == AMQP_CONFIRMS_UNKNOWN) {
        reading_asks_as(reading, unknown_key(++channels->unknown), operation);
        return;
    }
    const uint64_t number = ++channel->number;
    while (channel->room < AMQP_PUBLISHED_MOST && (channel->room == 0 || place_of(channel, number)->number > 0))
        grow(reading, channel);
    if (place_of(channel, number)->number > 0)
        give_up_published(reading, channel, place_of(channel, number)->number, STOP_LOST);
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
confirm(struct reading *reading, const struct amqp_channel *channel, uint64_t number, bool first, bool failed)
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
    if (channel->confirms == AMQP_CONFIRMS_NOT || number > channel->number) {
        channel->confirms = AMQP_CONFIRMS_UNKNOWN;
        give_up_published(reading, channel, channel->number, STOP_LOST);
        return;
    }
    bool first = !confirm(reading, channel, number, true, failed);
    if (!multiple)
        return;
    give_up_published(reading, channel, MIN(channel->lacked[false], number), STOP_LOST);
    for (; channel->oldest <= number; channel->oldest++)
        first &= !confirm(reading, channel, channel->oldest, first, failed);
}

/* Returns the number of what waits longest of what went to that exchange, or of all; 0 if there is none. */
static uint64_t
published_to(const struct amqp_channel *channel, uint32_t exchange)
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

static bool
answer_published(struct reading *reading, struct amqp_channel *channel, uint32_t exchange, const char *status)
{
    const uint64_t number = channel->confirms == AMQP_CONFIRMS ? published_to(channel, exchange) : 0;
    if (number == 0)
        return false;
    waiting(channel, number)->number = 0;
    reading_answers_to(reading, published_key(channel, number), status, true);
    return true;
}

static bool
answer_asked(struct reading *reading, struct amqp_channel *channel, uint32_t method, const char *status)
{
    const unsigned i = asked_for(channel, method);
    const struct amqp_asked asked = channel->asked[i < channel->n_asked ? i : 0];
    if (channel->n_asked == 0 || asked.lacks[false])
        return false;
    amqp_answer(reading, channel, asked.method, status, true);
    return true;
}

uint16_t
amqp_awaiting(const struct amqp_channels *channels, uint32_t method)
{
    for (uint32_t i = 0; i < channels->room; i++) {
        const struct amqp_channel *channel = channels->channels[i];
        if (channel &&
            (asked_for(channel, method) < channel->n_asked || (method == AMQP_PUBLISH && published_to(channel, 0) > 0)))
            return (uint16_t)i;
    }
    return 0;
}

bool
amqp_close(struct reading *reading, struct amqp_channel *channel, uint32_t method, uint32_t exchange,
           const char *status, bool is_answered)
{
    const bool is_published = method == AMQP_PUBLISH;
    const bool answers = !is_answered && ((is_published && answer_published(reading, channel, exchange, status)) ||
                                          answer_asked(reading, channel, method, status) ||
                                          (!is_published && answer_published(reading, channel, exchange, status)));
    amqp_reopen(reading, channel, STOP_CLOSED);
    return answers;
}

void
amqp_reopen(struct reading *reading, struct amqp_channel *channel, enum stop how)
{
    while (channel->n_asked > 0)
        give_up_asked(reading, channel, 0, how);
    give_up_published(reading, channel, channel->number, how);
    channel->confirms = AMQP_CONFIRMS_NOT;
    channel->number = channel->lacked[false] = channel->lacked[true] = 0;
    channel->oldest = 1;
}

/* Gives up what may have been answered, but for the last of what the server has been asked: of the client's, as it
 * waits for each, it has the other answers. Where bytes of both sides are missing, a channel may have been closed, and
 * have begun to count anew, and the last, too, been asked again. */
static void
lack(struct reading *reading, struct amqp_channel *channel, bool from_client)
{
    while (!from_client && channel->n_asked > 1)
        give_up_asked(reading, channel, 0, STOP_LOST);
    for (unsigned i = channel->n_asked; i > 0; i--) {
        channel->asked[i - 1].lacks[from_client] = true;
        if (channel->asked[i - 1].lacks[!from_client])
            give_up_asked(reading, channel, i - 1, STOP_LOST);
    }
    channel->lacked[from_client] = channel->number;
    give_up_published(reading, channel, MIN(channel->lacked[false], channel->lacked[true]), STOP_LOST);
    if (from_client && channel->confirms == AMQP_CONFIRMS)
        channel->confirms = AMQP_CONFIRMS_UNKNOWN;
}

void
amqp_lack(struct reading *reading, struct amqp_channels *channels, bool from_client)
{
    for (uint32_t i = 0; i < channels->room; i++)
        if (channels->channels[i])
            lack(reading, channels->channels[i], from_client);
}

void
amqp_give_up_unknown(struct reading *reading, struct amqp_channels *channels)
{
    while (channels->given_up < channels->unknown && !is_under_way(reading, unknown_key(channels->given_up + 1)))
        reading_gives_up(reading, unknown_key(++channels->given_up), STOP_LOST);
}
