/* sockets.h
 * The TCP sockets that there are, as /proc has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether one of this network namespace listens at this port, or has it at either end of what is not closed. True where
 * /proc cannot tell. */
bool sockets_have_port(uint16_t port);

#endif
