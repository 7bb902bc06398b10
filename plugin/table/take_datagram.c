/* take_datagram.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "take_datagram.h"

#include "../core/analysis.h"
#include "../core/protocol/dns/dns_datagram.h"
#include "observer.h"

static struct connection *
take_quoted(struct table_source *source, struct datagram *datagram)
{
    struct connection *conversation =
        datagram->message.kind == MESSAGE_ASKS ? analysis_take_quoted_datagram(source->analysis, datagram) : NULL;
    if (!conversation)
        return NULL;
    observers_quoted(source, &datagram->segment, conversation);
    analysis_read_quoted_datagram(source->analysis, datagram);
    return conversation;
}

struct connection *
take_datagram(struct table_source *source, const struct segment *segment, bool is_quoted)
{
    struct datagram datagram;
    if (source->settings->by_turns || !dns_datagram_read(segment, &datagram))
        return NULL;
    if (is_quoted)
        return take_quoted(source, &datagram);
    struct connection *conversation = analysis_take_datagram(source->analysis, &datagram);
    observers_segment(source, &datagram.segment, conversation);
    analysis_read_datagram(source->analysis, &datagram);
    return conversation;
}
