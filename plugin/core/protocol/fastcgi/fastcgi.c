/* fastcgi.c
 * FastCGI: the FastCGI Specification 1.0 (Open Market, 29 April 1996), of which the sections are.
 *
 * A web server asks an application: it begins a request, sends its parameters and its input, and the application sends
 * output, errors and the request's end, all in records that name the request (3.3). Several may be under way at once,
 * and an id is used again as soon as its request has ended: most web servers have but one. What asks about the
 * application itself has no id (4), and is answered in order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <stdio.h>
#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"
#include "fastcgi_output.h"
#include "fastcgi_params.h"
#include "fastcgi_record.h"
#include "fastcgi_requests.h"

/* What comes next of a message: the header of its first record, or of another that belongs to it; or of a record what a
 * request begins with, parameters, output, what it ends with. */
enum state { FIRST, NEXT, BEGINNING, PARAMETERS, OUTPUT, ENDING };

static enum verdict
end(struct flow *flow, uint64_t skip)
{
    flow->skip += skip;
    flow->ends = true;
    return PARSER_GOES_ON;
}

static enum verdict
want(struct flow *flow, enum state state, uint64_t bytes)
{
    flow->state = (uint8_t)state;
    flow->block = (uint32_t)MIN(bytes, UNIT_BYTES);
    return PARSER_GOES_ON;
}

/* Says what the request asks for whose parameters have been read so far. */
static void
ask(struct reading *reading, struct fastcgi_request *request)
{
    const struct fastcgi *fastcgi = fastcgi_of(reading);
    char operation[OPERATION_ROOM];
    fastcgi_params_operation(fastcgi->params, operation);
    reading_asks_as(reading, fastcgi_key(fastcgi, request->id), operation);
    if (fastcgi->params->id_names)
        reading_carries(reading, &fastcgi->params->ids);
    request->has_asked = true;
    fastcgi_drop_params(reading);
}

/* Ends the message in which a request has begun, where what follows does not belong to it, or is missing. */
static bool
ask_early(struct reading *reading)
{
    struct fastcgi_request *request = fastcgi_find_request(fastcgi_of(reading), fastcgi_of(reading)->side[true].id);
    if (!request || request->has_asked)
        return false;
    ask(reading, request);
    return true;
}

/* Goes on with the parameters. The request is told with the last one, which is empty; an authorizer gets no input
 * (6.3). */
static enum verdict
next_params(struct reading *reading, struct fastcgi_request *request, bool is_last)
{
    struct flow *flow = reading_flow(reading, true);
    if (flow->left > 0)
        return want(flow, PARAMETERS, flow->left);
    flow->skip += flow->marks;
    if (!is_last)
        return want(flow, NEXT, FASTCGI_HEADER);
    ask(reading, request);
    if (request->role == FASTCGI_AUTHORIZER)
        flow->message.last = LAST_OF_SIDE;
    return end(flow, 0);
}

static enum verdict
take_request(struct reading *reading, const struct fastcgi_record *record)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    struct flow *flow = reading_flow(reading, true);
    struct fastcgi_request *request = fastcgi_find_request(fastcgi, record->id);
    if (record->type == FASTCGI_BEGIN_REQUEST)
        return want(flow, BEGINNING, FASTCGI_BODY);
    if (record->type == FASTCGI_GET_VALUES) {
        reading_asks_as(reading, fastcgi_key(fastcgi, 0), "GET_VALUES");
        flow->message.last = LAST_OF_SIDE;
    }
    if (!request || request->is_lost)
        return end(flow, (uint64_t)record->length + record->padding);
    if (record->type == FASTCGI_PARAMS && !request->has_asked)
        return next_params(reading, request, record->length == 0);
    if (!request->has_asked)
        ask(reading, request);
    else
        reading_goes_on(reading, true, fastcgi_key(fastcgi, record->id));
    if (record->length == 0 && record->type == (request->role == FASTCGI_FILTER ? FASTCGI_DATA : FASTCGI_STDIN))
        flow->message.last = LAST_OF_SIDE;
    return end(flow, (uint64_t)record->length + record->padding);
}

/* Begins, or goes on with, the answer to a request, whose next bytes are these of its output, if any. Where something
 * is missing it begins only with a field: what is between may be the end of another's, or its own beginning. */
