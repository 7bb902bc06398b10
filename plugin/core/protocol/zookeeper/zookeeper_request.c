/* zookeeper_request.c
 * zookeeper.jute and ZooDefs.java of github.com/apache/zookeeper: what is encoded how, and the numbers of types.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "zookeeper_request.h"

#include <stdio.h>
#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/operation.h"

/* Of a session's establishment: version, last zxid, timeout, session, password, and, from 3.4 on, a flag. */
enum { PASSWORD_AT = 28, PASSWORD = 16, CONNECT = 48, CONNECT_FLAGGED = CONNECT + 1 };

/* Of a node: two counters, two times, three versions, a session, two numbers, a counter. */
enum { STAT = 68 };

enum { NUMBER = 4, FLAG = 1 };

enum form {
    NOTHING,
    PATH,      /* and behind it as many bytes as `behind` says */
    LONG_PATH, /* and behind it at least as many */
    SCHEME,    /* a number, a word, and bytes behind their length */
    WATCHES,   /* a zxid, and at least three lists of paths */
    TOKEN,     /* bytes behind their length */
    SERVERS,   /* three texts and a zxid */
    PARTS      /* each behind a type, a flag and an error; the last, of type -1, has the flag */
};

struct kind {
    int32_t type;
    const char *name;
    enum form form;
    uint8_t behind;
    uint8_t answer;   /* bytes of the answer's body, */
    bool is_at_least; /* or of the shortest */
};

static const struct kind kinds[] = {
    { 1, "create", LONG_PATH, 3 * NUMBER, NUMBER + 1, true },
    { 2, "delete", PATH, NUMBER, 0, false },
    { ZOOKEEPER_EXISTS, "exists", PATH, FLAG, STAT, false },
    { 4, "getData", PATH, FLAG, NUMBER + STAT, true },
    { 5, "setData", LONG_PATH, 2 * NUMBER, STAT, false },
    { 6, "getACL", PATH, 0, NUMBER + STAT, true },
    { 7, "setACL", LONG_PATH, 2 * NUMBER, STAT, false },
    { 8, "getChildren", PATH, FLAG, NUMBER, true },
    { 9, "sync", PATH, 0, NUMBER + 1, true },
    { ZOOKEEPER_PING, "ping", NOTHING, 0, 0, false },
    { 12, "getChildren2", PATH, FLAG, NUMBER + STAT, true },
    { 13, "check", PATH, NUMBER, 0, true },
    { ZOOKEEPER_MULTI, "multi", PARTS, 0, 2 * NUMBER + FLAG, true },
    { 15, "create2", LONG_PATH, 3 * NUMBER, NUMBER + 1 + STAT, true },
    { 16, "reconfig", SERVERS, 0, NUMBER + STAT, true },
    { 17, "checkWatches", PATH, NUMBER, 0, false },
    { 18, "removeWatches", PATH, NUMBER, 0, false },
    { 19, "createContainer", LONG_PATH, 3 * NUMBER, NUMBER + 1 + STAT, true },
    { 21, "createTTL", LONG_PATH, 5 * NUMBER, NUMBER + 1 + STAT, true },
    { 22, "multiRead", PARTS, 0, 2 * NUMBER + FLAG, true },
    { ZOOKEEPER_AUTH, "auth", SCHEME, 0, 0, false },
    { ZOOKEEPER_SET_WATCHES, "setWatches", WATCHES, 0, 0, false },
    { 102, "sasl", TOKEN, 0, NUMBER, true },
    { 103, "getEphemerals", PATH, 0, NUMBER, true },
    { 104, "getAllChildrenNumber", PATH, 0, NUMBER, false },
    { ZOOKEEPER_SET_WATCHES_2, "setWatches2", WATCHES, 0, 0, false },
    { 106, "addWatch", PATH, NUMBER, 0, true },
    { 107, "whoAmI", NOTHING, 0, NUMBER, true },
    { -11, "closeSession", NOTHING, 0, 0, false },
};

static const struct kind *
kind_of(int32_t type)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

bool
zookeeper_can_be_password(const uint8_t *bytes, size_t length, size_t at)
{
    return length < at + NUMBER || pntohu32(bytes + at) == PASSWORD;
}

/* Returns whether a session is asked for. Clients of before 3.4 send no flag. */
static bool
is_connect(const uint8_t *bytes, size_t length)
{
    const uint64_t whole = ZOOKEEPER_LENGTH + (uint64_t)pntohu32(bytes);
    return (whole == CONNECT || whole == CONNECT_FLAGGED) && pntohu32(bytes + ZOOKEEPER_XID_AT) == 0 &&
           zookeeper_can_be_password(bytes, length, PASSWORD_AT) && (length <= CONNECT || bytes[CONNECT] <= 1);
}

