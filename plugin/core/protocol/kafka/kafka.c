/* kafka.c
 * Kafka: kafka.apache.org/protocol. Each message stands behind its length; a response has its request's correlation id,
 * and nothing that says what it is: so only one with the id of a request that waits is believed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <stdio.h>
#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/operation.h"
#include "kafka_api.h"
#include "kafka_body.h"

/* A request: length, api, version, correlation id, the client's name. */
enum { SIZE = 4, API_AT = 4, VERSION_AT = 6, ID_AT = 8, NAME_AT = 12, REQUEST = 14, ANSWER = 8 };
enum { LONGEST = 100 << 20, NAME_LONGEST = 256, WAITING_MOST = 256 };

/* What was asked last, by the id. */
struct asked {
    uint32_t id;
    uint8_t api, version;
    bool waits;
};

struct kafka {
    struct asked asked[WAITING_MOST];
};

static bool
is_text(const uint8_t *at, const uint8_t *end)
{
    while (at < end && g_ascii_isprint(*at))
        at++;
    return at == end;
}

/* As far as it is there. */
static bool
can_be_asked(const uint8_t *bytes, size_t length)
{
    if (length < API_AT + 2)
        return true;
    const uint16_t api = pntohu16(bytes + API_AT);
    return kafka_api_name(api) && (length < VERSION_AT + 2 || pntohu16(bytes + VERSION_AT) <= KAFKA_VERSION_MOST);
}

static bool
is_request(const uint8_t *bytes, size_t length)
{
    if (length < REQUEST)
        return false;
    const uint32_t size = pntohu32(bytes);
    const int16_t name = (int16_t)pntohu16(bytes + NAME_AT);
    if (size < REQUEST - SIZE || size > LONGEST || !can_be_asked(bytes, length) || name < -1 || name > NAME_LONGEST ||
        REQUEST - SIZE + MAX(name, 0) > (int64_t)size)
        return false;
    return name < 0 || is_text(bytes + REQUEST, bytes + MIN(length, (size_t)(REQUEST + name)));
}

/* A request whose body, too, is one as far as it is there. Only a Produce is long. */
static bool
is_believed(const uint8_t *bytes, size_t length)
{
    enum { ELSE_LONGEST = 16 << 20 };
    if (!is_request(bytes, length))
        return false;
    const unsigned api = pntohu16(bytes + API_AT), version = pntohu16(bytes + VERSION_AT);
    const uint64_t whole = SIZE + (uint64_t)pntohu32(bytes);
    const size_t name_end = REQUEST + (size_t)MAX((int16_t)pntohu16(bytes + NAME_AT), 0);
    const uint8_t *at = bytes + MIN(name_end, length), *end = bytes + MIN(length, whole);
    if (whole > ELSE_LONGEST && api != KAFKA_PRODUCE)
        return false;
    if (at == end)
        return length < whole || kafka_can_be_body(api, version, at, end, 0);
    if (kafka_is_flexible(api, version) && !kafka_pass_tags(&at, end))
        return length < whole;
    return kafka_can_be_body(api, version, at, end, whole - (size_t)(at - bytes));
}

/* Returns how many bytes of a request it takes to see what it is. */
static size_t
telling(const uint8_t *bytes)
{
    enum { TELLING = 32 };
    return (size_t)MIN(SIZE + (uint64_t)pntohu32(bytes), TELLING);
}

/* Produce v0, v1 and v2 (Kafka 0.8 to 0.10) begin as frames of HTTP/2 do, of which bytes 4 to 7 are flags and stream:
 * they are told by the topic, which must be there. */
static bool
is_frame(const uint8_t *bytes, size_t length)
{
    enum { PRODUCE_LEAST = 3, TOPIC_ROOM = 256 };
    static const char legal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const unsigned version = pntohu16(bytes + VERSION_AT);
    if (pntohu16(bytes + API_AT) != KAFKA_PRODUCE || version >= PRODUCE_LEAST)
        return false;
    const int16_t name = (int16_t)pntohu16(bytes + NAME_AT);
    const uint8_t *body = bytes + MIN(length, (size_t)(REQUEST + MAX(name, 0)));
    char topic[TOPIC_ROOM];
    kafka_topic(KAFKA_PRODUCE, version, body, bytes + length, topic, sizeof topic);
    return !*topic || strspn(topic, legal) < strlen(topic);
}

/* Requests, one after another, up to the end or beyond it. */
static bool
recognise_cut(const uint8_t *bytes, size_t length, uint64_t whole)
{
    size_t at = 0;
    (void)whole;
    while (at < length && is_believed(bytes + at, length - at))
        at += SIZE + (size_t)pntohu32(bytes + at);
    return at > 0 && (at >= length || length - at < REQUEST) && !is_frame(bytes, length);
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    return length >= SIZE && length >= telling(bytes) && recognise_cut(bytes, length, length);
}

