/* circuit_protocol.h
 * What is particular of a protocol whose connections are circuits with channels: Channel Access, and pvAccess.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CIRCUIT_PROTOCOL_H
#define LATENCY_CIRCUIT_PROTOCOL_H

#include "ca_taking.h"
#include "../protocol/parser.h"

/* Is told what a message is about, as ca_channel.h refers to it; once for each channel of it. */
typedef void (*ca_note)(void *data, uint32_t reference);

struct circuit_protocol {
    const char *prefix; /* of its fields and tables: "ca" */
    const char *name;   /* "Channel Access" */
    enum protocol number;
    enum ca_role server_role;
    uint8_t create, search, hello; /* commands: of these requests, and that the server's hello ends with */
    uint8_t search_reply;
    uint8_t commands; /* how many kinds of requests there are */
    bool is_in_tls;   /* where TLS is decrypted */
    bool reuses_ids;  /* a client asks again with the id of what was answered */
    /* Whether a port is known for its servers. */
    bool (*is_port)(const struct settings *settings, uint16_t port);
    /* Whether bytes can be a circuit's first; whether they begin with a message, and go on with messages. */
    bool (*opens)(const uint8_t *bytes, size_t available);
    bool (*are_plausible)(const uint8_t *bytes, size_t available);
    enum ca_sender (*sender)(const uint8_t *bytes, size_t available);
    enum ca_reading (*read)(const uint8_t *bytes, size_t available, struct ca_message *message);
    struct circuit_role (*role)(const struct ca_message *message, const uint8_t *payload, size_t captured,
                                bool from_client);
    /* Reads the name of the channel that the request creates or searches for, and returns its length. */
    size_t (*read_name)(const struct ca_taking *taking, char name[CA_NAME_ROOM]);
    /* Gives up what the message, which asks or answers, says will not be answered any more; before it is told. */
    void (*give_up)(struct reading *reading, const struct ca_taking *taking);
    /* Takes a message of a circuit. `note` is told what it is about, once for each channel; or 0, or nothing. */
    void (*take)(const struct ca_taking *taking, bool from_client, ca_note note, void *data);
    const struct parser *parser;
    /* Name of a request's command; NULL for none. */
    const char *(*command_name)(unsigned command);
};

extern const struct circuit_protocol circuit_of_channel_access;

#endif
