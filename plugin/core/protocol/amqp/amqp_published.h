/* amqp_published.h
 * What is published on a channel, and how the server confirms it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_AMQP_PUBLISHED_H
#define LATENCY_AMQP_PUBLISHED_H

#include "amqp_channel.h"

/* Says that the client's message being read is published, and asks if the server confirms. */
void amqp_publish(struct reading *reading, struct amqp_channels *channels, struct amqp_channel *channel,
                  uint32_t exchange, uint32_t name, const char *operation);

/* Notes that the server gives back what was published, as the oldest that waits with this name. */
void amqp_return(struct amqp_channel *channel, uint32_t name, uint16_t code);

/* Says that the server's message being read confirms what has this number, or everything up to it. */
void amqp_confirm(struct reading *reading, struct amqp_channel *channel, uint64_t number, bool multiple, bool failed);

/* Returns the number of what waits longest of what went to that exchange, or of all; 0 if there is none. */
uint64_t amqp_published_to(const struct amqp_channel *channel, uint32_t exchange);

/* Says that the server's message being read answers that with an error. Returns whether there is such a thing. */
bool amqp_answer_published(struct reading *reading, struct amqp_channel *channel, uint32_t exchange,
                           const char *status);

/* Gives up what waits up to this number. */
void amqp_give_up_published(struct reading *reading, struct amqp_channel *channel, uint64_t last, enum stop how);

/* Notes that bytes of that side are missing. */
void amqp_lack_published(struct reading *reading, struct amqp_channel *channel, bool from_client);

/* Begins to count anew. */
void amqp_forget_published(struct reading *reading, struct amqp_channel *channel, enum stop how);

/* Gives up the request with this key; one that is being asked yet is put off until it has been. */
void amqp_give_up(struct reading *reading, uint64_t key, enum stop how);

/* Gives up what was put off. */
void amqp_give_up_put_off(struct reading *reading, struct amqp_channels *channels);

/* Gives up what nobody will know the answer of. */
void amqp_give_up_unknown(struct reading *reading, struct amqp_channels *channels);

#endif
