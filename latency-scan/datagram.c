/* datagram.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "datagram.h"

#include <glib.h>

#include "preferences.h"

/* Returns how many bytes the message has; 0 if there is none. */
static uint64_t
take_message(struct ca_datagram *datagram, struct bytes bytes, struct ca_channels *channels, struct ca_event *event)
{
    struct ca_message message;
    if (ca_message_read(bytes.at, bytes.captured, &message) != CA_COMPLETE)
        return 0;
    struct bytes payload = bytes_after(bytes, message.header_bytes);
    uint32_t reference = ca_datagram_take(datagram, channels, &message, payload.captured ? payload.at : NULL,
                                          MIN(payload.captured, message.size));
    *event = ca_event_of(&circuit_of_channel_access, message.command, NULL, ca_subject(channels, reference), datagram->from_client,
                         datagram->arrival.frame);
    return message.header_bytes + (uint64_t)message.size;
}

bool
datagram_is_ca(uint16_t source_port, uint16_t destination_port, struct bytes payload)
{
    return preferences_is_ca_datagram(source_port) || preferences_is_ca_datagram(destination_port) ||
           ca_datagram_begins(payload.at, payload.captured);
}

bool
datagram_take(struct ca_datagram *datagram, struct bytes payload, struct ca_channels *channels,
              void (*tell)(void *data, const struct ca_event *event), void *data)
{
    bool taken = false;
    if (!datagram_is_ca(datagram->source.port, datagram->destination.port, payload))
        return false;
    datagram->from_client = ca_is_from_client(payload.at, payload.captured, true);
    while (payload.captured > 0) {
        struct ca_event event;
        uint64_t length = take_message(datagram, payload, channels, &event);
        if (length == 0)
            break;
        taken = true;
        tell(data, &event);
        payload = length < payload.captured ? bytes_after(payload, (uint32_t)length) : (struct bytes){ NULL, 0, 0 };
    }
    return taken;
}
