/* circuit_protocol.h
 * What is particular of a protocol whose connections are circuits with channels: Channel Access, and pvAccess.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CIRCUIT_PROTOCOL_H
#define LATENCY_CIRCUIT_PROTOCOL_H

#include "ca_channel.h"
#include "../protocol/parser.h"

/* Is told what a message is about, as ca_channel.h refers to it; once for each channel of it. */
typedef void (*ca_note)(void *data, uint32_t reference);

struct circuit_protocol {
    const char *prefix; /* of its fields and tables: "ca" */
    const char *name;   /* "Channel Access" */
    enum framing_kind framing;
    enum ca_role server_role;
    uint8_t create, search, hello; /* commands: of these requests, and that the server's hello ends with */
    uint8_t search_reply;
    uint8_t commands; /* how many kinds of requests there are */
    bool is_in_tls;   /* where TLS is decrypted */
    /* Whether a port is known for its servers. */
    bool (*is_port)(const struct settings *settings, uint16_t port);
    /* Whether bytes can be a circuit's first; whether they begin with a message, and go on with messages. */
    bool (*opens)(const uint8_t *bytes, size_t available);
    bool (*are_plausible)(const uint8_t *bytes, size_t available);
    enum ca_sender (*sender)(const uint8_t *bytes, size_t available);
    enum ca_reading (*read)(const uint8_t *bytes, size_t available, struct ca_message *message);
    const struct parser *parser;
    /* Name of a request's command; NULL for none. */
    const char *(*command_name)(unsigned command);
};

extern const struct circuit_protocol circuit_of_channel_access;

#endif
