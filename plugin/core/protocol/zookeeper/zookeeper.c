/* zookeeper.c
 * ZooKeeper, what clients say and are told: zookeeper.jute and ClientCnxn.java of github.com/apache/zookeeper.
 *
 * Each message stands behind its length. A request has a number (xid), which counts, and its answer the same, but for
 * pings, authentications and watches that are set again: all of these have the same, and are answered in their order.
 * A connection begins with a session's establishment, which has neither number nor type. Events are unsolicited.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/operation.h"
#include "zookeeper_error.h"
#include "zookeeper_recognition.h"
#include "zookeeper_request.h"

/* Of the answer to a session's establishment, behind its length and version. */
enum { TIMEOUT_AT = 8 };

/* A server lets 1000 requests wait (globalOutstandingLimit). Powers of two. */
enum { WAITING_FIRST = 8, WAITING_MOST = 1024 };

/* What is asked under numbers that do not count. */
enum repeated { PINGS, AUTHS, WATCHES, CONNECTS, REPEATED };

/* What was asked last, by the number. */
struct asked {
    uint32_t xid;
    int16_t type;
    bool waits;
};

struct zookeeper {
    struct asked *asked; /* in slots by their numbers */
    uint32_t room;       /* how many slots there are */
    uint32_t waits[REPEATED];
    bool is_unsure; /* no answer has been believed yet, or since bytes of the server are missing */
    /* What repeats a number and is missing, or its answer, may be answered yet. That ends when the fence is answered:
     * the first request with a number of its own behind all that repeats one, for a session's are answered in their
     * order. */
    bool is_doubtful, has_fence;
    uint32_t fence;
};

static bool
is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    (void)whole;
    return zookeeper_is_certain(bytes, length);
}

static struct zookeeper *
own(struct reading *reading)
{
    struct zookeeper *zookeeper = reading_own(reading, sizeof *zookeeper);
    if (!zookeeper->asked) {
        zookeeper->is_unsure = zookeeper->is_doubtful = true;
        zookeeper->room = WAITING_FIRST;
        zookeeper->asked = wmem_alloc0_array(reading_scope(reading), struct asked, WAITING_FIRST);
    }
    return zookeeper;
}

static struct asked *
place_of(struct reading *reading, uint32_t xid)
{
    struct zookeeper *zookeeper = own(reading);
    return &zookeeper->asked[xid % zookeeper->room];
}

static void
grow(struct reading *reading)
{
    struct zookeeper *zookeeper = own(reading);
    const struct zookeeper before = *zookeeper;
    zookeeper->room *= 2;
    zookeeper->asked = wmem_alloc0_array(reading_scope(reading), struct asked, zookeeper->room);
    for (uint32_t i = 0; i < before.room; i++)
        if (before.asked[i].waits)
            *place_of(reading, before.asked[i].xid) = before.asked[i];
    wmem_free(reading_scope(reading), before.asked);
}

/* Returns which of the numbers that do not count this is; REPEATED if it does. */
static enum repeated
repeated_of(int32_t xid, bool is_session)
{
    switch (xid) {
    case ZOOKEEPER_PING_XID:
        return PINGS;
    case ZOOKEEPER_AUTH_XID:
        return AUTHS;
    case ZOOKEEPER_WATCHES_XID:
        return WATCHES;
    default:
        return is_session ? CONNECTS : REPEATED;
    }
}

/* Returns the number, of 32 bits, if it counts, and one beyond for those that do not. */
static uint64_t
id_of(int32_t xid, enum repeated repeated)
{
    return repeated == REPEATED ? (uint32_t)xid : (uint64_t)1 << 32 | repeated;
}

static void
ask_counted(struct reading *reading, uint32_t xid, int32_t type)
{
    struct zookeeper *zookeeper = own(reading);
    while (zookeeper->room < WAITING_MOST && place_of(reading, xid)->waits && place_of(reading, xid)->xid != xid)
        grow(reading);
    *place_of(reading, xid) = (struct asked){ xid, (int16_t)type, true };
    if (zookeeper->is_doubtful && !zookeeper->has_fence)
        zookeeper->fence = xid;
    zookeeper->has_fence = zookeeper->is_doubtful;
}