int32_t
zookeeper_type(const uint8_t *bytes, size_t length)
{
    return is_connect(bytes, length) ? ZOOKEEPER_CONNECT : (int32_t)pntohu32(bytes + ZOOKEEPER_TYPE_AT);
}

static bool
is_text(const uint8_t *at, size_t length)
{
    size_t good = 0;
    while (good < length && at[good] >= ' ' && at[good] != '\x7f')
        good++;
    return good == length;
}

bool
zookeeper_can_be_path(const uint8_t *bytes, size_t length, uint64_t room, uint64_t *end)
{
    *end = length < NUMBER ? room : NUMBER + (uint64_t)pntohu32(bytes);
    if (length < NUMBER)
        return true;
    return *end > NUMBER && *end <= room && (length == NUMBER || bytes[NUMBER] == '/') &&
           is_text(bytes + NUMBER, MIN(length, *end) - NUMBER);
}

/* Returns whether a text or bytes stand here behind their length, which is -1 for none. */
static bool
can_be_bytes(const uint8_t *bytes, size_t length, uint64_t room)
{
    if (room < NUMBER || length < NUMBER)
        return room >= NUMBER;
    return (int32_t)pntohu32(bytes) >= -1 && MAX((int32_t)pntohu32(bytes), 0) + (uint64_t)NUMBER <= room;
}

static bool
can_be_parts(const uint8_t *body, size_t length, uint64_t bytes)
{
    enum { PART = 2 * NUMBER + FLAG };
    if (bytes < PART || length < NUMBER)
        return bytes >= PART;
    const int32_t type = (int32_t)pntohu32(body);
    const bool is_last = type == -1;
    return (is_last || kind_of(type)) && (length <= NUMBER || body[NUMBER] == is_last);
}

/* Returns whether a body of this kind, `bytes` long, can begin with what is there of it. */
static bool
can_be_body(const struct kind *kind, const uint8_t *body, size_t length, uint64_t bytes)
{
    enum { ZXID = 8, LISTS = 3 * NUMBER };
    uint64_t end;
    switch (kind->form) {
    case PATH:
    case LONG_PATH:
        if (bytes < NUMBER + 1 + (uint64_t)kind->behind ||
            !zookeeper_can_be_path(body, length, bytes - kind->behind, &end))
            return false;
        return length < NUMBER || kind->form == LONG_PATH || end + kind->behind == bytes;
    case SCHEME:
        return bytes > 3 * NUMBER && can_be_bytes(body + NUMBER, length > NUMBER ? length - NUMBER : 0, bytes - NUMBER);
    case WATCHES:
        return bytes >= ZXID + LISTS && (length < ZXID + NUMBER || pntohu32(body + ZXID) <= bytes / NUMBER);
    case TOKEN:
        return can_be_bytes(body, length, bytes) &&
               (length < NUMBER || MAX((int32_t)pntohu32(body), 0) + (uint64_t)NUMBER == bytes);
    case SERVERS:
        return bytes >= LISTS + ZXID && can_be_bytes(body, length, bytes);
    case PARTS:
        return can_be_parts(body, length, bytes);
    default:
        return bytes == 0;
    }
}

/* Returns whether a request of this type has this number. */
static bool
can_be_numbered(int32_t type, int32_t xid)
{
    switch (type) {
    case ZOOKEEPER_PING:
        return xid == ZOOKEEPER_PING_XID || xid >= 0;
    case ZOOKEEPER_AUTH:
        return xid == ZOOKEEPER_AUTH_XID || xid >= 0;
    case ZOOKEEPER_SET_WATCHES:
    case ZOOKEEPER_SET_WATCHES_2:
        return xid == ZOOKEEPER_WATCHES_XID || xid >= 0;
    default:
        return xid >= 0;
    }
}

bool
zookeeper_can_be_asked(const uint8_t *bytes, size_t length)
{
    if (length < ZOOKEEPER_REQUEST)
        return false;
    const uint64_t whole = ZOOKEEPER_LENGTH + (uint64_t)pntohu32(bytes);
    if (whole < ZOOKEEPER_REQUEST || whole > ZOOKEEPER_LONGEST)
        return false;
    const int32_t type = zookeeper_type(bytes, length);
    const struct kind *kind = kind_of(type);
    if (type == ZOOKEEPER_CONNECT)
        return is_connect(bytes, length);
    return kind && can_be_numbered(type, (int32_t)pntohu32(bytes + ZOOKEEPER_XID_AT)) &&
           can_be_body(kind, bytes + ZOOKEEPER_REQUEST, MIN(length, whole) - ZOOKEEPER_REQUEST,
                       whole - ZOOKEEPER_REQUEST);
}

