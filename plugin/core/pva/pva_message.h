/* pva_message.h
 * Messages of EPICS pvAccess: the header, and whether bytes can be one at all. It says who sent it, and its byte order.
 *
 * Rules: pvAccess Protocol Specification, "Protocol messages" (epics-docs, pv-access/Protocol-Messages.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_MESSAGE_H
#define LATENCY_PVA_MESSAGE_H

#include "../ca/ca_message.h"

enum pva_command {
    PVA_BEACON,
    PVA_CONNECTION_VALIDATION,
    PVA_ECHO,
    PVA_SEARCH,
    PVA_SEARCH_RESPONSE,
    PVA_AUTHNZ,
    PVA_ACL_CHANGE,
    PVA_CREATE_CHANNEL,
    PVA_DESTROY_CHANNEL,
    PVA_CONNECTION_VALIDATED,
    PVA_GET,
    PVA_PUT,
    PVA_PUT_GET,
    PVA_MONITOR,
    PVA_ARRAY,
    PVA_DESTROY_REQUEST,
    PVA_PROCESS,
    PVA_GET_FIELD,
    PVA_MESSAGE,
    PVA_MULTIPLE_DATA,
    PVA_RPC,
    PVA_CANCEL_REQUEST,
    PVA_ORIGIN_TAG,
    PVA_COMMANDS,
    PVA_INIT = 32, /* added to the command of a request that begins an operation: "GET_INIT" */
    PVA_REQUESTS = 64,
    PVA_CONTROL = 64, /* added to the command of a control message */
    PVA_SET_MARKER = PVA_CONTROL,
    PVA_ACK_MARKER,
    PVA_SET_BYTE_ORDER,
    PVA_ECHO_REQUEST,
    PVA_ECHO_RESPONSE,
    PVA_CONTROL_END
};

enum {
    PVA_HEADER_BYTES = 8,
    PVA_MAGIC = 0xCA,
    PVA_FLAG_CONTROL = 0x01,
    PVA_FLAGS_UNUSED = 0x0E,
    PVA_PART_SHIFT = 4,
    PVA_FLAG_SERVER = 0x40,
    PVA_FLAG_BIG_ENDIAN = 0x80,
    PVA_SUB_INIT = 0x08, /* bits of a request's subcommand */
    PVA_SUB_DESTROY = 0x10,
    PVA_SUB_GET = 0x40, /* of MONITOR with PVA_SUB_CONTROL: start; else stop */
    PVA_SUB_PIPELINE = 0x80,
    PVA_SUB_CONTROL = 0x04,
    PVA_GUID_BYTES = 12,
    PVA_ADDRESS_BYTES = 16
};

/* Reads the header: `type` is its flags, `count` its version, and p1 what a control message says. */
enum ca_reading pva_message_read(const uint8_t *bytes, size_t available, struct ca_message *message);

/* Whether `bytes` begin with a header such as peers send, and go on with such as far as they reach. */
bool pva_messages_are_plausible(const uint8_t *bytes, size_t available);

/* Whether a connection's first bytes can be these: the server's SET_BYTE_ORDER, or a CONNECTION_VALIDATION. */
bool pva_messages_open_circuit(const uint8_t *bytes, size_t available);

/* Whether a datagram, of which `captured` bytes are there, is one: SEARCH and its kin, and nothing else. */
bool pva_is_datagram(const uint8_t *bytes, size_t captured);

/* Who sent the first of them. */
enum ca_sender pva_messages_sender(const uint8_t *bytes, size_t available);

bool pva_is_big_endian(const struct ca_message *message);

/* Whether the message, of a client or of a server, is about an operation: has an id of a request, and a subcommand
 * behind it. */
bool pva_has_subcommand(unsigned command);

#endif
