/* datagram.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "datagram.h"

#include <glib.h>

#include "core/pva/pva_message.h"
#include "core/pva/pva_protocol.h"
#include "core/pva/pva_search.h"
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
    *event = ca_event_of(&circuit_of_channel_access, message.command, NULL, ca_subject(channels, reference),
                         datagram->from_client, datagram->arrival.frame);
    return message.header_bytes + (uint64_t)message.size;
}

static bool
is_ca(uint16_t source_port, uint16_t destination_port, struct bytes payload)
{
    return preferences_is_ca_datagram(source_port) || preferences_is_ca_datagram(destination_port) ||
           ca_datagram_begins(payload.at, payload.captured);
}

bool
datagram_is_of_channels(uint16_t source_port, uint16_t destination_port, struct bytes payload)
{
    return is_ca(source_port, destination_port, payload) || pva_is_datagram(payload.at, payload.captured);
}

static struct bytes
behind(struct bytes payload, uint64_t length)
{
    return length < payload.captured ? bytes_after(payload, (uint32_t)length) : (struct bytes){ NULL, 0, 0 };
}

static bool
take_ca(struct ca_datagram *datagram, struct bytes payload, struct ca_channels *channels,
        void (*tell)(void *data, const struct ca_event *event), void *data)
{
    bool taken = false;
    datagram->from_client = ca_is_from_client(payload.at, payload.captured, true);
    while (payload.captured > 0) {
        struct ca_event event;
        uint64_t length = take_message(datagram, payload, channels, &event);
        if (length == 0)
            break;
        taken = true;
        tell(data, &event);
        payload = behind(payload, length);
    }
    return taken;
}

/* A message of pvAccess being told. */
struct telling {
    const struct ca_channels *channels;
    const struct ca_message *message;
    uint32_t frame;
    void (*tell)(void *data, const struct ca_event *event);
    void *data;
};

static void
tell_reference(void *data, uint32_t reference)
{
    const struct telling *telling = data;
    const struct ca_event event =
        ca_event_of(&circuit_of_pvaccess, telling->message->command, NULL, ca_subject(telling->channels, reference),
                    pva_datagram_is_from_client(telling->message), telling->frame);
    telling->tell(telling->data, &event);
}

static void
take_pva(const struct ca_datagram *ends, struct bytes payload, struct ca_channels *channels,
         void (*tell)(void *data, const struct ca_event *event), void *data)
{
    struct pva_datagram datagram = { ends->source, ends->destination, ends->ipv6, ends->arrival, false };
    struct ca_message message;
    struct telling telling = { channels, &message, ends->arrival.frame, tell, data };
    while (payload.captured > 0 && pva_message_read(payload.at, payload.captured, &message) == CA_COMPLETE) {
        struct bytes body = bytes_after(payload, message.header_bytes);
        pva_datagram_take(&datagram, channels, &message, body.captured ? body.at : NULL,
                          MIN(body.captured, message.size), tell_reference, &telling);
        payload = behind(payload, message.header_bytes + (uint64_t)message.size);
    }
}

const struct circuit_protocol *
datagram_take(struct ca_datagram *datagram, struct bytes payload, struct ca_channels *channels,
              void (*tell)(void *data, const struct ca_event *event), void *data)
{
    if (pva_is_datagram(payload.at, payload.captured)) {
        take_pva(datagram, payload, channels, tell, data);
        return &circuit_of_pvaccess;
    }
    if (is_ca(datagram->source.port, datagram->destination.port, payload) &&
        take_ca(datagram, payload, channels, tell, data))
        return &circuit_of_channel_access;
    return NULL;
}
