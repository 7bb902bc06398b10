/* key.h
 * What tells rows apart, as the members of an object have it. Borrowed from the object.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_KEY_H
#define LATENCY_MERGE_KEY_H

#include "core/stats/groups.h"
#include "json/line_members.h"

/* A server's address and port, and the operation's kind, or "". */
struct group_key key_of_server(const struct member_endpoint *server, const char *kind);

/* The host: its name, or if that is "" the server's address; and the server's port. */
struct group_key key_of_host(const struct member_endpoint *server, const char *name);

/* The client's address, with its port if that is wanted, and the server's address and port. "client" is wrong if they
 * are not of one version of IP. */
struct group_key key_of_ends(struct record *record, const struct member_endpoint *client,
                             const struct member_endpoint *server, bool with_port);

#endif
