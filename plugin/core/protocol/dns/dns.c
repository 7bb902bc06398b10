/* dns.c
 * DNS over TCP: RFC 7766, RFC 1035 §4.2.2. Each message stands behind its length; a query is answered by the message
 * with its id, in whatever order. Of a zone transfer the first message is the response.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <string.h>

#include "dns_message.h"

enum { LENGTH_BYTES = 2, ID_BYTES = 2, SHORTEST = LENGTH_BYTES + DNS_HEADER_BYTES };

/* What a query has besides its question: EDNS, with options, and signatures. */
enum { QUERY_LONGEST = 2048 };

static size_t
length_of(const uint8_t *bytes)
{
    return (size_t)bytes[0] << 8 | bytes[1];
}

static bool
is_message(const uint8_t *bytes, size_t length, bool is_response)
{
    struct dns_message message;
    if (length < SHORTEST || length_of(bytes) < DNS_HEADER_BYTES)
        return false;
    const size_t captured = MIN(length, LENGTH_BYTES + length_of(bytes)) - LENGTH_BYTES;
    const enum dns_reading read = dns_message_read(bytes + LENGTH_BYTES, captured, &message);
    /* A message that ends within its question is none. */
    bool is_whole = captured == length_of(bytes);
    return (read == DNS_IS_READ || (read == DNS_IS_CUT && !is_whole)) && message.is_response == is_response;
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    /* Records but EDNS and a signature: a query has none. */
    return is_message(bytes, length, false) && length_of(bytes) <= QUERY_LONGEST && bytes[8] == 0 && bytes[9] == 0 &&
           bytes[10] == 0 && bytes[11] == 0 && bytes[12] == 0 && bytes[13] <= 2;
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    return is_message(bytes, length, true);
}

/* Two bytes of length alone, as some send them, or a part of the header. */
static bool
may_begin(const uint8_t *bytes, size_t length)
{
    enum { FLAGS_AT = 4, RECURSION_DESIRED = 0x01 };
    return length >= LENGTH_BYTES && length < SHORTEST && length_of(bytes) >= DNS_HEADER_BYTES + 5 &&
           length_of(bytes) <= QUERY_LONGEST && (length <= FLAGS_AT || (bytes[FLAGS_AT] & ~RECURSION_DESIRED) == 0);
}

static size_t
request_bytes(const uint8_t *bytes, size_t length)
{
    return length >= SHORTEST && is_message(bytes, length, false) ? LENGTH_BYTES + (size_t)length_of(bytes) : 0;
}

static size_t
answer_bytes(const uint8_t *bytes, size_t length)
{
    return is_message(bytes, length, true) ? LENGTH_BYTES + (size_t)length_of(bytes) : 0;
}

static bool
is_pair(const uint8_t *request, size_t request_length, const uint8_t *answer, size_t answer_length)
{
    (void)request_length;
    (void)answer_length;
    return memcmp(request + LENGTH_BYTES, answer + LENGTH_BYTES, ID_BYTES) == 0;
}

static enum agreement
agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    static const struct message_walk walk = { request_bytes, answer_bytes, is_pair, SHORTEST };
    return parser_agreement(&walk, asked, asked_bytes, answered, answered_bytes);
}

/* A query with nothing behind its question, or EDNS as it begins (RFC 6891): whole, and of the length that it says. */
static bool
is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    static const uint8_t edns[] = { 0, 0, 41 };
    struct dns_message message;
    (void)whole;
    if (length < SHORTEST || length < LENGTH_BYTES + length_of(bytes) ||
        dns_message_read(bytes + LENGTH_BYTES, length_of(bytes), &message) != DNS_IS_READ)
        return false;
    const size_t behind = length_of(bytes) - message.question_end;
    const uint8_t *end = bytes + LENGTH_BYTES + message.question_end;
    return bytes[SHORTEST - 1] == 0 ? behind == 0 : behind >= sizeof edns && memcmp(end, edns, sizeof edns) == 0;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct dns_message message;
    const size_t bytes = length >= LENGTH_BYTES ? length_of(unit) : DNS_HEADER_BYTES;
    if (bytes < DNS_HEADER_BYTES)
        return PARSER_IS_LOST;
    flow->block = LENGTH_BYTES + (uint32_t)MIN(bytes, DNS_HEADER_BYTES + DNS_QUESTION_LONGEST);
    if (length < flow->block && !flow->is_cut)
        return PARSER_WANTS_MORE;
    if (length < SHORTEST)
        return PARSER_IS_LOST;
    const enum dns_reading read = dns_message_read(unit + LENGTH_BYTES, length - LENGTH_BYTES, &message);
    if (read == DNS_IS_NONE || (read == DNS_IS_CUT && !flow->is_cut) || message.is_response == from_client)
        return PARSER_IS_LOST;
    flow->skip = LENGTH_BYTES + bytes - length;
    flow->ends = true;
    if (from_client)
        reading_asks_as(reading, message.id, message.operation);
    else
        reading_answers_to(reading, message.id, dns_rcode_name(message.rcode), dns_rcode_is_error(message.rcode));
    return PARSER_GOES_ON;
}

const struct parser parser_dns = {
    .protocol = PROTOCOL_DNS,
    .block = SHORTEST,
    .least = SHORTEST + 5,
    .has_ids = true,
    .recognise = recognise,
    .recognise_answer = recognise_answer,
    .may_begin = may_begin,
    .agrees = agrees,
    .is_certain = is_certain,
    .take = take,
};
