/* tap-connects.h
 * -z latency,connects
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TAP_CONNECTS_H
#define LATENCY_TAP_CONNECTS_H

void register_tap_connects(void);

#endif
