/* ca_counts.h
 * What tables of channels say of how many there are, and of those that they leave out: whose request is not in the
 * capture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_COUNTS_H
#define LATENCY_CA_COUNTS_H

#include "../core/ca/ca_event.h"
#include "../core/stats/ca_tally.h"
#include "by_number.h"

/* Writes the line that says what became of channels. */
void ca_counts_write(const struct ca_tally *sum, GString *text);

struct ca_orphans {
    struct by_number counted; /* of bool */
    uint64_t count;
};

/* Call ca_orphans_clear() when done with them. */
void ca_orphans_init(struct ca_orphans *orphans, const struct table_source *source);
void ca_orphans_clear(struct ca_orphans *orphans);

/* The number of the channel that the event tells something new of, to be counted; 0 if there is none. */
uint32_t ca_orphans_pass(struct ca_orphans *orphans, const struct ca_event *event);

/* A line, if there is something to say. */
void ca_orphans_write(const struct ca_orphans *orphans, GString *text);

#endif
