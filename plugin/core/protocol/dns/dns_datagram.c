/* dns_datagram.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dns_datagram.h"

#include <glib.h>

#include "dns_message.h"

enum { PORT_DNS = 53, PORT_MDNS = 5353 };

/* What a truncated answer is called: its client asks again over TCP (RFC 1035 §4.1.1, TC). */
#define TRUNCATED "truncated"

static bool
is_port(uint16_t port)
{
    return port == PORT_DNS || port == PORT_MDNS;
}

bool
dns_datagram_is_between(uint16_t source, uint16_t destination)
{
    return is_port(source) || is_port(destination);
}

/* To several: IPv4's classes D and E (which has the broadcast address), IPv6's ff00::/8. */
static bool
is_to_many(const struct segment *segment)
{
    enum { CLASS_D = 0xe0, MULTICAST = 0xff };
    const uint8_t first = segment->destination.address[0];
    return segment->ipv6 ? first == MULTICAST : first >= CLASS_D;
}

/* RFC 6762 §6.7: who asks the group from another port than mDNS's is answered alone, with its id and question. */
static bool
asks_group(const struct segment *segment)
{
    return segment->destination.port == PORT_MDNS && segment->source.port != PORT_MDNS;
}

/* The group that a server of mDNS answers for: RFC 6762 §3. */
static struct endpoint
group_of(const struct segment *segment)
{
    static const struct endpoint ipv4 = { .address = { 224, 0, 0, 251 }, .port = PORT_MDNS };
    static const struct endpoint ipv6 = { .address = { 0xff, 2, [15] = 0xfb }, .port = PORT_MDNS };
    return segment->ipv6 ? ipv6 : ipv4;
}

/* FNV-1a (draft-eastlake-fnv): the same in each run, for it stands in JSON files. Who makes two questions of one hash
 * makes two of his own queries one. */
static uint64_t
add(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

/* The id in its lowest 16 bits. Of the question upper case does not count (draft-vixie-dnsext-dns0x20), nor does the
 * bit of its class with which mDNS asks for an answer to one (RFC 6762 §5.4). */
static uint64_t
key_of(const struct segment *segment, const struct dns_message *message, uint16_t client_port)
{
    enum { TYPE_AND_CLASS = 4, CLASS = 2, ID_BITS = 16, HASH_BITS = 46 };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = DNS_HEADER_BYTES; i < message->question_end; i++) {
        const uint8_t byte = segment->payload[i];
        if (i + TYPE_AND_CLASS < message->question_end)
            hash = add(hash, (uint8_t)g_ascii_tolower((char)byte));
        else
            hash = add(hash, i + CLASS == message->question_end ? byte & 0x7f : byte);
    }
    hash = add(add(hash, (uint8_t)(client_port >> 8)), (uint8_t)client_port);
    /* The last bytes reach all bits only so. */
    return hashed_mix(hash, UINT64_C(0x9e3779b97f4a7c15)) >> (64 - HASH_BITS) << ID_BITS | message->id;
}

static const char *
status_of(const struct dns_message *message)
{
    return message->is_truncated && message->rcode == 0 ? TRUNCATED : dns_rcode_name(message->rcode);
}

bool
dns_datagram_read(const struct segment *segment, struct datagram *datagram)
{
    struct dns_message message;
    const enum dns_reading read = dns_message_read(segment->payload, segment->captured_bytes, &message);
    const bool is_whole = segment->captured_bytes == segment->payload_bytes;
    if (read == DNS_IS_NONE || (read == DNS_IS_CUT && (is_whole || segment->captured_bytes < DNS_HEADER_BYTES)))
        return false;
    const bool asks = !message.is_response;
    if (asks ? is_to_many(segment) && !asks_group(segment) : is_to_many(segment))
        return false;
    if (!is_port(asks ? segment->destination.port : segment->source.port))
        return false;
    *datagram = (struct datagram){ .segment = *segment };
    datagram->segment.operation = "";
    datagram->client_port = asks ? segment->source.port : segment->destination.port;
    datagram->names_request = read == DNS_IS_CUT || message.question_end > 0;
    datagram->has_group = !asks && segment->source.port == PORT_MDNS;
    datagram->group = group_of(segment);
    g_strlcpy(datagram->operation, message.operation, sizeof datagram->operation);
    datagram->message = (struct message){
        .kind = asks ? MESSAGE_ASKS : MESSAGE_ANSWERS,
        .part = asks ? MESSAGE_AGAIN : MESSAGE_NEW,
        .ends = true,
        .failed = !asks && dns_rcode_is_error(message.rcode),
        .cut = read == DNS_IS_CUT,
        .key = key_of(segment, &message, datagram->client_port),
        .bytes = segment->payload_bytes,
        .operation = asks ? datagram->operation : NULL,
        .status = asks ? NULL : status_of(&message),
    };
    return true;
}
