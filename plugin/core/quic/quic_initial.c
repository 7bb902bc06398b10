/* quic_initial.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_initial.h"

#include <string.h>

#include <glib.h>
#include <wsutil/wsgcrypt.h>

enum { SALT_BYTES = 20, TAG_BYTES = 16, SAMPLE_BYTES = 16, NUMBER_MOST = 4 };

/* RFC 9001 §5.2, RFC 9369 §3.3.1, draft-ietf-quic-tls-29 §5.2. */
static const struct version {
    uint32_t number;
    uint8_t salt[SALT_BYTES];
    const char *key, *iv, *header;
} versions[] = {
    { QUIC_VERSION_1,
      { 0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17,
        0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a },
      "tls13 quic key",
      "tls13 quic iv",
      "tls13 quic hp" },
    { QUIC_VERSION_2,
      { 0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93,
        0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9 },
      "tls13 quicv2 key",
      "tls13 quicv2 iv",
      "tls13 quicv2 hp" },
    { QUIC_DRAFT_29,
      { 0xaf, 0xbf, 0xec, 0x28, 0x99, 0x93, 0xd2, 0x4c, 0x9e, 0x97,
        0x86, 0xf1, 0x9c, 0x61, 0x11, 0xe0, 0x43, 0x90, 0xa8, 0x99 },
      "tls13 quic key",
      "tls13 quic iv",
      "tls13 quic hp" },
};

static const struct version *
version_of(uint32_t number)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(versions); i++)
        if (versions[i].number == number)
            return &versions[i];
    return NULL;
}

/* Initializes libgcrypt, if Wireshark has not: it must be by one thread, before several use it. */
static void
initialize(void)
{
    static gsize is_done;
    if (!g_once_init_enter(&is_done))
        return;
    if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
        gcry_check_version(NULL);
        gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
        gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    }
    g_once_init_leave(&is_done, 1);
}

bool
quic_keys_set(struct quic_keys *keys, uint32_t version, const struct quic_id *destination)
{
    if (!version_of(version))
        return false;
    *keys = (struct quic_keys){ .version = version, .id = *destination };
    return true;
}

/* Computes HMAC-SHA256 under the key that is set, into `out`, of which the bytes behind `length` are left out. */
static void
authenticate(gcry_md_hd_t hmac, const void *bytes, size_t count, uint8_t *out, size_t length)
{
    gcry_md_reset(hmac);
    gcry_md_write(hmac, bytes, count);
    memcpy(out, gcry_md_read(hmac, GCRY_MD_SHA256), length);
}

/* HKDF-Expand-Label of TLS 1.3 without a context, of the secret that is set as key, of which one block is enough: RFC
 * 8446 §7.1, RFC 5869 §2.3. `label`: with what is put before each. */
static void
expand(gcry_md_hd_t hmac, const char *label, uint8_t *out, uint8_t length)
{
    enum { CONTEXT_BYTES = 0, FIRST_BLOCK = 1 };
    const size_t label_bytes = strlen(label);
    uint8_t info[64] = { 0, length, (uint8_t)label_bytes };
    size_t at = 3;
    memcpy(info + at, label, label_bytes);
    at += label_bytes;
    info[at++] = CONTEXT_BYTES;
    info[at++] = FIRST_BLOCK;
    authenticate(hmac, info, at, out, length);
}

/* Derives a side's keys. One handle serves for all: to open one costs more than to use it. */
static bool
derive(struct quic_side_keys *keys, const struct version *of, const struct quic_id *id, const char *label)
{
    uint8_t secret[32];
    gcry_md_hd_t hmac;
    initialize();
    if (gcry_md_open(&hmac, GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC))
        return false;
    bool done = !gcry_md_setkey(hmac, of->salt, sizeof of->salt);
    if (done)
        authenticate(hmac, id->bytes, id->length, secret, sizeof secret);
    done = done && !gcry_md_setkey(hmac, secret, sizeof secret);
    if (done)
        expand(hmac, label, secret, sizeof secret);
    done = done && !gcry_md_setkey(hmac, secret, sizeof secret);
    if (done) {
        expand(hmac, of->key, keys->key, sizeof keys->key);
        expand(hmac, of->iv, keys->iv, sizeof keys->iv);
        expand(hmac, of->header, keys->header, sizeof keys->header);
    }
    gcry_md_close(hmac);
    return done;
}

