/* ca_info.h
 * The Info column of a frame with Channel Access or pvAccess: readable with one message and with hundreds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_INFO_H
#define LATENCY_CA_INFO_H

#include <epan/packet.h>

/* More kinds of messages are not told apart. */
enum { INFO_LABELS = 32 };

/* The kinds of messages of one stretch, in the order they came first. */
struct ca_info {
    struct {
        const char *label; /* "GET"; not copied */
        const char *name;  /* of the channel in the first of them; NULL if unknown */
        uint32_t count;
    } labels[INFO_LABELS];
    unsigned n;
    uint32_t skipped_bytes;
};

/* Whether there was such a message: what else is said of one more is only that it was there. */
bool ca_info_has(const struct ca_info *info, const char *label);

void ca_info_add(struct ca_info *info, const char *label, const char *name);

/* `column`: the protocol's name. "CREATE_CHAN ×91, EVENT_ADD LAB:AI0" */
void ca_info_set(const struct ca_info *info, packet_info *pinfo, const char *column);

#endif
