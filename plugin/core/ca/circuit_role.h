/* circuit_role.h
 * Whether a message of a circuit asks for an answer, or is one, and to what.
 *
 * It is found out once, by ca_role() or pva_role(), and what follows goes by it alone: which request the message is, or
 * answers (exchanges.h), and what its channel is asked (ca_taking.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CIRCUIT_ROLE_H
#define LATENCY_CIRCUIT_ROLE_H

#include "ca_message.h"

enum ca_outcome {
    CA_WAITING,
    CA_OK,
    CA_FAILED,  /* CREATE_CH_FAIL, or a status other than ECA_NORMAL in the answer */
    CA_REFUSED, /* by an ERROR that quotes the request */
    CA_ORPHAN   /* the capture has the answer alone */
};

enum circuit_role_kind {
    CIRCUIT_SAYS, /* neither asks nor answers */
    CIRCUIT_ASKS, /* for an answer */
    CIRCUIT_ANSWERS,
    CIRCUIT_IS_CUT /* may ask or answer, but its ids are not there */
};

struct circuit_role {
    uint8_t kind;    /* enum circuit_role_kind */
    uint8_t command; /* of the request; of pvAccess with PVA_INIT where an operation begins */
    uint8_t outcome; /* enum ca_outcome, of what answers */
    bool joins;      /* asks for what may wait already, and is answered with that */
    bool is_alike;   /* of what answers: answers to others with its id, or later updates, look the same */
    bool updates;    /* of what answers: the first time it does, and then again and again nothing */
    bool has_sid;    /* what a client says, or an ERROR quotes, is about the channel with this sid: */
    uint32_t sid;    /* and of what creates a channel: its own */
    uint32_t id;     /* cid, subid or ioid, of the request */
    uint32_t status; /* ECA, of what answers; of Channel Access */
    /* The status that an answer gives its request, NULL for none, and for pvAccess the text that says why it failed.
     * Both are borrowed. */
    const char *named_status;
    const uint8_t *reason;
    size_t reason_bytes;
};

/* Returns the key by which an answer on the same circuit finds what it answers. */
static inline uint64_t
ca_request_key(unsigned command, uint32_t id)
{
    return (uint64_t)command << 32 | id;
}

static inline uint64_t
circuit_role_key(const struct circuit_role *role)
{
    return ca_request_key(role->command, role->id);
}

#endif
