/* http_waiting.h
 * What the fields of HTTP, of whichever version, say of how long a response may be in coming.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP_WAITING_H
#define LATENCY_HTTP_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether a response with this Content-Type is messages that come as they happen: Server-Sent Events (HTML,
 * 9.2), parts that replace each other (HTML, 7.4.1), a watch of Kubernetes. */
bool http_type_is_stream(const uint8_t *type, size_t length);

/* Preferences of a request (RFC 7240). */
enum { HTTP_PREFERS_WAIT = 1 /* for a second, or more */, HTTP_PREFERS_ASYNC = 2 };

/* Returns those that the value of a field Prefer names, added up. */
unsigned http_preferences(const uint8_t *value, size_t length);

/* Returns whether a GET, or HEAD, with the preferences of all of its fields waits for something to happen. What else a
 * client prefers to wait for, it is the server that takes its time (RFC 7240 §4.3): work that it was told to do, or
 * that it may go on with behind a 202. */
static inline bool
http_is_long_poll(bool is_safe, unsigned preferences)
{
    return is_safe && preferences == HTTP_PREFERS_WAIT;
}

#endif
