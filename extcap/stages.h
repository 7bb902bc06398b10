/* stages.h
 * The stages by name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef STAGES_H
#define STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel-stages.h"

#define ALL_STAGES ((1U << STAGE_COUNT) - 1)

const char *stage_name(enum stage stage);
const char *stage_meaning(enum stage stage); /* in a few words */

/* Of packets that leave; the others are of packets that arrive. */
bool stage_is_sent(enum stage stage);

/* The stages of a list such as "rx,app:recv", where "rx" is all that begin with "rx:". 0 if it names what is none. */
uint32_t stages_parse(const char *list);

/* "rx:ip, rx:local"; cut to `size`. */
void stages_list(uint32_t stages, char *text, size_t size);

#endif
