/* conversations.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conversations.h"

#include <string.h>

enum { IP4_HEADER = 20, IP4_ADDRESS = 4, IP6_HEADER = 40, IP6_ADDRESS = 16, PORT = 2 };

static uint64_t
mix(uint64_t hash, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) /* FNV-1a */
        hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
    return hash;
}

/* The same for both directions; 0 if the packet is cut too short. */
static uint64_t
name_of(const struct sighting *sighting)
{
    const unsigned char *ip = sighting->data + sighting->link_bytes;
    if (sighting->data_bytes < sighting->link_bytes + IP6_HEADER)
        return 0;
    const size_t bytes = (size_t)(sighting->data_bytes - sighting->link_bytes);
    const bool six = ip[0] >> 4 == 6;
    const size_t header = six ? IP6_HEADER : (size_t)(ip[0] & 15) * 4, address = six ? IP6_ADDRESS : IP4_ADDRESS;
    if (bytes < header + 2 * PORT)
        return 0;
    const unsigned char *addresses = six ? ip + 8 : ip + 12;
    uint64_t ends[2];
    for (size_t i = 0; i < 2; i++) {
        ends[i] = mix(0xcbf29ce484222325ULL, addresses + i * address, address);
        ends[i] = mix(ends[i], ip + header + i * PORT, PORT);
    }
    const uint64_t name = ends[0] + ends[1] + (ends[0] ^ ends[1]) * 0x9e3779b97f4a7c15ULL;
    return name ? name : 1;
}

void
conversations_learn(struct conversations *conversations, const struct sighting *sighting)
{
    const uint64_t name = name_of(sighting);
    conversations->known[name % CONVERSATIONS] = name;
}

bool
conversations_know(const struct conversations *conversations, const struct sighting *sighting)
{
    const uint64_t name = name_of(sighting);
    return name && conversations->known[name % CONVERSATIONS] == name;
}
