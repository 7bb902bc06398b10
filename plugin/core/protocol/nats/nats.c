/* nats.c
 * NATS, what clients say and are told: docs.nats.io/reference/reference-protocols/nats-protocol, and server/client.go
 * of github.com/nats-io/nats-server, 2.9.
 *
 * What is published with a reply subject is a request, whose answer is the first message that comes there. A PING has
 * its PONG; where the client wants it (verbose), all else has an +OK. Other messages are unsolicited.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include "../../request/operation.h"
#include "nats_inbox.h"
#include "nats_line.h"
#include "nats_recognition.h"
#include "nats_status.h"

enum state { LINE, PAYLOAD };

/* What is answered in order, and what is asked but whose answer will not be known. */
enum numbered { PINGS, OKS, NUMBERED, UNKNOWN = NUMBERED };

struct nats {
    struct nats_inboxes inboxes;
    struct nats_line line[2]; /* of each side's payload that follows; its words are gone */
    uint64_t asked[NUMBERED], answered[NUMBERED];
    uint64_t unknown, given_up;
    uint64_t fence;
    bool is_verbose;
    /* Nothing that is answered in order is missing, nor its answer. Where that is not so, it is again when the fence is
     * answered: the first request behind all that may be missing, for a client's lines are taken in order. */
    bool is_certain, has_fence;
};

static struct nats *
own(struct reading *reading)
{
    return reading_own(reading, sizeof(struct nats));
}

static uint64_t
key_of(enum numbered numbered, uint64_t number)
{
    return ((uint64_t)numbered + 1) << NATS_KEY_BITS | number;
}

/* Gives up, now that they wait, requests whose answers will not be known. */
static void
give_up_unknown(struct reading *reading)
{
    struct nats *nats = own(reading);
    if (reading_flow(reading, true)->has_message)
        return;
    for (; nats->given_up < nats->unknown; nats->given_up++)
        reading_gives_up(reading, key_of(UNKNOWN, nats->given_up), STOP_LOST);
}

static void
give_up_numbered(struct reading *reading)
{
    struct nats *nats = own(reading);
    for (unsigned i = 0; i < NUMBERED; i++)
        for (; nats->answered[i] < nats->asked[i]; nats->answered[i]++)
            reading_gives_up(reading, key_of(i, nats->answered[i]), STOP_LOST);
}

/* Notes that of what is answered in order, or pulled, or of its answers, some may be missing. */
static void
doubt(struct reading *reading)
{
    own(reading)->is_certain = false;
    own(reading)->has_fence = false;
    give_up_numbered(reading);
    for (unsigned i = 0; i < NATS_SUBSCRIPTIONS; i++) {
        const uint64_t pulled = nats_blur_pull(&own(reading)->inboxes, i);
        if (pulled > 0)
            reading_gives_up(reading, pulled, STOP_LOST);
    }
}

/* Asks for the next answer of a kind that come in order; not as a request if `operation` is NULL. */
static void
ask_numbered(struct reading *reading, enum numbered numbered, const char *operation)
{
    struct nats *nats = own(reading);
    const uint64_t number = nats->asked[numbered]++;
    nats->has_fence = false;
    if (operation)
        reading_asks_as(reading, key_of(numbered, number), operation);
}

static void
answer_numbered(struct reading *reading, enum numbered numbered, const char *status, bool failed)
{
    struct nats *nats = own(reading);
    if (nats->answered[numbered] < nats->asked[numbered])
        reading_answers_to(reading, key_of(numbered, nats->answered[numbered]++), status, failed);
}

/* Publishes what has a reply subject. */
static void
ask(struct reading *reading, const struct nats_line *line, const char *operation, bool pulls, uint32_t messages)
{
    struct nats *nats = own(reading);
    uint64_t key;
    const enum nats_fate fate = nats_ask(&nats->inboxes, line->reply, pulls, messages, &key);
    if (nats->is_verbose)
        ask_numbered(reading, OKS, fate == NATS_ANSWERED_ELSEWHERE ? operation : NULL);
    if (fate == NATS_ANSWERED_ELSEWHERE)
        return;
    if (fate == NATS_IS_BLURRED) {
        reading_gives_up(reading, key, STOP_LOST);
        reading_asks_as(reading, key_of(UNKNOWN, nats->unknown++), operation);
        return;
    }
    if (!nats->is_certain && !nats->has_fence)
        nats->fence = key;
    nats->has_fence = !nats->is_certain;
    reading_asks_as(reading, key, operation);
}

