/* metrics_server.h
 * Answers HTTP requests for metrics, one after the other, in a thread of its own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_METRICS_SERVER_H
#define SCAN_METRICS_SERVER_H

#include <glib.h>

struct metrics_server;

/* Listens on an address and port ("127.0.0.1:9100", "[::1]:9100"), or on a port of 127.0.0.1 ("9100"), and answers GET
 * /metrics, or /, with what `text` returns, which is called by the server's thread and freed. Returns NULL, and in
 * `wrong` a sentence to be freed, if it cannot listen. */
struct metrics_server *metrics_server_new(const char *address, GString *(*text)(void *data), void *data, char **wrong);

/* Stops it. */
void metrics_server_free(struct metrics_server *server);

#endif
