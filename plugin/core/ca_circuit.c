/* ca_circuit.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_circuit.h"

static int64_t
between(int64_t from_ns, int64_t to_ns)
{
    if (from_ns == INT64_MIN || to_ns == INT64_MIN)
        return -1;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

int64_t
ca_circuit_tcp_connect(const struct ca_circuit *circuit)
{
    return between(circuit->syn_ns, circuit->syn_ack_ns);
}

int64_t
ca_circuit_hello(const struct ca_circuit *circuit)
{
    return between(circuit->syn_ack_ns, circuit->hello_ns);
}

void
ca_circuit_end(struct ca_circuit *circuit, enum ca_end end, int64_t time_ns)
{
    if (circuit->end != CA_OPEN)
        return;
    circuit->end = (uint8_t)end;
    circuit->ended_ns = time_ns;
}
