/* ca_channel.h
 * Channels of EPICS Channel Access: pairs requests with their answers, and knows which channel each message is about.
 *
 * Takes the messages of a capture in its order. Records never move and live until the scope ends, so that whoever
 * visits a message again finds them by the reference that taking it returned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_CHANNEL_H
#define LATENCY_CA_CHANNEL_H

#include "ca_circuit.h"
#include "ca_message.h"
#include "ca_request.h"
#include "ca_search.h"

/* A request to create a channel, and what became of it. */
struct ca_channel {
    struct ca_request create; /* by cid */
    const char *pv;           /* NULL if the capture does not have the request */
    int64_t first_value_ns;   /* from the first EVENT_ADD or read that was answered to its answer; -1 before */
    uint32_t sid;
    uint32_t count;  /* elements */
    uint32_t search; /* number of the search that found its server; 0 if unknown */
    uint16_t type;   /* native DBR */
    uint8_t rights;
    bool ambiguous; /* the search may as well be another one of the same host */
};

/* Any other request that has an answer. */
struct ca_exchange {
    struct ca_request request;
    uint32_t channel; /* number; 0: about none, or unknown */
};

struct ca_channels {
    struct pool channels;
    struct pool exchanges;
    struct lookup by_cid;
    struct lookup by_sid;
    struct lookup by_id; /* exchanges that wait, and subscriptions until they are cancelled */
    struct ca_searches searches;
    uint32_t circuits; /* how many there are */
    uint32_t orphans;  /* answers to creates which the capture does not have */
    int64_t last_ns;   /* of the latest message */
};

/* What a message is about: NULL where nothing is known. */
struct ca_subject {
    const struct ca_channel *channel;
    const struct ca_exchange *exchange;
    const struct ca_search *search;
    bool decides; /* of a search: this is its first reply, not one more */
};

struct ca_channels *ca_channels_new(wmem_allocator_t *scope);

/* A circuit between these; its `stream`s and times are the caller's to fill in. */
struct ca_circuit *ca_circuit_new(struct ca_channels *channels, const struct endpoint *client,
                                  const struct endpoint *server, bool ipv6);

/* A message of a circuit. `payload` is `captured` bytes, borrowed. Returns a reference, for ca_subject(). */
uint32_t ca_take(struct ca_channels *channels, struct ca_circuit *circuit, const struct ca_message *message,
                 const uint8_t *payload, size_t captured, bool from_client, const struct ca_arrival *arrival);

/* A message of a datagram; `batch` is the datagram's, with its searcher. `source` sent it. */
uint32_t ca_take_datagram(struct ca_channels *channels, struct ca_batch *batch, const struct ca_message *message,
                          const uint8_t *payload, size_t captured, const struct endpoint *source, bool ipv6,
                          const struct ca_arrival *arrival);

struct ca_subject ca_subject(const struct ca_channels *channels, uint32_t reference);

/* The name of what a subject is about; NULL if unknown. */
const char *ca_subject_pv(const struct ca_subject *subject);

/* From the first search or, failing that, the create request to the channel's answer, in nanoseconds; -1 if it is not
 * answered. */
int64_t ca_channel_connect(const struct ca_channels *channels, const struct ca_channel *channel);

#endif
