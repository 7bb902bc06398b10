/* tap-ca-srt.h
 * -z ca,srt: Wireshark's own table of service response times, by command of Channel Access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TAP_CA_SRT_H
#define LATENCY_TAP_CA_SRT_H

/* To be called while protocols are registered. */
void register_tap_ca_srt(void);

#endif
