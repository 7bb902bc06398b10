/* nats_recognition.h
 * How NATS is told from other protocols: what parser.h asks of a parser.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_NATS_RECOGNITION_H
#define LATENCY_NATS_RECOGNITION_H

#include "../parser.h"

bool nats_recognise(const uint8_t *bytes, size_t length);
bool nats_recognise_answer(const uint8_t *bytes, size_t length);
bool nats_recognise_greeting(const uint8_t *bytes, size_t length);
bool nats_may_begin(const uint8_t *bytes, size_t length);
bool nats_is_certain(const uint8_t *bytes, size_t length, uint64_t whole);
bool nats_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);
enum agreement nats_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes);

#endif
