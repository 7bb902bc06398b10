/* quic_crypto.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_crypto.h"

#include <string.h>

#include <glib.h>

#include "quic_frames.h"

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

/* Takes bytes where none has come, nor behind: as most do. */
static void
take_last(struct quic_crypto *crypto, size_t offset, const uint8_t *part, size_t bytes)
{
    const size_t end = offset + bytes;
    size_t at = offset;
    memcpy(crypto->bytes + offset, part, bytes);
    for (; at < end && at % 8 > 0; at++)
        crypto->came[at / 8] |= (uint8_t)(1U << at % 8);
    memset(crypto->came + at / 8, UINT8_MAX, (end - at) / 8);
    for (at += (end - at) & ~(size_t)7; at < end; at++)
        crypto->came[at / 8] |= (uint8_t)(1U << at % 8);
    if (offset == crypto->known)
        crypto->known = end;
    crypto->end = end;
}

/* Takes a part of the stream, and returns whether any of it is new. Bytes that came before stay as they were. */
static bool
take_part(struct quic_crypto *crypto, uint64_t offset, const uint8_t *part, size_t bytes, wmem_allocator_t *scope)
{
    bool has_new = false;
    if (offset >= QUIC_CRYPTO_MOST || bytes == 0)
        return false;
    bytes = MIN(bytes, QUIC_CRYPTO_MOST - (size_t)offset);
    if (crypto->is_read) {
        has_new = offset + bytes > crypto->end;
        crypto->end = MAX(crypto->end, (size_t)offset + bytes);
        return has_new;
    }
    make_room(crypto, (size_t)offset + bytes, scope);
    if (offset >= crypto->end) {
        take_last(crypto, (size_t)offset, part, bytes);
        return true;
    }
    for (size_t i = 0; i < bytes; i++) {
        const size_t at = (size_t)offset + i;
        if (has_come(crypto, at))
            continue;
        crypto->came[at / 8] |= (uint8_t)(1U << at % 8);
        crypto->bytes[at] = part[i];
        has_new = true;
    }
    crypto->end = MAX(crypto->end, (size_t)offset + bytes);
    while (has_come(crypto, crypto->known))
        crypto->known++;
    return has_new;
}

/* An Initial's frames that are being taken. */
struct taking {
    struct quic_crypto *crypto;
    wmem_allocator_t *scope;
    struct quic_initial_said *said;
};

static void
take_crypto(void *data, uint64_t offset, const uint8_t *bytes, size_t length)
{
    const struct taking *taking = data;
    taking->said->has_new_bytes |= take_part(taking->crypto, offset, bytes, length, taking->scope);
}

static void
take_acknowledgement(void *data)
{
    const struct taking *taking = data;
    taking->said->acknowledges = true;
}

static void
take_close(void *data, uint64_t error)
{
    const struct taking *taking = data;
    taking->said->closes = true;
    taking->said->error = error;
}

void
quic_crypto_take(struct quic_crypto *crypto, const uint8_t *payload, size_t bytes, wmem_allocator_t *scope,
                 struct quic_initial_said *said)
{
    static const struct quic_frame_calls calls = {
        .crypto = take_crypto,
        .acknowledge = take_acknowledgement,
        .close = take_close,
    };
    struct taking taking = { crypto, scope, said };
    *said = (struct quic_initial_said){ .error = 0 };
    quic_frames_tell(payload, bytes, &calls, &taking);
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

static void
find_chosen(void *data, uint64_t offset, const uint8_t *bytes, size_t length)
{
    struct tls_hello *hello = data;
    if (offset == 0 && length > TLS_MESSAGE_HEADER_BYTES && bytes[0] == TLS_ENCRYPTED_EXTENSIONS)
        tls_encrypted_extensions_read(bytes + TLS_MESSAGE_HEADER_BYTES, length - TLS_MESSAGE_HEADER_BYTES, hello);
}

bool
quic_crypto_chosen(const uint8_t *frames, size_t length, char alpn[static TLS_TEXT_ROOM])
{
    static const struct quic_frame_calls calls = { .crypto = find_chosen };
    struct tls_hello hello = { .version = 0 };
    quic_frames_tell(frames, length, &calls, &hello);
    g_strlcpy(alpn, hello.alpn, TLS_TEXT_ROOM);
    return *alpn;
}

void
quic_crypto_clear(struct quic_crypto *crypto, wmem_allocator_t *scope)
{
    wmem_free(scope, crypto->bytes);
    wmem_free(scope, crypto->came);
    *crypto = (struct quic_crypto){ .room = 0 };
}

void
quic_crypto_end(struct quic_crypto *crypto, wmem_allocator_t *scope)
{
    const struct quic_crypto ended = { .known = crypto->known, .end = crypto->end, .is_read = true };
    quic_crypto_clear(crypto, scope);
    *crypto = ended;
}
