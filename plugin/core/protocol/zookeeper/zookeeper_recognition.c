/* zookeeper_recognition.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "zookeeper_recognition.h"

#include <wsutil/pint.h>

#include "../../../compat.h"
#include "zookeeper_error.h"
#include "zookeeper_request.h"

enum { ZXID_AT = 8 };

/* The answer to a session's establishment: length, version, timeout, session, password, and from 3.4 on a flag. */
enum { PASSWORD_AT = 20, CONNECTED = 40, CONNECTED_FLAGGED = CONNECTED + 1 };

uint64_t
zookeeper_whole(const uint8_t *bytes)
{
    return ZOOKEEPER_LENGTH + (uint64_t)pntohu32(bytes);
}

int32_t
zookeeper_xid(const uint8_t *bytes)
{
    return (int32_t)pntohu32(bytes + ZOOKEEPER_XID_AT);
}

bool
zookeeper_is_connected(const uint8_t *bytes, size_t length)
{
    const uint64_t whole = zookeeper_whole(bytes);
    return (whole == CONNECTED || whole == CONNECTED_FLAGGED) && zookeeper_xid(bytes) == 0 &&
           zookeeper_can_be_password(bytes, length, PASSWORD_AT);
}

/* Returns whether this is what a watch has seen: a type, a state, a path. */
static bool
is_event(const uint8_t *bytes, size_t length)
{
    enum { STATE_AT = ZOOKEEPER_ANSWER + 4, PATH_AT = STATE_AT + 4, TYPES = 8, STATES = 16 };
    const uint64_t whole = zookeeper_whole(bytes);
    uint64_t end;
    if (whole <= PATH_AT || (length >= ZOOKEEPER_ANSWER + 4 && pntohu32(bytes + ZOOKEEPER_ANSWER) >= TYPES) ||
        (length >= PATH_AT && pntohu32(bytes + STATE_AT) >= STATES))
        return false;
    return length <= PATH_AT ||
           (zookeeper_can_be_path(bytes + PATH_AT, length - PATH_AT, whole - PATH_AT, &end) && PATH_AT + end == whole);
}

/* Returns whether this is a message of the server, as far as it is there. */
static bool
is_answer(const uint8_t *bytes, size_t length)
{
    if (length < ZOOKEEPER_XID_AT + 4)
        return false;
    if (zookeeper_is_connected(bytes, length))
        return true;
    const uint64_t whole = zookeeper_whole(bytes);
    const int32_t xid = zookeeper_xid(bytes);
    if (whole < ZOOKEEPER_ANSWER || whole > ZOOKEEPER_LONGEST)
        return false;
    if (length >= ZXID_AT + 4 && (int32_t)pntohu32(bytes + ZXID_AT) < -1)
        return false;
    if (length >= ZOOKEEPER_ANSWER && !zookeeper_can_be_error((int32_t)pntohu32(bytes + ZOOKEEPER_ERROR_AT)))
        return false;
    switch (xid) {
    case ZOOKEEPER_EVENT_XID:
        return is_event(bytes, length);
    case ZOOKEEPER_PING_XID:
    case ZOOKEEPER_AUTH_XID:
    case ZOOKEEPER_WATCHES_XID:
        return whole == ZOOKEEPER_ANSWER;
    default:
        return xid >= 0;
    }
}

bool
zookeeper_is_message(const uint8_t *bytes, size_t length, bool from_client)
{
    return from_client ? zookeeper_can_be_asked(bytes, length) : is_answer(bytes, length);
}

/* Returns whether these are messages, one after another, up to the end or beyond it. */
static bool
is_row(const uint8_t *bytes, size_t length, bool from_client)
{
    const size_t header = from_client ? ZOOKEEPER_REQUEST : ZOOKEEPER_ANSWER;
    size_t at = 0;
    while (at < length && zookeeper_is_message(bytes + at, length - at, from_client))
        at += zookeeper_whole(bytes + at);
    return at > 0 && (at >= length || length - at < header);
}

bool
zookeeper_recognise_cut(const uint8_t *bytes, size_t length, uint64_t whole)
{
    (void)whole;
    return is_row(bytes, length, true);
}

bool
zookeeper_recognise(const uint8_t *bytes, size_t length)
{
    return length >= ZOOKEEPER_REQUEST && zookeeper_has_telling(bytes, length) && is_row(bytes, length, true);
}

bool
zookeeper_recognise_answer(const uint8_t *bytes, size_t length)
{
    return is_row(bytes, length, false);
}

bool
zookeeper_may_begin(const uint8_t *bytes, size_t length)
{
    if (length < ZOOKEEPER_LENGTH)
        return bytes[0] == 0;
    if (zookeeper_whole(bytes) < ZOOKEEPER_REQUEST || zookeeper_whole(bytes) > ZOOKEEPER_LONGEST)
        return false;
    return length < ZOOKEEPER_REQUEST ||
           (!zookeeper_has_telling(bytes, length) && zookeeper_can_be_asked(bytes, length));
}

/* Tells it of answers that have a number that does not count, too: others have nothing that requests have not. */
bool
zookeeper_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    (void)whole;
    *from_client = zookeeper_is_certain(bytes, length);
    if (*from_client || length < ZOOKEEPER_ANSWER || !is_answer(bytes, length))
        return *from_client;
    return zookeeper_is_connected(bytes, length) ? length >= CONNECTED : zookeeper_xid(bytes) < 0;
}

/* Returns whether these two are a request and its answer. */
static bool
is_pair(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    const int32_t type = zookeeper_type(asked, asked_bytes);
    if (type == ZOOKEEPER_CONNECT || zookeeper_is_connected(answered, answered_bytes))
        return type == ZOOKEEPER_CONNECT && zookeeper_is_connected(answered, answered_bytes);
    if (answered_bytes < ZOOKEEPER_ANSWER || zookeeper_xid(asked) != zookeeper_xid(answered))
        return false;
    return zookeeper_can_answer(type, zookeeper_whole(answered) - ZOOKEEPER_ANSWER) ||
           (zookeeper_whole(answered) == ZOOKEEPER_ANSWER && pntohu32(answered + ZOOKEEPER_ERROR_AT) != 0);
}

static size_t
request_bytes(const uint8_t *bytes, size_t length)
{
    return zookeeper_can_be_asked(bytes, length) ? zookeeper_whole(bytes) : 0;
}

static size_t
answer_bytes(const uint8_t *bytes, size_t length)
{
    return is_answer(bytes, length) ? zookeeper_whole(bytes) : 0;
}

enum agreement
zookeeper_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    static const struct message_walk walk = { request_bytes, answer_bytes, is_pair, ZOOKEEPER_ANSWER };
    return parser_agreement(&walk, asked, asked_bytes, answered, answered_bytes);
}

size_t
zookeeper_find(const uint8_t *bytes, size_t length)
{
    enum { TRIED_MOST = 16 };
    unsigned tried = 0;
    for (size_t at = 1; at + ZOOKEEPER_REQUEST <= length && tried < TRIED_MOST; at++) {
        if (!zookeeper_can_be_asked(bytes + at, length - at))
            continue;
        if (zookeeper_recognise(bytes + at, length - at))
            return at;
        tried++;
    }
    return 0;
}

bool
zookeeper_resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client)
{
    (void)whole;
    return from_client ? zookeeper_recognise(bytes, length) : zookeeper_recognise_answer(bytes, length);
}
