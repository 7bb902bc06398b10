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

bool
ca_circuit_has_ended(const struct ca_circuit *circuit)
{
    return circuit->ended_ns != INT64_MIN;
}

void
ca_circuit_end(struct ca_circuit *circuit, int64_t time_ns)
{
    if (!ca_circuit_has_ended(circuit))
        circuit->ended_ns = time_ns;
}
