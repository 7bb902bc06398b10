/* quic_ids.h
 * Connection ids of QUIC, and the ports to which clients have moved: RFC 9000 §5.1, §9.
 *
 * Who migrates takes an id that was told under encryption: that is not seen. But a NAT that gives a client another port
 * changes none, so that its datagrams still carry an id of the handshake.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_IDS_H
#define LATENCY_QUIC_IDS_H

#include "../tcp/segment.h"
#include "quic_packet.h"

struct connection;
struct quic_ids;

struct quic_ids *quic_ids_new(void);
void quic_ids_free(struct quic_ids *ids);

/* Notes by which id the connection's server is addressed. An id of two connections is nobody's any more. */
void quic_ids_add(struct quic_ids *ids, const struct quic_id *id, struct connection *connection);

/* Returns the connection whose server's id a packet with a short header carries; NULL if there is none, or several. */
struct connection *quic_ids_find(const struct quic_ids *ids, const uint8_t *packet, size_t captured);

/* Notes that the client's datagrams come from another address now, as the segment does. */
void quic_ids_move(struct quic_ids *ids, const struct segment *segment, struct connection *connection);

/* Returns the connection of a datagram between the addresses to which it has moved, and says whether its client sent
 * it; NULL if there is none. */
struct connection *quic_ids_moved(const struct quic_ids *ids, const struct segment *segment, bool *from_client);

/* Forgets the connection, whose server's id is given. */
void quic_ids_forget(struct quic_ids *ids, const struct quic_id *id, const struct connection *connection);

#endif