/* Returns whether CONNECT asks for an +OK to each line, which it does unless it says that it does not. */
static bool
wants_ok(struct nats_word options)
{
    enum { CUT_LEAST = UNIT_BYTES - 32 };
    static const char name[] = "\"verbose\"";
    const uint8_t *at = nats_find(options, name), *end = options.at + options.length;
    if (!at)
        return options.length < CUT_LEAST;
    for (at += sizeof name - 1; at < end && (*at == ':' || *at == ' ');)
        at++;
    return at < end && *at == 't';
}

/* Names a line, by its verb unless it is a request, and by its subject. */
static void
name(const struct nats_line *line, char *text)
{
    static const char *const names[] = { [NATS_CONNECT] = "CONNECT", [NATS_PUB] = "PUB ",    [NATS_HPUB] = "PUB ",
                                         [NATS_SUB] = "SUB ",        [NATS_UNSUB] = "UNSUB", [NATS_PING] = "PING" };
    struct operation_writer writer = { .text = text };
    operation_put_text(&writer, line->reply.length > 0 ? "REQUEST " : names[line->verb]);
    nats_put_subject(&writer, line->subject);
    operation_finish(&writer);
}

/* Publishes; what pulls says only in its payload how many messages it asks for. */
static enum verdict
take_published(struct reading *reading, struct flow *flow, const struct nats_line *line)
{
    char operation[OPERATION_ROOM];
    const bool is_pull = nats_word_begins(line->subject, "$JS.API.CONSUMER.MSG.NEXT.") && line->reply.length > 0;
    name(line, operation);
    if (line->reply.length > 0)
        ask(reading, line, operation, is_pull, is_pull ? NATS_MANY : 1);
    else if (own(reading)->is_verbose)
        ask_numbered(reading, OKS, operation);
    if (is_pull && flow->has_message) {
        flow->message.awaits_event = true;
        flow->left = flow->message.key;
        flow->state = PAYLOAD;
        flow->block = MIN(line->payload + NATS_LINE_END, UNIT_BYTES);
        own(reading)->line[true] = *line;
        return PARSER_GOES_ON;
    }
    flow->skip = (uint64_t)line->payload + NATS_LINE_END;
    flow->ends = true;
    return PARSER_GOES_ON;
}

static enum verdict
take_request(struct reading *reading, struct flow *flow, const struct nats_line *line)
{
    struct nats *nats = own(reading);
    char operation[OPERATION_ROOM];
    give_up_unknown(reading);
    if (line->has_payload)
        return take_published(reading, flow, line);
    flow->ends = true;
    if (line->verb == NATS_PONG)
        return PARSER_GOES_ON;
    if (line->verb == NATS_CONNECT) {
        nats->is_verbose = wants_ok(line->rest);
        nats->inboxes = (struct nats_inboxes){ .is_complete = true };
        nats->is_certain = reading_flow(reading, false)->placed;
    } else if (line->verb == NATS_SUB) {
        nats_subscribe(&nats->inboxes, line);
    } else if (line->verb == NATS_UNSUB) {
        nats_unsubscribe(&nats->inboxes, line);
    }
    name(line, operation);
    if (line->verb == NATS_PING)
        ask_numbered(reading, PINGS, operation);
    else if (nats->is_verbose)
        ask_numbered(reading, OKS, operation);
    return PARSER_GOES_ON;
}

/* Tells an error: of what waits for an +OK, or of the first ping, with which a client sees whether it may connect. */
static void
take_error(struct reading *reading, struct nats_word text)
{
    const struct nats *nats = own(reading);
    char status[STATUS_ROOM];
    nats_error_status(text, status);
    if (nats->answered[OKS] < nats->asked[OKS])
        answer_numbered(reading, OKS, status, true);
    else if (nats->answered[PINGS] == 0)
        answer_numbered(reading, PINGS, status, true);
}

