/* calls_rules.h
 * The rules that are certain, for the calls of one host: id, after, same, only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_RULES_H
#define LATENCY_CALLS_RULES_H

#include "calls_host.h"

/* Tells the causes of the host's calls that a rule is certain of, and of the others how many may be it. */
void calls_rules_tell(struct calls_host *host);

/* Leaves out candidates of which it is certain that they are not the cause of a call that calls_rules_tell() has not
 * told: where others have its id, or ask for the same. */
void calls_rules_narrow(const struct calls_host *host, uint32_t number, struct call_candidates *candidates);

#endif
