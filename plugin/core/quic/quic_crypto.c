/* quic_crypto.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_crypto.h"

#include <string.h>

#include <glib.h>

#include "quic_packet.h"

/* RFC 9000 §19. */
enum frame_type { PADDING = 0x00, PING = 0x01, ACK = 0x02, ACK_ECN = 0x03, CRYPTO = 0x06, CONNECTION_CLOSE = 0x1c };

static bool
has_come(const struct quic_crypto *crypto, size_t at)
{
    return at < crypto->room && crypto->came[at / 8] & 1U << at % 8;
}

static void
make_room(struct quic_crypto *crypto, size_t room, wmem_allocator_t *scope)
{
    enum { ROOM_LEAST = 2048 };
    if (room <= crypto->room)
        return;
    room = MIN(MAX(MAX(room + 7, 2 * crypto->room) & ~(size_t)7, ROOM_LEAST), QUIC_CRYPTO_MOST);
    crypto->bytes = wmem_realloc(scope, crypto->bytes, room);
    crypto->came = wmem_realloc(scope, crypto->came, room / 8);
    memset(crypto->came + crypto->room / 8, 0, (room - crypto->room) / 8);
    crypto->room = room;
}

/* Takes a part of the stream, and returns whether any of it is new. Bytes that came before stay as they were. */
static bool
take_part(struct quic_crypto *crypto, uint64_t offset, const uint8_t *part, size_t bytes, wmem_allocator_t *scope)
{
    bool has_new = false;
    if (offset >= QUIC_CRYPTO_MOST)
        return false;
    bytes = MIN(bytes, QUIC_CRYPTO_MOST - (size_t)offset);
    make_room(crypto, (size_t)offset + bytes, scope);
    for (size_t i = 0; i < bytes; i++) {
        const size_t at = (size_t)offset + i;
        if (has_come(crypto, at))
            continue;
        crypto->came[at / 8] |= (uint8_t)(1U << at % 8);
        crypto->bytes[at] = part[i];
        has_new = true;
    }
    while (has_come(crypto, crypto->known))
        crypto->known++;
    return has_new;
}

/* Reads as many integers, the last of which is `*last`. */
static bool
skip_varints(const uint8_t *payload, size_t bytes, size_t *at, uint64_t n, uint64_t *last)
{
    for (; n > 0; n--)
        if (!quic_varint(payload, bytes, at, last))
            return false;
    return true;
}

/* Skips an ACK frame behind its type: RFC 9000 §19.3. */
static bool
skip_ack(const uint8_t *payload, size_t bytes, size_t *at, bool has_ecn)
{
    uint64_t ranges, value;
    /* the largest acknowledged, the delay, how many ranges; the first range, and a gap and a length of each other */
    return skip_varints(payload, bytes, at, 3, &ranges) && ranges <= bytes &&
           skip_varints(payload, bytes, at, 1 + 2 * ranges + (has_ecn ? 3 : 0), &value);
}

static bool
take_crypto(struct quic_crypto *crypto, const uint8_t *payload, size_t bytes, size_t *at, wmem_allocator_t *scope,
            struct quic_initial_said *said)
{
    uint64_t offset, length;
    if (!quic_varint(payload, bytes, at, &offset) || !quic_varint(payload, bytes, at, &length) || length > bytes - *at)
        return false;
    said->has_new_bytes |= take_part(crypto, offset, payload + *at, (size_t)length, scope);
    *at += (size_t)length;
    return true;
}

/* RFC 9000 §19.19: its error, the frame's type that caused it, a reason. */
static bool
take_close(const uint8_t *payload, size_t bytes, size_t *at, struct quic_initial_said *said)
{
    uint64_t type, length;
    if (!quic_varint(payload, bytes, at, &said->error))
        return false;
    said->closes = true;
    if (!quic_varint(payload, bytes, at, &type) || !quic_varint(payload, bytes, at, &length) || length > bytes - *at)
        return false;
    *at += (size_t)length;
    return true;
}

bool
quic_crypto_take(struct quic_crypto *crypto, const uint8_t *payload, size_t bytes, wmem_allocator_t *scope,
                 struct quic_initial_said *said)
{
    *said = (struct quic_initial_said){ .error = 0 };
    bool goes_on = true;
    for (size_t at = 0; goes_on && at < bytes;) {
        const uint8_t type = payload[at++];
        switch (type) {
        case PADDING:
        case PING:
            break;
        case ACK:
        case ACK_ECN:
            said->acknowledges = true;
            goes_on = skip_ack(payload, bytes, &at, type == ACK_ECN);
            break;
        case CRYPTO:
            goes_on = take_crypto(crypto, payload, bytes, &at, scope, said);
            break;
        case CONNECTION_CLOSE:
            goes_on = take_close(payload, bytes, &at, said);
            break;
        default:
            goes_on = false;
        }
    }
    return goes_on;
}

bool
quic_crypto_hello(const struct quic_crypto *crypto, bool from_client, struct tls_hello *hello)
{
    const uint8_t *bytes = crypto->bytes;
    if (crypto->known < TLS_MESSAGE_HEADER_BYTES || bytes[0] != (from_client ? TLS_CLIENT_HELLO : TLS_SERVER_HELLO))
        return false;
    const size_t length = (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
    if (crypto->known < MIN(TLS_MESSAGE_HEADER_BYTES + length, QUIC_CRYPTO_MOST))
        return false;
    tls_hello_read(bytes + TLS_MESSAGE_HEADER_BYTES, MIN(length, crypto->known - TLS_MESSAGE_HEADER_BYTES), from_client,
                   hello);
    return true;
}

void
quic_crypto_clear(struct quic_crypto *crypto, wmem_allocator_t *scope)
{
    wmem_free(scope, crypto->bytes);
    wmem_free(scope, crypto->came);
    *crypto = (struct quic_crypto){ .room = 0 };
}
