/* tap-latency-srt.h
 * -z latency,srt, ca,srt and pva,srt: Wireshark's own tables of service response times, by operation and by command.
 * Their windows make filters of their rows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TAP_LATENCY_SRT_H
#define LATENCY_TAP_LATENCY_SRT_H

/* To be called while protocols are registered, after those of the plugin. */
void register_tap_latency_srt(void);

#endif
