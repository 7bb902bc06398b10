/* memcached_operation.h
 * What a request of memcached asks for: a command and a key, in its text and in its binary protocol.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MEMCACHED_OPERATION_H
#define LATENCY_MEMCACHED_OPERATION_H

#include "../../request/operation.h"

/* See struct parser. */
bool memcached_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer);
bool memcached_binary_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer);

#endif
