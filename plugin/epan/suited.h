/* suited.h
 * Whether this Wireshark is one that the plugin was built for, or one that has the same functions and structures.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef EPAN_SUITED_H
#define EPAN_SUITED_H

/* Why the plugin cannot be used in the release that loads it, as "built for Wireshark 4.6.0, and this is 4.6.1"; NULL
 * if it can. Calls nothing that has ever changed. */
const char *suited_release(void);

/* Why the plugin cannot be used, by what the loaded library says of its types and structures; NULL if it can. May be
 * called once Wireshark's own protocols have been registered. */
const char *suited_structures(void);

#endif
