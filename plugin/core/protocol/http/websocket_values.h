/* websocket_values.h
 * The names and values in a text message of a WebSocket that say what it asks or answers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WEBSOCKET_VALUES_H
#define LATENCY_WEBSOCKET_VALUES_H

#include "websocket_message.h"

/* `member` and `outer`. */
enum member { OTHER, ID, METHOD, RESULT, ERROR, TYPE, PAYLOAD, CODE, NAME, QUERY };

/* `type`. */
enum type { NO_TYPE, SUBSCRIBES, NEXT, FAILS, COMPLETES, STOPS };

/* `result`, `error` and `payload`. */
enum presence { ABSENT, IS_NULL, IS_OPEN, PRESENT };

/* Returns which member of the object, or of the outer member's, the text that has been read names. */
uint8_t websocket_member(const struct websocket_message *message);

/* Takes its value, which is a text or a word (a number, true, false, null). */
void websocket_take_value(struct websocket_message *message, bool is_text);

#endif
