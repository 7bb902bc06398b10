/* ca_reader.h
 * Shows a row of messages of Channel Access or pvAccess, with what the core knows of each: by its place in its circuit,
 * on any visit and in any order. Those of datagrams it takes, on the first visit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_READER_H
#define LATENCY_CA_READER_H

#include "../../core/ca/ca_event.h"
#include "ca_dissector.h"

/* Kinds of messages that the Info column tells apart. */
enum { INFO_LABELS = 32 };

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
    void *datagram;                   /* of a datagram, and the dissector's own: what it reads on with */
    bool is_first_visit;              /* likewise, as the next: references are to be added */
    wmem_array_t *references;         /* of its messages, in their order; NULL if later visits have none */
    uint32_t message, next_reference; /* being read, counted from 1; of those that there are */
    int64_t start;                    /* of the message being looked at, in its sender's stream; of a circuit */
    void *looked;                     /* what the dissector found when it looked at it; NULL at first */
    /* For the Info column, the kinds of messages so far, in the order they came first. */
    struct {
        const char *label; /* "GET"; not copied */
        const char *name;  /* of the channel in the first of them; NULL if unknown */
        uint32_t count;
    } labels[INFO_LABELS];
    unsigned n_labels;
    uint32_t skipped_bytes;
};

/* Reads messages up to the end, or to where more segments are needed: `pinfo` then says how much. Sets the columns. */
void ca_reader_read(struct ca_reader *reader);

/* Reads the data of a segment. `tcp`: what Wireshark says of it, or NULL; `else_client`: the client sent what neither
 * the core nor a message knows the sender of. Returns the bytes taken. */
struct tcpinfo;
int ca_reader_dissect_segment(struct ca_dissector *dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                              const struct tcpinfo *tcp, bool else_client);

/* Reads a datagram's. `datagram`: the dissector's own, see struct ca_reader. */
void ca_reader_dissect_datagram(struct ca_dissector *dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                bool from_client, void *datagram);

/* Whether the core knows the segment's circuit, whatever its port: the dissector then has the rest of the connection.
 */
bool ca_reader_claims(const struct ca_dissector *dissector, packet_info *pinfo);

/* Finds the circuit of a frame whose messages are hidden in TLS, and have no place in TCP's stream. */
void ca_reader_find_hidden(struct ca_reader *reader);

/* The circuit of the segment that is being dissected; NULL if it is of none of that protocol, or not yet. */
const struct ca_circuit *ca_reader_circuit(const packet_info *pinfo, const struct circuit_protocol *protocol);

/* What is said tells who sent it; `else_client`: what counts where it does not. */
bool ca_reader_is_from_client(const struct ca_dissector *dissector, tvbuff_t *tvb, bool else_client);

/* Adds what a datagram's message is about; `data`: the reader. */
void ca_reader_add_reference(void *data, uint32_t reference);

/* The bytes captured from `offset` on; NULL if there are none. */
const uint8_t *ca_reader_bytes(tvbuff_t *tvb, unsigned offset, size_t *available);

#endif
