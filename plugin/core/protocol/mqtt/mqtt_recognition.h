/* mqtt_recognition.h
 * How MQTT is told from other protocols: what parser.h asks of a parser.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MQTT_RECOGNITION_H
#define LATENCY_MQTT_RECOGNITION_H

#include "../parser.h"

bool mqtt_recognise(const uint8_t *bytes, size_t length);
bool mqtt_recognise_answer(const uint8_t *bytes, size_t length);
bool mqtt_may_begin(const uint8_t *bytes, size_t length);
bool mqtt_is_certain(const uint8_t *bytes, size_t length, uint64_t whole);
bool mqtt_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);
enum agreement mqtt_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes);
size_t mqtt_find(const uint8_t *bytes, size_t length);

#endif