const struct quic_side_keys *
quic_keys_of(struct quic_keys *keys, unsigned side)
{
    static const char *const labels[] = { [QUIC_CLIENT] = "tls13 client in", [QUIC_SERVER] = "tls13 server in" };
    struct quic_side_keys *derived = &keys->side[side];
    if (!derived->is_derived)
        derived->is_derived = derive(derived, version_of(keys->version), &keys->id, labels[side]);
    return derived->is_derived ? derived : NULL;
}

/* Computes the mask over the first byte and the packet number: RFC 9001 §5.4.3. */
static bool
header_mask(const struct quic_side_keys *keys, const uint8_t *sample, uint8_t *mask)
{
    gcry_cipher_hd_t cipher;
    if (gcry_cipher_open(&cipher, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_ECB, 0))
        return false;
    const bool done = !gcry_cipher_setkey(cipher, keys->header, sizeof keys->header) &&
                      !gcry_cipher_encrypt(cipher, mask, SAMPLE_BYTES, sample, SAMPLE_BYTES);
    gcry_cipher_close(cipher);
    return done;
}

/* Returns the packet number of which the packet has the lowest `bits`: RFC 9000 §A.3. */
static uint64_t
whole_number(uint64_t expected, uint64_t lowest, unsigned bits)
{
    const uint64_t window = UINT64_C(1) << bits, half = window / 2;
    const uint64_t candidate = (expected & ~(window - 1)) | lowest;
    if (candidate + half <= expected && candidate < (UINT64_C(1) << 62) - window)
        return candidate + window;
    return candidate > expected + half && candidate >= window ? candidate - window : candidate;
}

/* Decrypts what stands behind the header, and checks both: RFC 9001 §5.3. */
static bool
decrypt(const struct quic_side_keys *keys, uint64_t number, const uint8_t *header, size_t header_bytes,
        uint8_t *payload, size_t bytes, const uint8_t *tag)
{
    uint8_t nonce[sizeof keys->iv];
    memcpy(nonce, keys->iv, sizeof nonce);
    for (unsigned i = 0; i < sizeof number; i++)
        nonce[sizeof nonce - 1 - i] ^= (uint8_t)(number >> 8 * i);
    gcry_cipher_hd_t cipher;
    if (gcry_cipher_open(&cipher, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_GCM, 0))
        return false;
    const bool done =
        !gcry_cipher_setkey(cipher, keys->key, sizeof keys->key) && !gcry_cipher_setiv(cipher, nonce, sizeof nonce) &&
        !gcry_cipher_authenticate(cipher, header, header_bytes) &&
        !gcry_cipher_decrypt(cipher, payload, bytes, NULL, 0) && !gcry_cipher_checktag(cipher, tag, TAG_BYTES);
    gcry_cipher_close(cipher);
    return done;
}

size_t
quic_initial_decrypt(struct quic_keys *keys, unsigned side, const struct quic_packet *packet, uint64_t *next,
                     uint8_t *payload)
{
    enum { NUMBER_BYTES_MASK = 3, PROTECTED_BITS = 0x0f };
    uint8_t mask[SAMPLE_BYTES];
    const size_t sample_at = packet->number_at + NUMBER_MOST;
    if (packet->is_cut || packet->number_at == 0 || packet->bytes < sample_at + SAMPLE_BYTES)
        return 0;
    const struct quic_side_keys *of = quic_keys_of(keys, side);
    if (!of || !header_mask(of, packet->at + sample_at, mask))
        return 0;
    const uint8_t first = packet->at[0] ^ (mask[0] & PROTECTED_BITS);
    const unsigned number_bytes = (first & NUMBER_BYTES_MASK) + 1;
    const size_t header_bytes = packet->number_at + number_bytes;
    const size_t bytes = packet->bytes - header_bytes - TAG_BYTES;
    uint64_t lowest = 0;
    uint8_t *header = g_memdup2(packet->at, header_bytes);
    header[0] = first;
    for (unsigned i = 0; i < number_bytes; i++) {
        header[packet->number_at + i] ^= mask[1 + i];
        lowest = lowest << 8 | header[packet->number_at + i];
    }
    const uint64_t number = whole_number(*next, lowest, 8 * number_bytes);
    memcpy(payload, packet->at + header_bytes, bytes);
    const bool done = decrypt(of, number, header, header_bytes, payload, bytes, packet->at + packet->bytes - TAG_BYTES);
    g_free(header);
    if (!done)
        return 0;
    *next = MAX(*next, number + 1);
    return bytes;
}