static void
ask_repeated(struct reading *reading, enum repeated repeated)
{
    struct zookeeper *zookeeper = own(reading);
    zookeeper->is_doubtful &= repeated != CONNECTS;
    zookeeper->has_fence = false;
    zookeeper->waits[repeated]++;
}

static void
take_request(struct reading *reading, const uint8_t *unit, size_t length)
{
    char operation[OPERATION_ROOM];
    const int32_t type = zookeeper_type(unit, length), xid = zookeeper_xid(unit);
    const enum repeated repeated = repeated_of(xid, type == ZOOKEEPER_CONNECT);
    zookeeper_operation(unit, length, operation);
    reading_asks_as(reading, id_of(xid, repeated), operation);
    if (repeated == REPEATED)
        ask_counted(reading, (uint32_t)xid, type);
    else
        ask_repeated(reading, repeated);
}

static void
answer(struct reading *reading, uint64_t id, int32_t error, bool failed)
{
    char status[STATUS_ROOM] = "";
    if (error != 0)
        zookeeper_status(error, status);
    else if (failed)
        g_strlcpy(status, "failed", sizeof status);
    reading_answers_to(reading, id, status, failed);
}

static int32_t
error_of(const uint8_t *unit, size_t length)
{
    return length >= ZOOKEEPER_ANSWER ? (int32_t)pntohu32(unit + ZOOKEEPER_ERROR_AT) : 0;
}

static void
believe(struct reading *reading, struct asked *asked)
{
    struct zookeeper *zookeeper = own(reading);
    asked->waits = zookeeper->is_unsure = false;
    zookeeper->is_doubtful &= !zookeeper->has_fence || (int32_t)(asked->xid - zookeeper->fence) < 0;
}

/* Tells that there is no node as an error, but not where `exists` has asked for just that. */
static void
take_counted(struct reading *reading, const uint8_t *unit, size_t length)
{
    const uint32_t xid = pntohu32(unit + ZOOKEEPER_XID_AT);
    struct asked *asked = place_of(reading, xid);
    const bool is_known = asked->waits && asked->xid == xid;
    const int32_t type = is_known ? asked->type : 0;
    int32_t error = error_of(unit, length);
    bool failed = error != 0 && !(error == ZOOKEEPER_NO_NODE && type == ZOOKEEPER_EXISTS);
    if (is_known)
        believe(reading, asked);
    if (type == ZOOKEEPER_MULTI && error == 0 && length > ZOOKEEPER_ANSWER)
        failed = zookeeper_multi_has_failed(unit + ZOOKEEPER_ANSWER, length - ZOOKEEPER_ANSWER, &error);
    answer(reading, xid, error, failed);
}

/* Tells that a session has expired, which shows by its getting no time. */
static void
take_repeated(struct reading *reading, enum repeated repeated, const uint8_t *unit, size_t length)
{
    uint32_t *waits = &own(reading)->waits[repeated];
    int32_t error = repeated == CONNECTS ? 0 : error_of(unit, length);
    if (repeated == CONNECTS && length >= TIMEOUT_AT + 4 && (int32_t)pntohu32(unit + TIMEOUT_AT) <= 0)
        error = ZOOKEEPER_SESSION_EXPIRED;
    own(reading)->is_unsure &= *waits == 0;
    *waits -= *waits > 0;
    answer(reading, id_of(0, repeated), error, error != 0);
}

/* Returns whether an answer that stands behind a gap can be one: its request waits, and its body is as long as that
 * request's type has it; or a later one has taken its place. All else may be the rest of a value, and its length, by
 * which all answers to come would be skipped, anything. */
