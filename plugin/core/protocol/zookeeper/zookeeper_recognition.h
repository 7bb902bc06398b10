/* zookeeper_recognition.h
 * What messages of ZooKeeper look like, and by what they are told from others'. The functions of struct parser are
 * described there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ZOOKEEPER_RECOGNITION_H
#define LATENCY_ZOOKEEPER_RECOGNITION_H

#include "../parser.h"

/* An answer: length, xid, zxid, error, body. */
enum { ZOOKEEPER_ERROR_AT = 16, ZOOKEEPER_ANSWER = 20 };

/* Returns the bytes of the message that begins here, with its length. */
uint64_t zookeeper_whole(const uint8_t *bytes);

/* Returns the number of the request or answer that begins here. */
int32_t zookeeper_xid(const uint8_t *bytes);

/* Returns whether this is a session that has been established, as far as it is there. */
bool zookeeper_is_connected(const uint8_t *bytes, size_t length);

/* Returns whether this is a message of that side, as far as it is there. */
bool zookeeper_is_message(const uint8_t *bytes, size_t length, bool from_client);

bool zookeeper_recognise(const uint8_t *bytes, size_t length);
bool zookeeper_recognise_cut(const uint8_t *bytes, size_t length, uint64_t whole);
bool zookeeper_recognise_answer(const uint8_t *bytes, size_t length);
bool zookeeper_may_begin(const uint8_t *bytes, size_t length);
bool zookeeper_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);
enum agreement zookeeper_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered,
                                size_t answered_bytes);
size_t zookeeper_find(const uint8_t *bytes, size_t length);
bool zookeeper_resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client);

#endif
