/* quic_spin.h
 * The RTT that the spin bit gives, without keys: RFC 9000 §17.4, RFC 9312 §3.8.2.
 *
 * A server sends the bit as it got it last, a client inverted: where both do, it changes once in each direction for
 * each round trip. An end that is silent changes it late. It cannot have got the other's change before its packet that
 * still has the old bit, so that a round is longer than the round trip by no more than both ends' silences before their
 * changes. It is believed if these are a quarter of it at most.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_SPIN_H
#define LATENCY_QUIC_SPIN_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed at first. Arrays: by QUIC_CLIENT and QUIC_SERVER. */
struct quic_spin {
    int64_t begin_ns;   /* of the round: the client's last change */
    int64_t sent_ns[2]; /* of the last packet */
    int64_t silence_ns; /* before the server's change of the round */
    uint32_t changes;   /* of the client's bit */
    uint32_t believed;  /* rounds */
    bool has_sent[2], spins[2];
    uint8_t back; /* how often the server has changed its bit in the round: as it must, once */
};

/* How many rounds there were. */
uint32_t quic_spin_rounds(const struct quic_spin *spin);

/* Takes the bit of a side's packet of 1-RTT. Returns the RTT of the round that it ends, if that is believed; else -1.
 */
int64_t quic_spin_take(struct quic_spin *spin, unsigned side, bool spins, int64_t now_ns);

#endif
