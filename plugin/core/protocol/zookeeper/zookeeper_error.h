/* zookeeper_error.h
 * What servers of ZooKeeper call an error.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ZOOKEEPER_ERROR_H
#define LATENCY_ZOOKEEPER_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ZOOKEEPER_NO_NODE = -101, ZOOKEEPER_SESSION_EXPIRED = -112 };

/* Returns whether an error can have this number; 0 is none. */
bool zookeeper_can_be_error(int32_t error);

/* Writes the error's name, or its number if that has none or a long one, into `status`, of STATUS_ROOM bytes. */
void zookeeper_status(int32_t error, char *status);

/* Returns whether all parts of a multi were undone, as its answer's body says, and in *error of which the first that
 * failed has failed; 0 if it is not there. */
bool zookeeper_multi_has_failed(const uint8_t *body, size_t length, int32_t *error);

#endif
