/* taps.h
 * The statistics tables; each registers itself, to be called while protocols are registered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TAPS_H
#define LATENCY_TAPS_H

void register_tap_servers(void); /* and operations */
void register_tap_connections(void);
void register_tap_connects(void);
void register_tap_requests(void);
void register_tap_packets(void);
void register_tap_intervals(void);
void register_tap_stages(void);
void register_tap_paths(void);
void register_tap_kernel(void);
void register_tap_ca_servers(void);
void register_tap_ca_channels(void);
void register_tap_ca_searches(void);
void register_tap_ca_srt(void);

#endif
