/* ca_message.h
 * Messages of EPICS Channel Access: the header in both its forms, and whether bytes can be one at all.
 *
 * A message does not say who sent it, and a circuit may be captured from its middle: see ca_message_sender() and
 * ca_message_is_plausible().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_MESSAGE_H
#define LATENCY_CA_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* caProto.h of EPICS base */
enum ca_command {
    CA_VERSION,
    CA_EVENT_ADD,
    CA_EVENT_CANCEL,
    CA_READ,
    CA_WRITE,
    CA_SNAPSHOT,
    CA_SEARCH,
    CA_BUILD,
    CA_EVENTS_OFF,
    CA_EVENTS_ON,
    CA_READ_SYNC,
    CA_ERROR,
    CA_CLEAR_CHANNEL,
    CA_RSRV_IS_UP,
    CA_NOT_FOUND,
    CA_READ_NOTIFY,
    CA_READ_BUILD,
    CA_REPEATER_CONFIRM,
    CA_CREATE_CHAN,
    CA_WRITE_NOTIFY,
    CA_CLIENT_NAME,
    CA_HOST_NAME,
    CA_ACCESS_RIGHTS,
    CA_ECHO,
    CA_REPEATER_REGISTER,
    CA_SIGNAL,
    CA_CREATE_CH_FAIL,
    CA_SERVER_DISCONN,
    CA_COMMANDS
};

enum {
    CA_HEADER_BYTES = 16,
    CA_EXTENDED_HEADER_BYTES = 24,
    CA_NAME_MOST = 500,         /* bytes in the name of a channel: libca sends no longer one */
    CA_SIZE_MOST = 1 << 28,     /* more is no payload but a header misread */
    CA_SIZE_UNCHECKED = 0xFFFF, /* a larger payload must be as long as its type and count say */
    CA_DONT_REPLY = 5,          /* types of SEARCH */
    CA_DO_REPLY = 10,
    CA_SEQUENCE_VALID = 1, /* bit of VERSION's type, in datagrams and where TCP carries searches: p1 is a sequence */
    CA_RIGHT_READ = 1,
    CA_RIGHT_WRITE = 2,
    CA_RIGHTS_UNKNOWN = 0xFF
};

#define CA_SENDER_ADDRESS UINT32_C(0xFFFFFFFF) /* p1 of a search's reply: the server is who sent it */

/* A header, whatever its form. */
struct ca_message {
    uint16_t command;
    uint16_t type;
    uint32_t size; /* of the payload, in bytes */
    uint32_t count;
    uint32_t p1;
    uint32_t p2;
    uint8_t header_bytes;
};

enum ca_reading {
    CA_COMPLETE,  /* the header is; the payload may not all be there */
    CA_CUT,       /* more bytes are needed to read the header */
    CA_IMPOSSIBLE /* this is no header */
};

enum ca_sender { CA_UNKNOWN_SENDER, CA_CLIENT, CA_SERVER };

/* Reads the header at the beginning of `bytes`; `message` is as read unless it is CA_CUT. */
enum ca_reading ca_message_read(const uint8_t *bytes, size_t available, struct ca_message *message);

/* Who alone would send this message over TCP, or a search or its reply over UDP. */
enum ca_sender ca_message_sender(const struct ca_message *message);

/* Whether the message is one that EPICS would send: for bytes that may as well be the middle of something else, which
 * ca_message_read() lets pass too easily. */
bool ca_message_is_plausible(const struct ca_message *message);

/* Whether `bytes` begin with a plausible message and go on with plausible ones as far as they reach. */
bool ca_messages_are_plausible(const uint8_t *bytes, size_t available);

/* Who alone would send the first of these messages that tells it. */
enum ca_sender ca_messages_sender(const uint8_t *bytes, size_t available);

/* Whether a circuit's first bytes can be these: VERSION, and what each side sends after it. */
bool ca_messages_open_circuit(const uint8_t *bytes, size_t available);

/* Writes the name at the beginning of a payload into `name`: one that the capture has cut ends in an ellipsis. Returns
 * its length, 0 if the capture has nothing of it. */
enum { CA_NAME_ROOM = CA_NAME_MOST + sizeof "…" };
size_t ca_name_read(const struct ca_message *message, const uint8_t *payload, size_t captured, char name[CA_NAME_ROOM]);

/* Length of the text at the beginning of a payload: up to its first NUL, or to its end. */
size_t ca_text_length(const uint8_t *payload, size_t available);

#endif