static bool
answer(struct reading *reading, struct fastcgi_request *request, const uint8_t *output, size_t length)
{
    const uint64_t key = fastcgi_key(fastcgi_of(reading), request->id);
    struct flow *flow = reading_flow(reading, false);
    if (request->is_lost)
        return false;
    if (request->is_answered) {
        if (!flow->has_message)
            reading_goes_on(reading, false, key);
        return true;
    }
    if (request->is_doubtful && !(length > 0 && fastcgi_output_begins(output, length))) {
        fastcgi_lose(reading, request);
        return false;
    }
    reading_answers_to(reading, key, "", false);
    request->is_answered = true;
    return true;
}

/* Says how the request went; of what ends it, if that is there, the application's status and the protocol's (5.5). */
static void
say(struct reading *reading, const struct fastcgi_request *request, const uint8_t *ending)
{
    enum { PROTOCOL_AT = 4 };
    static const char *const refusals[] = { "", "cannot multiplex", "overloaded", "unknown role" };
    const struct fastcgi_output *output = &request->output;
    const char *status = output->is_over && !output->is_unknown ? output->status : "";
    const uint32_t application = ending ? pntohu32(ending) : 0;
    const uint8_t refusal = ending && ending[PROTOCOL_AT] < G_N_ELEMENTS(refusals) ? ending[PROTOCOL_AT] : 0;
    char text[STATUS_ROOM];
    if (refusal)
        snprintf(text, sizeof text, "%s", refusals[refusal]);
    else if (application)
        snprintf(text, sizeof text, "%s%sexit %d", status, *status ? " " : "", (int32_t)application);
    else
        snprintf(text, sizeof text, "%s", status);
    reading_says(reading, text, refusal || application || *status >= '4');
}

static enum verdict
take_answer(struct reading *reading, const struct fastcgi_record *record)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    struct flow *flow = reading_flow(reading, false);
    struct fastcgi_request *request = fastcgi_find_request(fastcgi, record->id);
    const uint64_t rest = (uint64_t)record->length + record->padding;
    if (record->id == 0) {
        reading_answers_to(reading, fastcgi_key(fastcgi, 0), "", record->type == FASTCGI_UNKNOWN_TYPE);
        flow->message.last = LAST_OF_BOTH;
    }
    if (!request)
        return end(flow, rest);
    if (record->type == FASTCGI_END_REQUEST)
        return want(flow, ENDING, FASTCGI_BODY);
    if (record->type == FASTCGI_STDOUT && record->length > 0 && !request->output.is_over)
        return want(flow, OUTPUT, record->length);
    answer(reading, request, NULL, 0);
    return end(flow, rest);
}

static enum verdict
take_header(struct reading *reading, bool from_client, const uint8_t *unit)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    struct fastcgi_side *side = &fastcgi->side[from_client];
    struct flow *flow = reading_flow(reading, from_client);
    struct fastcgi_record record;
    if (!fastcgi_record_read(unit, from_client, &record))
        return PARSER_IS_LOST;
    /* what looks like a header in the middle of output is nobody's */
    if (!from_client && side->is_unread && record.id > 0 && !fastcgi_find_request(fastcgi, record.id))
        return PARSER_IS_LOST;
    if (flow->state == NEXT && (record.id != side->id || record.type == FASTCGI_BEGIN_REQUEST)) {
        ask_early(reading);
        reading_ends_before(reading, from_client, FASTCGI_HEADER);
    }
    side->id = record.id;
    side->is_unread = false;
    flow->left = record.length;
    flow->marks = record.padding;
    return from_client ? take_request(reading, &record) : take_answer(reading, &record);
}

static enum verdict
take_beginning(struct reading *reading, const uint8_t *unit)
{
    struct flow *flow = reading_flow(reading, true);
    fastcgi_begin(reading, fastcgi_of(reading)->side[true].id, pntohu16(unit));
    flow->skip += flow->marks;
    return want(flow, NEXT, FASTCGI_HEADER);
}

