/* kafka_body.h
 * Whether what stands behind the header of a request of Kafka's can be its body.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_KAFKA_BODY_H
#define LATENCY_KAFKA_BODY_H

#include <stdbool.h>
#include <stdint.h>

/* The body begins at `at` and has `size` bytes, up to `end` or beyond it; as far as it is there. */
bool kafka_can_be_body(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end, uint64_t size);

#endif
