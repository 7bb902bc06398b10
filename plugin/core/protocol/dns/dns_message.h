/* dns_message.h
 * What a DNS message asks or answers: RFC 1035 §4.1, IANA's registry of DNS parameters.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DNS_MESSAGE_H
#define LATENCY_DNS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../request/operation.h"

/* RFC 1035 §2.3.4: a name, with its type and class. */
enum { DNS_HEADER_BYTES = 12, DNS_QUESTION_LONGEST = 255 + 4 };

enum dns_reading {
    DNS_IS_READ,
    DNS_IS_CUT, /* the question goes on behind what there is */
    DNS_IS_NONE
};

struct dns_message {
    uint16_t id;
    uint8_t opcode;
    uint8_t rcode;
    bool is_response;
    bool is_truncated;              /* TC */
    size_t question_end;            /* offset behind the question; 0 if there is none, or not all of it */
    char operation[OPERATION_ROOM]; /* "A example.org", "" if the message has no question */
};

/* Reads a message, of which `length` bytes are there. What no client or server of today says is none: other opcodes
 * than query, status, notify and update, questions by the dozen, labels that are too long. */
enum dns_reading dns_message_read(const uint8_t *bytes, size_t length, struct dns_message *message);

/* "NXDOMAIN"; "" for one without a name. */
const char *dns_rcode_name(uint8_t rcode);

/* Whether a response with this code is an error. NXDOMAIN is none: that there is no such name is an answer. */
bool dns_rcode_is_error(uint8_t rcode);

#endif
