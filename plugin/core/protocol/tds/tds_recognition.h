/* tds_recognition.h
 * How TDS is told from other protocols: what parser.h asks of a parser.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TDS_RECOGNITION_H
#define LATENCY_TDS_RECOGNITION_H

#include "../parser.h"

bool tds_recognise(const uint8_t *bytes, size_t length);
bool tds_recognise_answer(const uint8_t *bytes, size_t length);
bool tds_may_begin(const uint8_t *bytes, size_t length);
bool tds_is_certain_request(const uint8_t *bytes, size_t length, uint64_t whole);
bool tds_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);
enum agreement tds_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes);
size_t tds_find(const uint8_t *bytes, size_t length);
bool tds_resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client);

#endif
