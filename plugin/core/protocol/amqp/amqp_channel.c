/* amqp_channel.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "amqp_channel.h"

#include <string.h>

#include <glib.h>

#include "../../../compat.h"
#include "amqp_method.h"
#include "amqp_published.h"

enum { CHANNELS_FIRST = 8 };

static uint64_t
method_key(const struct amqp_channel *channel, uint32_t method)
{
    return (uint64_t)1 << 62 | (uint64_t)channel->id << AMQP_NUMBER_BITS | method;
}

struct amqp_channel *
amqp_channel(struct reading *reading, struct amqp_channels *channels, uint16_t id)
{
    if (id >= AMQP_CHANNELS_MOST)
        return NULL;
    for (uint32_t i = 0; i < channels->count; i++)
        if (channels->channels[i]->id == id)
            return channels->channels[i];
    if (channels->count == channels->room) {
        channels->room = MAX(2 * channels->room, CHANNELS_FIRST);
        channels->channels =
            wmem_realloc(reading_scope(reading), channels->channels, channels->room * sizeof *channels->channels);
    }
    struct amqp_channel *channel = wmem_new0(reading_scope(reading), struct amqp_channel);
    channel->id = id;
    channel->oldest = 1;
    channels->channels[channels->count++] = channel;
    return channel;
}

void
amqp_channels_free(struct reading *reading, struct amqp_channels *channels)
{
    for (uint32_t i = 0; i < channels->count; i++) {
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
    amqp_give_up(reading, method_key(channel, channel->asked[i].method), how);
    forget_asked(channel, i);
}

/* A client asks for the next one when it has the last's answer, which has then been among what is missing, or was not
 * read because nobody knew yet where the server's messages begin. */
void
amqp_ask(struct reading *reading, struct amqp_channel *channel, uint32_t method, const char *operation)
{
    while (channel->n_asked > 0 && (channel->asked[0].lacks[false] || channel->n_asked == AMQP_ASKED_MOST))
        give_up_asked(reading, channel, 0, STOP_LOST);
    channel->asked[channel->n_asked++] =
        (struct amqp_asked){ .method = method, .lacks[false] = !reading_flow(reading, false)->placed };
    reading_asks_as(reading, method_key(channel, method), operation);
}

/* Returns the index of what waits longest for this answer; n_asked if nothing does. */
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

struct amqp_channel *
amqp_awaiting(const struct amqp_channels *channels, uint32_t method)
{
    for (uint32_t i = 0; i < channels->count; i++) {
        struct amqp_channel *channel = channels->channels[i];
        if (asked_for(channel, method) < channel->n_asked ||
            (method == AMQP_PUBLISH && amqp_published_to(channel, 0) > 0))
            return channel;
    }
    return NULL;
}

bool
amqp_close(struct reading *reading, struct amqp_channel *channel, uint32_t method, uint32_t exchange,
           const char *status, bool is_answered)
{
    const bool is_published = method == AMQP_PUBLISH;
    const bool answers = !is_answered && ((is_published && amqp_answer_published(reading, channel, exchange, status)) ||
                                          answer_asked(reading, channel, method, status) ||
                                          (!is_published && amqp_answer_published(reading, channel, exchange, status)));
    amqp_reopen(reading, channel, STOP_CLOSED);
    return answers;
}

void
amqp_reopen(struct reading *reading, struct amqp_channel *channel, enum stop how)
{
    while (channel->n_asked > 0)
        give_up_asked(reading, channel, 0, how);
    amqp_forget_published(reading, channel, how);
}

/* Gives up what may have been answered, but for the last of what the server has been asked: of the client's, as it
 * waits for each, it has the other answers. Where bytes of both sides are missing, the last, too, may have been asked
 * again. */
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
    amqp_lack_published(reading, channel, from_client);
}

void
amqp_lack(struct reading *reading, struct amqp_channels *channels, bool from_client)
{
    for (uint32_t i = 0; i < channels->count; i++)
        lack(reading, channels->channels[i], from_client);
}
