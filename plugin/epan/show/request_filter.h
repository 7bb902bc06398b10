/* request_filter.h
 * A request as a conversation: "Conversation Filter" in the menus of Wireshark's packet list.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_REQUEST_FILTER_H
#define LATENCY_REQUEST_FILTER_H

/* To be called once, when Wireshark registers protocols. */
void request_filter_register(void);

#endif
