/* websocket.h
 * What HTTP/1.1 goes over to by Upgrade: websocket.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WEBSOCKET_H
#define LATENCY_WEBSOCKET_H

struct parser;

extern const struct parser parser_websocket;

#endif