static enum verdict
take_params(struct reading *reading, const uint8_t *unit, size_t length)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    struct flow *flow = reading_flow(reading, true);
    fastcgi_params_take(fastcgi->params, unit, length);
    flow->left -= length;
    return next_params(reading, fastcgi_find_request(fastcgi, fastcgi->side[true].id), false);
}

static enum verdict
take_output(struct reading *reading, const uint8_t *unit, size_t length)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    struct flow *flow = reading_flow(reading, false);
    struct fastcgi_request *request = fastcgi_find_request(fastcgi, fastcgi->side[false].id);
    flow->left -= length;
    if (!request || !answer(reading, request, unit, length))
        return end(flow, flow->left + flow->marks);
    fastcgi_output_take(&request->output, unit, length);
    say(reading, request, NULL);
    if (flow->left > 0 && !request->output.is_over)
        return want(flow, OUTPUT, flow->left);
    return end(flow, flow->left + flow->marks);
}

/* `ending` is NULL if it is cut. */
static enum verdict
take_ending(struct reading *reading, const uint8_t *ending)
{
    struct fastcgi *fastcgi = fastcgi_of(reading);
    struct flow *flow = reading_flow(reading, false);
    struct fastcgi_request *request = fastcgi_find_request(fastcgi, fastcgi->side[false].id);
    if (request && answer(reading, request, NULL, 0)) {
        say(reading, request, ending);
        flow->message.last = LAST_OF_BOTH;
    }
    if (request)
        fastcgi_end(fastcgi, request);
    return end(flow, flow->marks);
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    switch ((enum state)reading_flow(reading, from_client)->state) {
    case FIRST:
    case NEXT:
        return take_header(reading, from_client, unit);
    case BEGINNING:
        return take_beginning(reading, unit);
    case PARAMETERS:
        return take_params(reading, unit, length);
    case OUTPUT:
        return take_output(reading, unit, length);
    default:
        return take_ending(reading, unit);
    }
}

static bool
take_cut(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct fastcgi *fastcgi = fastcgi_of(reading);
    struct fastcgi_request *request = fastcgi_find_request(fastcgi, fastcgi->side[from_client].id);
    const uint64_t rest = flow->left - MIN(flow->left, length) + flow->marks;
    switch ((enum state)flow->state) {
    case FIRST:
        return false;
    case NEXT:
        flow->message.cut = ask_early(reading) && !flow->after_gap;
        return false;
    case BEGINNING:
        fastcgi_begin(reading, fastcgi->side[true].id, FASTCGI_RESPONDER);
        ask_early(reading);
        break;
    case PARAMETERS:
        fastcgi_params_take(fastcgi->params, unit, length);
        ask_early(reading);
        break;
    case OUTPUT:
        if (request && answer(reading, request, unit, length)) {
            fastcgi_output_take(&request->output, unit, length);
            fastcgi_output_lose(&request->output);
            say(reading, request, NULL);
        }
        break;
    case ENDING:
        take_ending(reading, NULL);
        break;
    }
    flow->message.cut = !flow->after_gap;
    flow->skip = rest;
    flow->ends = true;
    return true;
}

static void
lack_requests(struct reading *reading)
{
    fastcgi_lack(reading, true);
}

static void
lose_place(struct reading *reading, bool from_client)
{
    fastcgi_of(reading)->side[from_client].is_unread = true;
    if (from_client)
        fastcgi_drop_beginning(reading);
    fastcgi_lack(reading, from_client);
}

static void
forget(struct reading *reading)
{
    fastcgi_drop_params(reading);
    wmem_free(reading_scope(reading), fastcgi_of(reading)->requests);
    wmem_free(reading_scope(reading), fastcgi_of(reading));
}

const struct parser parser_fastcgi = {
    .protocol = PROTOCOL_FASTCGI,
    .block = FASTCGI_HEADER,
    .least = FASTCGI_HEADER,
    .has_ids = true,
    .interleaves = true,
    .recognise = fastcgi_recognise,
    .recognise_answer = fastcgi_recognise_answer,
    .may_begin = fastcgi_may_begin,
    .tells_client = fastcgi_tells_client,
    .resumes = fastcgi_resumes,
    .find = fastcgi_find,
    .take = take,
    .take_cut = take_cut,
    .lose_place = lose_place,
    .lack_requests = lack_requests,
    .forget = forget,
};