/* Of a client that says its name. */
static size_t
find(const uint8_t *bytes, size_t length)
{
    enum { TRIED_MOST = 16 };
    unsigned tried = 0;
    for (size_t at = 1; at + REQUEST < length && tried < TRIED_MOST; at++) {
        if (!is_request(bytes + at, length - at) || (int16_t)pntohu16(bytes + at + NAME_AT) <= 0)
            continue;
        if (recognise(bytes + at, length - at))
            return at;
        tried++;
    }
    return 0;
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    return length >= ANSWER && pntohu32(bytes) >= ANSWER - SIZE && pntohu32(bytes) <= LONGEST;
}

static size_t
request_bytes(const uint8_t *bytes, size_t length)
{
    return is_request(bytes, length) ? SIZE + (size_t)pntohu32(bytes) : 0;
}

static size_t
answer_bytes(const uint8_t *bytes, size_t length)
{
    return recognise_answer(bytes, length) ? SIZE + (size_t)pntohu32(bytes) : 0;
}

static bool
is_pair(const uint8_t *request, size_t request_length, const uint8_t *answer, size_t answer_length)
{
    (void)request_length;
    (void)answer_length;
    return pntohu32(request + ID_AT) == pntohu32(answer + SIZE);
}

static enum agreement
agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    static const struct message_walk walk = { request_bytes, answer_bytes, is_pair, ANSWER };
    return parser_agreement(&walk, asked, asked_bytes, answered, answered_bytes);
}

static bool
may_begin(const uint8_t *bytes, size_t length)
{
    if (length < SIZE || pntohu32(bytes) < REQUEST - SIZE || pntohu32(bytes) > LONGEST || length >= telling(bytes))
        return false;
    return length < REQUEST ? can_be_asked(bytes, length) : is_believed(bytes, length);
}

static struct kafka *
own(struct reading *reading)
{
    return reading_own(reading, sizeof(struct kafka));
}

static struct asked *
place_of(struct reading *reading, uint32_t id)
{
    return &own(reading)->asked[id % WAITING_MOST];
}

static void
take_request(struct reading *reading, const uint8_t *unit, size_t length)
{
    const unsigned api = pntohu16(unit + API_AT), version = pntohu16(unit + VERSION_AT);
    const int16_t name = (int16_t)pntohu16(unit + NAME_AT);
    const uint32_t id = pntohu32(unit + ID_AT);
    const uint8_t *end = unit + length, *at = unit + MIN((size_t)(REQUEST + MAX(name, 0)), length);
    char command[64], topic[OPERATION_ROOM], operation[OPERATION_ROOM];
    if (kafka_is_flexible(api, version) && !kafka_pass_tags(&at, end))
        at = end;
    if (!kafka_is_answered(api, version, at, end))
        return;
    kafka_topic(api, version, at, end, topic, sizeof topic);
    snprintf(command, sizeof command, "%s v%u", kafka_api_name(api), version);
    operation_of(command, topic, operation);
    *place_of(reading, id) = (struct asked){ id, (uint8_t)api, (uint8_t)version, true };
    reading_asks_as(reading, id, operation);
    reading_flow(reading, true)->message.awaits_event = kafka_awaits_event(api, version, at, end);
}

static bool
take_answer(struct reading *reading, const uint8_t *unit, size_t length)
{
    const uint32_t id = pntohu32(unit + SIZE);
    struct asked *asked = place_of(reading, id);
    char status[STATUS_ROOM] = "";
    if (!asked->waits || asked->id != id)
        return false;
    asked->waits = false;
    const int16_t error = kafka_error(asked->api, asked->version, unit + ANSWER, unit + length);
    if (error != 0)
        snprintf(status, sizeof status, "%d", error);
    reading_answers_to(reading, id, status, error != 0);
    return true;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    enum { LEAST_LOOKED_AT = ANSWER };
    struct flow *flow = reading_flow(reading, from_client);
    if (length < LEAST_LOOKED_AT)
        return PARSER_IS_LOST;
    const uint32_t size = pntohu32(unit);
    if (size < LEAST_LOOKED_AT - SIZE || size > LONGEST)
        return PARSER_IS_LOST;
    flow->block = MIN(SIZE + size, UNIT_BYTES);
    if (length < flow->block && !flow->is_cut)
        return PARSER_WANTS_MORE;
    if (from_client && !is_request(unit, length))
        return PARSER_IS_LOST;
    flow->skip = SIZE + (uint64_t)size - length;
    flow->ends = true;
    if (from_client)
        take_request(reading, unit, length);
    else if (!take_answer(reading, unit, length))
        return PARSER_IS_LOST;
    return PARSER_GOES_ON;
}

static void
forget(struct reading *reading)
{
    wmem_free(reading_scope(reading), own(reading));
}

const struct parser parser_kafka = {
    .protocol = PROTOCOL_KAFKA,
    .block = ANSWER,
    .least = REQUEST,
    .has_ids = true,
    .recognise = recognise,
    .recognise_cut = recognise_cut,
    .recognise_answer = recognise_answer,
    .agrees = agrees,
    .may_begin = may_begin,
    .take = take,
    .forget = forget,
    .find = find,
};