bool
zookeeper_is_unknown(const uint8_t *bytes, size_t length)
{
    enum { TYPE_MOST = 999 };
    const uint64_t whole = ZOOKEEPER_LENGTH + (uint64_t)pntohu32(bytes);
    const int32_t type = zookeeper_type(bytes, length);
    return whole >= ZOOKEEPER_REQUEST && whole <= ZOOKEEPER_LONGEST &&
           (int32_t)pntohu32(bytes + ZOOKEEPER_XID_AT) >= 0 && type > 0 && type <= TYPE_MOST && !kind_of(type);
}

bool
zookeeper_has_telling(const uint8_t *bytes, size_t length)
{
    enum { TELLING = PASSWORD_AT + NUMBER };
    return length >= MIN(ZOOKEEPER_LENGTH + (uint64_t)pntohu32(bytes), TELLING);
}

/* Returns whether there is a path, and behind it a value's length that fits, too. */
static bool
has_path(const struct kind *kind, const uint8_t *body, size_t length, uint64_t bytes)
{
    uint64_t end;
    if (length <= NUMBER || !zookeeper_can_be_path(body, length, bytes - kind->behind, &end))
        return false;
    return kind->form == PATH ||
           (length >= end + NUMBER && can_be_bytes(body + end, length - (size_t)end, bytes - end));
}

bool
zookeeper_is_certain(const uint8_t *bytes, size_t length)
{
    if (!zookeeper_can_be_asked(bytes, length))
        return false;
    const int32_t type = zookeeper_type(bytes, length);
    const struct kind *kind = kind_of(type);
    if (type == ZOOKEEPER_CONNECT)
        return length >= CONNECT;
    return (int32_t)pntohu32(bytes + ZOOKEEPER_XID_AT) < 0 ||
           ((kind->form == PATH || kind->form == LONG_PATH) &&
            has_path(kind, bytes + ZOOKEEPER_REQUEST, length - ZOOKEEPER_REQUEST,
                     ZOOKEEPER_LENGTH + (uint64_t)pntohu32(bytes) - ZOOKEEPER_REQUEST));
}

bool
zookeeper_can_answer(int32_t type, uint64_t bytes)
{
    const struct kind *kind = kind_of(type);
    return kind && (kind->is_at_least ? bytes >= kind->answer : bytes == kind->answer);
}

/* Puts a path or a word that stands here behind its length, as much of it as there is. */
static void
put(struct operation_writer *writer, const uint8_t *at, const uint8_t *end)
{
    if (end - at < NUMBER) {
        writer->cut = true;
        return;
    }
    const uint32_t bytes = pntohu32(at);
    operation_put_text(writer, " ");
    operation_put(writer, at + NUMBER, MIN(bytes, (size_t)(end - at) - NUMBER));
    writer->cut |= bytes > (size_t)(end - at) - NUMBER;
}

/* Puts the name and the path of the first of several. */
static void
put_part(struct operation_writer *writer, const uint8_t *at, const uint8_t *end)
{
    enum { PART = 2 * NUMBER + FLAG };
    const struct kind *kind = end - at < NUMBER ? NULL : kind_of((int32_t)pntohu32(at));
    if (!kind) {
        writer->cut |= end - at < NUMBER;
        return;
    }
    operation_put_text(writer, " ");
    operation_put_text(writer, kind->name);
    put(writer, end - at < PART ? end : at + PART, end);
}

void
zookeeper_operation(const uint8_t *bytes, size_t length, char *text)
{
    struct operation_writer writer = { .text = text };
    const uint8_t *body = bytes + ZOOKEEPER_REQUEST, *end = bytes + length;
    const int32_t type = zookeeper_type(bytes, length);
    const struct kind *kind = kind_of(type);
    char number[sizeof "type -2147483648"];
    snprintf(number, sizeof number, "type %d", type);
    operation_put_text(&writer, kind ? kind->name : type == ZOOKEEPER_CONNECT ? "connect" : number);
    switch (kind ? kind->form : NOTHING) {
    case PATH:
    case LONG_PATH:
        put(&writer, body, end);
        break;
    case SCHEME:
        put(&writer, end - body < NUMBER ? end : body + NUMBER, end);
        break;
    case PARTS:
        put_part(&writer, body, end);
        break;
    default:
        break;
    }
    operation_finish(&writer);
}
