/* prelude.h
 * What a proxy says before the client, and to the server alone: whose connection it carries on (proxy_header.h). What
 * follows is read as if the connection began there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PRELUDE_H
#define LATENCY_PRELUDE_H

#include "../../request/request.h"
#include "../../tcp/payload.h"

/* A piece without its first bytes. */
struct prelude_rest {
    struct payload payload;
    struct piece piece;
};

/* Returns how many of the first bytes of a client's piece, of which nothing is known yet, are a prelude, and notes in
 * the connection what it says. */
uint32_t prelude_take(const struct requests *requests, const struct piece *piece);

/* Notes that the piece begins with a prelude of so many bytes, where nobody has read it. */
void prelude_note(const struct requests *requests, const struct piece *piece, uint32_t bytes);

/* Returns whether there is more of the piece than a prelude of so many bytes, and writes what. */
bool prelude_leaves(struct requests *requests, const struct piece *piece, uint32_t bytes, struct prelude_rest *rest);

#endif
