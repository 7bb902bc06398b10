/* zookeeper_request.h
 * What clients of ZooKeeper ask: the types of requests, their names, and how the answers to them look.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ZOOKEEPER_REQUEST_H
#define LATENCY_ZOOKEEPER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request: length, xid, type, body. */
enum { ZOOKEEPER_LENGTH = 4, ZOOKEEPER_XID_AT = 4, ZOOKEEPER_TYPE_AT = 8, ZOOKEEPER_REQUEST = 12 };

/* Most bytes of a message. Servers take 1 MB (jute.maxbuffer) unless somebody raises that, hardly ever beyond this. */
enum { ZOOKEEPER_LONGEST = 64 << 20 };

/* Types that something depends on (ZooDefs.OpCode). That of a session's establishment stands in no message. */
enum {
    ZOOKEEPER_EXISTS = 3,
    ZOOKEEPER_PING = 11,
    ZOOKEEPER_MULTI = 14,
    ZOOKEEPER_AUTH = 100,
    ZOOKEEPER_SET_WATCHES = 101,
    ZOOKEEPER_SET_WATCHES_2 = 105,
    ZOOKEEPER_CONNECT = -10
};

/* Numbers of requests that do not count. A session's establishment has 0 where they stand. */
enum { ZOOKEEPER_EVENT_XID = -1, ZOOKEEPER_PING_XID = -2, ZOOKEEPER_AUTH_XID = -4, ZOOKEEPER_WATCHES_XID = -8 };

/* Returns the request's type. */
int32_t zookeeper_type(const uint8_t *bytes, size_t length);

/* Returns whether a request begins with these bytes: its length, type, number and body, as far as they are there. */
bool zookeeper_can_be_asked(const uint8_t *bytes, size_t length);

/* Returns whether a request of a type that is not known may begin with these bytes: of a ZooKeeper to come. */
bool zookeeper_is_unknown(const uint8_t *bytes, size_t length);

/* Returns whether these bytes, of a request that can be one, show that it is one. */
bool zookeeper_has_telling(const uint8_t *bytes, size_t length);

/* Returns whether these bytes are a request, and nothing else can be one that looks so: it has a path and as many bytes
 * as that leaves, begins a session, or has one of the numbers that do not count. */
bool zookeeper_is_certain(const uint8_t *bytes, size_t length);

/* Returns whether a body of this size can answer a request of this type without an error. */
bool zookeeper_can_answer(int32_t type, uint64_t bytes);

/* Writes a request's name and path into `text`, of OPERATION_ROOM bytes. */
void zookeeper_operation(const uint8_t *bytes, size_t length, char *text);

/* Returns whether a path stands behind its length here, as far as it is there; *end is then where it ends. */
bool zookeeper_can_be_path(const uint8_t *bytes, size_t length, uint64_t room, uint64_t *end);

/* Returns whether a password of a session stands behind its length here, as far as it is there. */
bool zookeeper_can_be_password(const uint8_t *bytes, size_t length, size_t at);

#endif
