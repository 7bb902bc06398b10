/* tap-latency-srt.h
 * -z latency,srt: Wireshark's own table of service response times, by operation. Its window makes filters of its rows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TAP_LATENCY_SRT_H
#define LATENCY_TAP_LATENCY_SRT_H

/* To be called while protocols are registered, after proto_register_latency(). */
void register_tap_latency_srt(void);

#endif
