/* amqp_recognition.h
 * How AMQP is told from other protocols: what parser.h asks of a parser.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_AMQP_RECOGNITION_H
#define LATENCY_AMQP_RECOGNITION_H

#include "../parser.h"

bool amqp_recognise(const uint8_t *bytes, size_t length);
bool amqp_recognise_answer(const uint8_t *bytes, size_t length);
bool amqp_recognise_cut(const uint8_t *bytes, size_t length, uint64_t whole);
bool amqp_may_begin(const uint8_t *bytes, size_t length);
bool amqp_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);
size_t amqp_find(const uint8_t *bytes, size_t length);

#endif
