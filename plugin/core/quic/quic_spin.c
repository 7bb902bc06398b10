/* quic_spin.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_spin.h"

#include <glib.h>

#include "quic_initial.h"

uint32_t
quic_spin_rounds(const struct quic_spin *spin)
{
    return spin->changes > 0 ? spin->changes - 1 : 0;
}

/* The client changes its bit: a round ends, if it is not the first change, and another begins. */
static int64_t
end_round(struct quic_spin *spin, int64_t now_ns)
{
    enum { SILENCES_MOST = 4 }; /* one in so many */
    const int64_t rtt_ns = now_ns - spin->begin_ns;
    const int64_t silences_ns = spin->silence_ns + now_ns - spin->sent_ns[QUIC_CLIENT];
    const bool is_believed = spin->changes > 0 && spin->back == 1 && rtt_ns > 0 &&
                             spin->spins[QUIC_CLIENT] != spin->spins[QUIC_SERVER] &&
                             silences_ns <= rtt_ns / SILENCES_MOST;
    spin->changes++;
    spin->believed += is_believed;
    spin->begin_ns = now_ns;
    spin->back = 0;
    return is_believed ? rtt_ns : -1;
}

int64_t
quic_spin_take(struct quic_spin *spin, unsigned side, bool spins, int64_t now_ns)
{
    int64_t rtt_ns = -1;
    const bool is_change = spin->has_sent[side] && spin->spins[side] != spins;
    spin->spins[side] = spins;
    if (is_change && side == QUIC_CLIENT) {
        rtt_ns = end_round(spin, now_ns);
    } else if (is_change) {
        spin->silence_ns = now_ns - spin->sent_ns[QUIC_SERVER];
        spin->back = (uint8_t)MIN(spin->back + 1, 2);
    }
    spin->has_sent[side] = true;
    spin->sent_ns[side] = now_ns;
    return rtt_ns;
}