static bool
is_believed(struct reading *reading, const uint8_t *unit, size_t length)
{
    enum { FORGOTTEN_MOST = 1 << 16 };
    const uint32_t xid = pntohu32(unit + ZOOKEEPER_XID_AT);
    const struct asked *asked = place_of(reading, xid);
    if (!asked->waits || asked->xid - xid > FORGOTTEN_MOST)
        return false;
    if (asked->xid != xid && own(reading)->room < WAITING_MOST)
        return false;
    return asked->xid != xid || error_of(unit, length) != 0 || length < ZOOKEEPER_ANSWER ||
           zookeeper_can_answer(asked->type, zookeeper_whole(unit) - ZOOKEEPER_ANSWER);
}

/* Gives up all that repeats a number: nobody knows which of it an answer is to. */
static void
give_up_repeated(struct reading *reading)
{
    struct zookeeper *zookeeper = own(reading);
    for (unsigned i = 0; i < REPEATED; i++)
        for (; zookeeper->waits[i] > 0; zookeeper->waits[i]--)
            reading_gives_up(reading, id_of(0, i), STOP_LOST);
}

/* Returns whether it can be an answer or an event. One that is not believed, and short, is to what nobody has seen. */
static bool
take_answer(struct reading *reading, const uint8_t *unit, size_t length)
{
    struct zookeeper *zookeeper = own(reading);
    const int32_t xid = zookeeper_xid(unit);
    const enum repeated repeated = repeated_of(xid, zookeeper_is_connected(unit, length));
    if (zookeeper->is_doubtful)
        give_up_repeated(reading);
    if (xid == ZOOKEEPER_EVENT_XID)
        return true;
    if (repeated == REPEATED) {
        if (zookeeper->is_unsure && !is_believed(reading, unit, length))
            return zookeeper_whole(unit) <= length;
        take_counted(reading, unit, length);
    } else if (!zookeeper->is_unsure || zookeeper->waits[repeated] > 0) {
        take_repeated(reading, repeated, unit, length);
    }
    return true;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    if (length < ZOOKEEPER_REQUEST ||
        !(zookeeper_is_message(unit, length, from_client) || (from_client && zookeeper_is_unknown(unit, length))))
        return PARSER_IS_LOST;
    const uint64_t whole = zookeeper_whole(unit);
    flow->block = (uint32_t)MIN(whole, UNIT_BYTES);
    if (length < flow->block && !flow->is_cut)
        return PARSER_WANTS_MORE;
    flow->skip = whole - length;
    flow->ends = true;
    if (from_client)
        take_request(reading, unit, length);
    else if (!take_answer(reading, unit, length))
        return PARSER_IS_LOST;
    return PARSER_GOES_ON;
}

/* Notes that what repeats a number, or its answer, may be missing. */
static void
doubt(struct reading *reading)
{
    own(reading)->is_doubtful = true;
    own(reading)->has_fence = false;
    give_up_repeated(reading);
}

static void
lose_place(struct reading *reading, bool from_client)
{
    own(reading)->is_unsure |= !from_client;
    doubt(reading);
}

static void
forget(struct reading *reading)
{
    wmem_free(reading_scope(reading), own(reading)->asked);
    wmem_free(reading_scope(reading), own(reading));
}

const struct parser parser_zookeeper = {
    .protocol = PROTOCOL_ZOOKEEPER,
    .block = ZOOKEEPER_REQUEST,
    .least = ZOOKEEPER_REQUEST,
    .has_ids = true,
    .recognise = zookeeper_recognise,
    .recognise_cut = zookeeper_recognise_cut,
    .recognise_answer = zookeeper_recognise_answer,
    .may_begin = zookeeper_may_begin,
    .agrees = zookeeper_agrees,
    .is_certain = is_certain,
    .tells_client = zookeeper_tells_client,
    .resumes = zookeeper_resumes,
    .take = take,
    .find = zookeeper_find,
    .lose_place = lose_place,
    .lack_requests = doubt,
    .forget = forget,
};
