/* kafka_api.h
 * Kafka's requests: their names, which versions there are of what, and where some have a topic and an error.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_KAFKA_API_H
#define LATENCY_KAFKA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KAFKA_VERSION_MOST = 20, KAFKA_API_VERSIONS = 18, KAFKA_PRODUCE = 0 };

/* NULL if there is no such request. */
const char *kafka_api_name(unsigned api);

/* Whether this version has tagged fields in its header, and short lengths (KIP-482). */
bool kafka_is_flexible(unsigned api, unsigned version);

/* The first topic of a request whose body begins at `at`, into `topic`; "" if it has none, none first, or none there.
 */
void kafka_topic(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end, char *topic, size_t room);

/* Returns whether it is a Fetch that is answered once there is something to fetch, or after a time: which of them has
 * waited nobody says. */
bool kafka_awaits_event(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end);

/* Whether a Produce wants an answer. */
bool kafka_is_answered(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end);

/* The error's number in a response, behind its correlation id; 0 for none, or where it is not known. */
int16_t kafka_error(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end);

/* Behind the tagged fields; false if they are cut. */
bool kafka_pass_tags(const uint8_t **at, const uint8_t *end);

#endif
