/* quic-written.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic-written.h"

#include <string.h>

#include <gcrypt.h>

enum { TAG_BYTES = 16, NUMBER_BYTES = 1 };

static void
write_byte(GByteArray *bytes, uint64_t value)
{
    const uint8_t byte = (uint8_t)value;
    g_byte_array_append(bytes, &byte, 1);
}

static void
write_number(GByteArray *bytes, uint64_t value, unsigned length)
{
    while (length-- > 0)
        write_byte(bytes, value >> 8 * length);
}

void
quic_write_varint(GByteArray *bytes, uint64_t value)
{
    if (value < 1 << 6)
        write_byte(bytes, value);
    else if (value < 1 << 14)
        write_number(bytes, value | UINT64_C(1) << 14, 2);
    else
        write_number(bytes, value | UINT64_C(3) << 62, 8);
}

void
quic_write_crypto(GByteArray *frames, uint64_t offset, const uint8_t *bytes, size_t length)
{
    write_byte(frames, 0x06);
    quic_write_varint(frames, offset);
    quic_write_varint(frames, length);
    g_byte_array_append(frames, bytes, (unsigned)length);
}

static void
write_id(GByteArray *bytes, const struct quic_id *id)
{
    write_byte(bytes, id->length);
    g_byte_array_append(bytes, id->bytes, id->length);
}

static void
write_header(GByteArray *bytes, uint32_t version, enum quic_type type, const struct quic_id *destination,
             const struct quic_id *source)
{
    static const uint8_t numbers[] = {
        [QUIC_INITIAL] = 0, [QUIC_ZERO_RTT] = 1, [QUIC_HANDSHAKE] = 2, [QUIC_RETRY] = 3
    };
    const unsigned number = (numbers[type] + (version == QUIC_VERSION_2)) & 3;
    write_byte(bytes, 0xc0 | number << 4 | (NUMBER_BYTES - 1));
    write_number(bytes, version, 4);
    write_id(bytes, destination);
    write_id(bytes, source);
}

static void
protect(GByteArray *datagram, size_t begin, size_t number_at, const struct quic_side_keys *keys, uint8_t number,
        const uint8_t *frames, size_t length)
{
    uint8_t nonce[sizeof keys->iv], mask[16];
    gcry_cipher_hd_t cipher;
    memcpy(nonce, keys->iv, sizeof nonce);
    nonce[sizeof nonce - 1] ^= number;
    const size_t at = datagram->len;
    g_byte_array_set_size(datagram, (unsigned)(at + length + TAG_BYTES));
    gcry_cipher_open(&cipher, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_GCM, 0);
    gcry_cipher_setkey(cipher, keys->key, sizeof keys->key);
    gcry_cipher_setiv(cipher, nonce, sizeof nonce);
    gcry_cipher_authenticate(cipher, datagram->data + begin, at - begin);
    gcry_cipher_encrypt(cipher, datagram->data + at, length, frames, length);
    gcry_cipher_gettag(cipher, datagram->data + at + length, TAG_BYTES);
    gcry_cipher_close(cipher);
    gcry_cipher_open(&cipher, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_ECB, 0);
    gcry_cipher_setkey(cipher, keys->header, sizeof keys->header);
    gcry_cipher_encrypt(cipher, mask, sizeof mask, datagram->data + number_at + 4, sizeof mask);
    gcry_cipher_close(cipher);
    datagram->data[begin] ^= mask[0] & 0x0f;
    datagram->data[number_at] ^= mask[1];
}

void
quic_write_initial(GByteArray *datagram, uint32_t version, const struct quic_id *original, unsigned side,
                   const struct quic_id *destination, const struct quic_id *source, uint8_t number,
                   const GByteArray *frames, size_t least)
{
    enum { LENGTH_BYTES = 8 };
    struct quic_keys keys;
    const size_t begin = datagram->len;
    g_assert(quic_keys_set(&keys, version, original));
    write_header(datagram, version, QUIC_INITIAL, destination, source);
    quic_write_varint(datagram, 0); /* no token */
    const size_t head = datagram->len - begin + LENGTH_BYTES + NUMBER_BYTES + TAG_BYTES;
    GByteArray *padded = g_byte_array_new();
    g_byte_array_append(padded, frames->data, frames->len);
    while (head + padded->len < least || padded->len < 4)
        write_byte(padded, 0);
    write_number(datagram, (NUMBER_BYTES + padded->len + TAG_BYTES) | UINT64_C(3) << 62, LENGTH_BYTES);
    const size_t number_at = datagram->len;
    write_byte(datagram, number);
    protect(datagram, begin, number_at, quic_keys_of(&keys, side), number, padded->data, padded->len);
    g_byte_array_free(padded, TRUE);
}

void
quic_write_long(GByteArray *datagram, uint32_t version, enum quic_type type, const struct quic_id *destination,
                const struct quic_id *source, size_t payload)
{
    write_header(datagram, version, type, destination, source);
    if (type != QUIC_RETRY)
        quic_write_varint(datagram, payload);
    for (size_t i = 0; i < payload; i++)
        write_byte(datagram, i * 37);
}

void
quic_write_short(GByteArray *datagram, const struct quic_id *destination, size_t payload)
{
    write_byte(datagram, 0x40);
    g_byte_array_append(datagram, destination->bytes, destination->length);
    for (size_t i = 0; i < payload; i++)
        write_byte(datagram, i * 41);
}

static void
write_extension(GByteArray *bytes, unsigned type, const GByteArray *body)
{
    write_number(bytes, type, 2);
    write_number(bytes, body->len, 2);
    g_byte_array_append(bytes, body->data, body->len);
}

static void
write_hello(GByteArray *bytes, unsigned type, const GByteArray *extensions, bool from_client)
{
    GByteArray *body = g_byte_array_new();
    write_number(body, 0x0303, 2);
    for (unsigned i = 0; i < 32; i++)
        write_byte(body, i);
    write_byte(body, 0);
    if (from_client)
        write_number(body, 2, 2);
    write_number(body, 0x1301, 2);
    if (from_client)
        write_byte(body, 1);
    write_byte(body, 0);
    write_number(body, extensions->len, 2);
    g_byte_array_append(body, extensions->data, extensions->len);
    write_byte(bytes, type);
    write_number(bytes, body->len, 3);
    g_byte_array_append(bytes, body->data, body->len);
    g_byte_array_free(body, TRUE);
}

void
quic_write_client_hello(GByteArray *bytes, const char *host)
{
    GByteArray *extensions = g_byte_array_new(), *body = g_byte_array_new();
    const size_t length = strlen(host);
    write_number(body, length + 3, 2);
    write_byte(body, 0);
    write_number(body, length, 2);
    g_byte_array_append(body, (const uint8_t *)host, (unsigned)length);
    write_extension(extensions, 0, body);
    g_byte_array_set_size(body, 0);
    write_number(body, 3, 2);
    write_byte(body, 2);
    g_byte_array_append(body, (const uint8_t *)"h3", 2);
    write_extension(extensions, 16, body);
    write_hello(bytes, 1, extensions, true);
    g_byte_array_free(extensions, TRUE);
    g_byte_array_free(body, TRUE);
}

void
quic_write_server_hello(GByteArray *bytes)
{
    GByteArray *extensions = g_byte_array_new(), *body = g_byte_array_new();
    write_number(body, 0x0304, 2);
    write_extension(extensions, 43, body);
    write_hello(bytes, 2, extensions, false);
    g_byte_array_free(extensions, TRUE);
    g_byte_array_free(body, TRUE);
}
