/* side.h
 * One side of a scenario's connection: what its next segment says unless the scenario says otherwise.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCENARIO_SIDE_H
#define SCENARIO_SIDE_H

#include "scenario.h"

enum ipid_rule { IPID_UP, IPID_SWAPPED, IPID_CONSTANT, IPID_RANDOM };

struct side {
    struct scenario_endpoint endpoint;
    uint32_t isn;
    uint32_t next; /* sequence number after all it has sent */
    uint16_t mss;  /* announced in its SYN; 0: no option */
    enum ipid_rule ipid_rule;
    uint32_t ipid_start; /* first value, the constant, or the seed */
    uint32_t ipid_state; /* next value in the sender's byte order, or the generator's state */
    uint32_t timestamp;  /* last TSval sent */
};

void side_set_isn(struct side *side, uint32_t isn);
void side_set_ipid(struct side *side, enum ipid_rule rule, uint32_t start);

/* Another connection's side with the same settings that has sent nothing. */
struct side side_renew(const struct side *side);

uint16_t side_next_ip_id(struct side *side);

/* The scenario gave a segment this IP ID: a counter goes on after the highest so far. */
void side_take_ip_id(struct side *side, uint16_t ip_id);

/* Puts the MSS and timestamp options before those the segment has. False if there is no room. */
bool side_add_options(struct scenario_segment *segment, struct side *from, const struct side *to, bool timestamps);

void side_sent(struct side *side, const struct scenario_segment *segment);

#endif