/* Takes what a message begins with: an idle heartbeat answers nothing. */
static void
take_delivered(struct reading *reading, struct flow *flow, const uint8_t *bytes, size_t length)
{
    struct nats *nats = own(reading);
    const struct nats_line *line = &nats->line[false];
    const struct nats_word payload = { bytes, MIN(length, line->payload) };
    const uint32_t code = nats_header_status((struct nats_word){ bytes, MIN(payload.length, line->header) });
    char status[STATUS_ROOM];
    if (code == NATS_STATUS_GOES_ON)
        return;
    const bool failed = nats_status(payload, line->header, status);
    nats_answered(&nats->inboxes, flow->left, code > 0);
    if (nats->has_fence && flow->left == nats->fence) {
        nats->is_certain = true;
        nats->has_fence = false;
    }
    reading_answers_to(reading, flow->left, status, failed);
}

static enum verdict
take_answer(struct reading *reading, struct flow *flow, const struct nats_line *line)
{
    struct nats *nats = own(reading);
    give_up_unknown(reading);
    if (!nats->is_certain)
        give_up_numbered(reading);
    flow->ends = !line->has_payload;
    if (line->has_payload) {
        flow->left = nats_asked(&nats->inboxes, line);
        flow->state = PAYLOAD;
        flow->block = MIN(line->payload + NATS_LINE_END, UNIT_BYTES);
        nats->line[false] = *line;
    } else if (line->verb == NATS_PONG) {
        answer_numbered(reading, PINGS, "", false);
    } else if (line->verb == NATS_ERR) {
        take_error(reading, line->rest);
    } else if (line->verb == NATS_OK && nats->is_verbose) {
        answer_numbered(reading, OKS, "", false);
    } else if (line->verb == NATS_OK) {
        nats->is_verbose = true;
        doubt(reading);
    }
    return PARSER_GOES_ON;
}

/* Takes how many messages a pull asks for: a number, or a member of an object; one if it does not say. */
static void
take_pulled(struct reading *reading, struct flow *flow, const uint8_t *bytes, size_t length)
{
    static const char batch[] = "\"batch\":";
    struct nats *nats = own(reading);
    if (length < flow->block)
        return;
    const struct nats_word payload = { bytes, MIN(length, nats->line[true].payload) };
    const uint8_t *at = nats_find(payload, batch), *end = bytes + payload.length;
    const bool is_object = nats_word_begins(payload, "{");
    at = at ? at + sizeof batch - 1 : is_object ? end : bytes;
    nats_pull(&nats->inboxes, flow->left, MAX(nats_number((struct nats_word){ at, (size_t)(end - at) }), 1));
    flow->message.awaits_event = !nats_find(payload, "\"no_wait\":true") && !nats_find(payload, "\"no_wait\": true");
}

static enum verdict
take_payload(struct reading *reading, struct flow *flow, bool from_client, const uint8_t *bytes, size_t length)
{
    const uint64_t whole = (uint64_t)own(reading)->line[from_client].payload + NATS_LINE_END;
    if (from_client)
        take_pulled(reading, flow, bytes, length);
    else if (flow->left > 0)
        take_delivered(reading, flow, bytes, length);
    flow->skip = whole - length;
    flow->ends = true;
    return PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct nats_line line;
    if (flow->state == PAYLOAD)
        return take_payload(reading, flow, from_client, unit, length);
    if (!nats_line_read(unit, length, from_client, &line))
        return PARSER_IS_LOST;
    return from_client ? take_request(reading, flow, &line) : take_answer(reading, flow, &line);
}

/* Takes what there is of a payload, whose length the line has said. */
static bool
take_cut(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    static const uint8_t nothing[1];
    return flow->state == PAYLOAD &&
           take_payload(reading, flow, from_client, length > 0 ? unit : nothing, length) == PARSER_GOES_ON;
}

static void
lack_requests(struct reading *reading)
{
    own(reading)->inboxes.is_complete = false;
    doubt(reading);
}

static void
lose_place(struct reading *reading, bool from_client)
{
    own(reading)->inboxes.is_complete &= !from_client;
    doubt(reading);
}

static void
forget(struct reading *reading)
{
    wmem_free(reading_scope(reading), own(reading));
}

const struct parser parser_nats = {
    .protocol = PROTOCOL_NATS,
    .least = NATS_LEAST,
    .has_ids = true,
    .recognise = nats_recognise,
    .recognise_answer = nats_recognise_answer,
    .recognise_greeting = nats_recognise_greeting,
    .may_begin = nats_may_begin,
    .agrees = nats_agrees,
    .is_certain = nats_is_certain,
    .tells_client = nats_tells_client,
    .take = take,
    .take_cut = take_cut,
    .lose_place = lose_place,
    .lack_requests = lack_requests,
    .forget = forget,
};
