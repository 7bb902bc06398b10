/* one_sided.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "one_sided.h"

/* Whether what asks is to be looked up at the end. */
static bool
is_wanted(struct one_sided *one_sided, bool answered)
{
    one_sided->has_answers |= answered;
    return !one_sided->has_answers;
}

static void
add(struct one_sided *one_sided, struct one_side asked)
{
    if (one_sided->capture != one_sided->source->number)
        one_sided->count = 0;
    one_sided->capture = one_sided->source->number;
    one_sided->latest[one_sided->count++ % ONE_SIDED_LATEST] = asked;
}

void
one_sided_take_request(struct one_sided *one_sided, const struct request *request)
{
    if (is_wanted(one_sided, request->response.p0_frame != 0))
        add(one_sided, (struct one_side){ .request = request_refer(request) });
}

void
one_sided_take_attempt(struct one_sided *one_sided, const struct connection *attempt)
{
    if (is_wanted(one_sided, attempt->tcp->connect.result != CONNECT_UNANSWERED))
        add(one_sided, (struct one_side){ .attempt = attempt });
}

void
one_sided_take_create(struct one_sided *one_sided, const struct ca_request *create)
{
    if (is_wanted(one_sided, create->outcome != CA_WAITING))
        add(one_sided, (struct one_side){ .create = create });
}

static bool
has_been_answered(const struct one_side *asked)
{
    if (asked->attempt)
        return asked->attempt->tcp->connect.result != CONNECT_UNANSWERED;
    if (asked->create)
        return asked->create->outcome != CA_WAITING;
    const struct request *request = request_referred(&asked->request);
    return request && request->response.p0_frame;
}

void
one_sided_write(const struct one_sided *one_sided, GString *text)
{
    if (one_sided->has_answers || one_sided->capture != one_sided->source->number || !one_sided->source->analysis)
        return;
    for (uint32_t i = 0; i < MIN(one_sided->count, ONE_SIDED_LATEST); i++) {
        if (!has_been_answered(&one_sided->latest[i]))
            continue;
        g_string_append(text, "The filter passes no responses, although the capture has some to the requests that it "
                              "passes: use -2, or filter on addresses (ip.addr, tcp.port).\n");
        return;
    }
}
