/* dumpcap.h
 * Wireshark's dumpcap, which captures from an interface for this program: it alone needs the right to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_DUMPCAP_H
#define SCAN_DUMPCAP_H

#include <stdbool.h>

struct dumpcap;

/* Begins to capture; the capture is the standard input then. `filter`: of libpcap; NULL for none. NULL, and a sentence
 * in `wrong`, to be freed with g_free(), if that cannot be. */
struct dumpcap *dumpcap_begin(const char *interface, const char *filter, char **wrong);

/* Ends it, and says how much it has dropped; what it complains of, too. */
void dumpcap_end(struct dumpcap *dumpcap);

#endif
