/* ca_event.h
 * What a message does to what it is about: asks, answers, or neither.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_EVENT_H
#define LATENCY_CA_EVENT_H

#include "circuit_protocol.h"

enum ca_event_kind {
    CA_NO_EVENT,
    CA_CREATE_ASKED,         /* of a channel */
    CA_CREATE_ANSWERED,      /* with any outcome, that of an orphan too */
    CA_SEARCH_ASKED,         /* of a search: each attempt */
    CA_SEARCH_ANSWERED,      /* the first reply */
    CA_SEARCH_ANSWERED_MORE, /* another reply */
    CA_REQUEST_ASKED,        /* of an exchange */
    CA_REQUEST_ANSWERED,
    CA_UPDATED, /* an update of a monitor, other than the one that answered its start */
    CA_HELLO,   /* of a circuit: the server's first VERSION */
    CA_HELD     /* what the frame has waits for bytes before it: it will be told later, with another frame */
};

/* One message of a frame, and what it is about. */
struct ca_event {
    enum ca_event_kind kind;
    uint8_t command;
    bool from_client;
    const struct circuit_protocol *protocol;
    const struct ca_circuit *circuit; /* NULL in a datagram */
    struct ca_subject subject;
};

/* `circuit`: NULL in a datagram. */
struct ca_event ca_event_of(const struct circuit_protocol *protocol, unsigned command, const struct ca_circuit *circuit,
                            struct ca_subject subject, bool from_client, uint32_t frame);

/* Of a message that has been noted. */
struct ca_event ca_event_of_noted(const struct ca_channels *channels, const struct ca_circuit *circuit,
                                  bool from_client, const struct ca_noted *noted);

/* Number of the channel that the event tells something new of; 0 if it is none. */
uint32_t ca_event_channel(const struct ca_event *event);

/* From the request that the event answers, in nanoseconds, and that request's command; -1 if it answers none. */
int64_t ca_event_latency(const struct ca_event *event, unsigned *command);

#endif
