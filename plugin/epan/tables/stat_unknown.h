/* stat_unknown.h
 * What tshark says of a -z that begins as our tables do, but names none of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAT_UNKNOWN_H
#define LATENCY_STAT_UNKNOWN_H

#include <glib.h>

/* Says that there is no such table, and which there are, and ends tshark. */
G_NORETURN void stat_unknown_refuse(const char *argument);

/* Takes what no table takes: tshark looks for the longest name first. Not to be called in Wireshark, where nobody reads
 * what is said. */
void stat_unknown_register(void);

#endif
