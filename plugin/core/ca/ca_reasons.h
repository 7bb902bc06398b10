/* ca_reasons.h
 * What servers say when a request fails: texts by small numbers, each kept once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_REASONS_H
#define LATENCY_CA_REASONS_H

#include <stdint.h>

#include "../util/texts.h"

/* A capture cannot make many of them: more are one, and a longer one is cut. */
enum { REASONS_MOST = 1000, REASON_BYTES_MOST = 200 };

struct ca_reasons {
    wmem_map_t *numbers; /* from 1 */
    const char **texts;
    unsigned count;
    struct texts room;
};

void ca_reasons_init(struct ca_reasons *reasons, wmem_allocator_t *scope);

/* The number of a text; 0 for none, or where there are too many. */
uint16_t ca_reasons_add(struct ca_reasons *reasons, const uint8_t *text, size_t bytes);

/* "" for 0. */
const char *ca_reason(const struct ca_reasons *reasons, uint16_t number);

#endif
