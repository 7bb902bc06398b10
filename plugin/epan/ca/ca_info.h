/* ca_info.h
 * The Info column of a frame with Channel Access: readable with one message and with hundreds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_INFO_H
#define LATENCY_CA_INFO_H

#include <epan/packet.h>

#include "../../core/ca/ca_message.h"

/* The commands of one stretch of messages in the order they came first. */
struct ca_info {
    uint32_t counts[CA_COMMANDS];
    const char *names[CA_COMMANDS]; /* of the channel in each command's first message; NULL if unknown */
    uint8_t order[CA_COMMANDS];
    uint8_t n;
    uint32_t skipped_bytes;
};

void ca_info_add(struct ca_info *info, unsigned command, const char *name);

/* "CREATE_CHAN ×91, EVENT_ADD LAB:AI0" */
void ca_info_set(const struct ca_info *info, packet_info *pinfo);

#endif
