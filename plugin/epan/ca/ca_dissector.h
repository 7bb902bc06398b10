/* ca_dissector.h
 * What the dissectors of Channel Access and pvAccess have in common: how they are registered, their ports, and their
 * preference "values".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_DISSECTOR_H
#define LATENCY_CA_DISSECTOR_H

#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/range.h>

#include "../../core/ca/circuit_protocol.h"

struct ca_reader;

/* What is particular of the protocol whose messages are shown. */
struct ca_dissector {
    const struct circuit_protocol *protocol;
    const char *title;                 /* "EPICS Channel Access" */
    const char *column;                /* "CA" */
    const char *tcp_ports, *udp_ports; /* until the user sets others */
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
    /* Set by ca_dissector_register(): */
    int proto;
    int tree_type;
    expert_field is_skipped, is_repeated;
    dissector_handle_t tcp_handle, udp_handle;
    range_t *values; /* of an array that are shown: as many as its highest number */
};

/* Registers the protocol under its prefix, and what is common; and where its bytes are found. */
void ca_dissector_register(struct ca_dissector *dissector, dissector_t tcp, dissector_t udp);
void ca_dissector_handoff(const struct ca_dissector *dissector, heur_dissector_t tcp, heur_dissector_t udp);

/* Returns the dissectors that have been registered; NULL stands behind the last. */
struct ca_dissector *const *ca_dissectors(void);

/* Whether a port is a server's: by Wireshark's table, the preference tcp.port, or Decode As. */
bool ca_dissector_has_port(const struct ca_dissector *dissector, uint16_t port);

/* How many values of an array are shown. */
unsigned ca_dissector_values(const struct ca_dissector *dissector);

#endif
