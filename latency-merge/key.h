/* key.h
 * What tells rows apart, as the members of an object have it. Borrowed from the object.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_KEY_H
#define LATENCY_MERGE_KEY_H

#include "core/stats/groups.h"
#include "record.h"

/* A server's address and port, and the operation's kind if there is one. */
struct group_key key_of_server(struct record *record);

/* The host: its name, if the object has one, else the server's address; and the server's port. */
struct group_key key_of_host(struct record *record);

/* The client's address, and the server's address and port. */
struct group_key key_of_pair(struct record *record);

/* A connection: both addresses and ports. */
struct group_key key_of_connection(struct record *record);

#endif
