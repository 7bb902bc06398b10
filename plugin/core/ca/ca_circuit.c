/* ca_circuit.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_circuit.h"

#include <stdlib.h>

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

void
ca_flow_note(struct ca_flow *flow, int64_t start, uint32_t reference, uint32_t frame, wmem_allocator_t *scope)
{
    enum { ROOM_FIRST = 16 };
    if (flow->n_noted == flow->room) {
        flow->room = flow->room ? flow->room * 2 : ROOM_FIRST;
        flow->noted = wmem_realloc(scope, flow->noted, flow->room * sizeof *flow->noted);
    }
    flow->noted[flow->n_noted++] = (struct ca_noted){
        .start = start,
        .reference = reference,
        .frame = frame,
        .command = (uint8_t)flow->message.command,
    };
}

/* The first message that begins at the offset or behind it; NULL if there is none. */
static struct ca_noted *
first_from(const struct ca_flow *flow, int64_t at)
{
    uint32_t low = 0, high = flow->n_noted;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (flow->noted[middle].start < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < flow->n_noted ? &flow->noted[low] : NULL;
}

/* Offsets with that sequence number are so far apart. */
#define WRAP (INT64_C(1) << 32)

/* The lowest of them that is not before the first message. */
static int64_t
lowest_offset(const struct ca_flow *flow, uint32_t seq)
{
    int64_t first = flow->noted[0].start;
    return first + (uint32_t)(seq - flow->origin - (uint32_t)first);
}

/* Of several that begin with that sequence number, the one whose frame is the nearest. */
static struct ca_noted *
find(const struct ca_flow *flow, uint32_t seq, uint32_t frame)
{
    struct ca_noted *found = NULL;
    for (int64_t at = flow->n_noted > 0 ? lowest_offset(flow, seq) : flow->at; at < flow->at; at += WRAP) {
        struct ca_noted *noted = first_from(flow, at);
        bool is_here = noted && noted->start == at;
        if (is_here && (!found || llabs((int64_t)noted->frame - frame) < llabs((int64_t)found->frame - frame)))
            found = noted;
    }
    return found;
}

enum ca_place
ca_flow_place(const struct ca_flow *flow, uint32_t seq, uint32_t frame, struct ca_noted **noted)
{
    *noted = find(flow, seq, frame);
    if (*noted)
        return CA_NOTED;
    if (!flow->begun)
        return CA_AHEAD;
    int64_t at = flow->at + (int32_t)(seq - flow->origin - (uint32_t)flow->at);
    if (at == flow->next)
        return CA_UNDER_WAY;
    return at >= flow->at ? CA_AHEAD : at < flow->noted_from ? CA_FORGOTTEN : CA_NOWHERE;
}

uint32_t
ca_flow_distance(const struct ca_flow *flow, uint32_t seq)
{
    int64_t distance = UINT32_MAX;
    for (int64_t at = flow->n_noted > 0 ? lowest_offset(flow, seq) - WRAP : flow->at; at < flow->at; at += WRAP) {
        const struct ca_noted *next = first_from(flow, at + 1);
        distance = next ? MIN(distance, next->start - at) : distance;
    }
    return (uint32_t)distance;
}
