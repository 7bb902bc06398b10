/* ca_reader.h
 * Shows a row of messages of Channel Access or pvAccess, with what the core knows of each: by its place in its circuit,
 * on any visit and in any order. Those of datagrams it takes, on the first visit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_READER_H
#define LATENCY_CA_READER_H

#include <epan/expert.h>
#include <epan/packet.h>

#include "../../core/ca/ca_event.h"
#include "ca_info.h"
#include "ca_state.h"

struct ca_reader;

/* What is particular of the protocol whose messages are shown. */
struct ca_dissector {
    const struct circuit_protocol *protocol;
    const char *title;  /* "EPICS Channel Access" */
    const char *column; /* "CA" */
    int proto;
    /* "GET_INIT", from the message's captured bytes; not freed. */
    const char *(*label)(const struct ca_reader *reader, const struct ca_message *message, const uint8_t *bytes,
                         size_t available);
    /* Takes a datagram's message on its first visit, and adds to the reader's references what it is about. */
    void (*take_in_datagram)(struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload,
                             size_t captured);
    /* `tvb` is the message. */
    void (*show)(struct ca_reader *reader, proto_tree *tree, tvbuff_t *tvb, const struct ca_message *message);
    /* Looks at each message of a connection, shown or not, before that; may be NULL. */
    void (*look)(struct ca_reader *reader, tvbuff_t *tvb, const struct ca_message *message);
    void (*show_skipped)(proto_tree *tree, tvbuff_t *tvb);
    /* Set by ca_reader_register(): */
    int tree_type;
    expert_field is_skipped, is_repeated;
};

/* One segment's data, or one datagram's. */
struct ca_reader {
    struct ca_dissector *dissector;
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    bool is_datagram;
    bool from_client;
    const struct ca_circuit *circuit; /* NULL in a datagram, and where the core knows of none */
    uint32_t seq;                     /* of the first byte, as captured; of a circuit */
    bool is_shown;                    /* somebody looks at messages */
    bool is_sent_again;               /* the segment has nothing new; of a circuit */
    struct ca_noted **hidden;         /* of a circuit in TLS: the messages that the core has in this frame */
    unsigned n_hidden, next_hidden;   /* how many, and the next one to be shown */
    struct ca_references references;  /* of a datagram */
    void *datagram;                   /* likewise, and the dissector's own: what it reads on with */
    int64_t start;                    /* of the message being looked at, in its sender's stream; of a circuit */
    void *looked;                     /* what the dissector found when it looked at it; NULL at first */
    struct ca_info info;
};

/* To be called once, when Wireshark registers protocols. */
void ca_reader_register(struct ca_dissector *dissector);

/* Finds the circuit, and who of it sent the data, where the core knows of one. `tcp`: Wireshark's, or NULL. */
struct tcpinfo;
void ca_reader_find_circuit(struct ca_reader *reader, const struct tcpinfo *tcp);

/* The same of a frame of a circuit in TLS, whose messages have no place in TCP's stream. */
void ca_reader_find_hidden(struct ca_reader *reader);

/* Reads messages up to the end, or to where more segments are needed: `pinfo` then says how much. */
void ca_reader_read(struct ca_reader *reader);

/* The bytes captured from `offset` on; NULL if there are none. */
const uint8_t *ca_reader_bytes(tvbuff_t *tvb, unsigned offset, size_t *available);

#endif
