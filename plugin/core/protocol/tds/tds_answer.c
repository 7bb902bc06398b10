/* tds_answer.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tds_answer.h"

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "tds_packet.h"

enum token {
    OLD_LOGIN_ACK = 0x61, /* of some other length: nothing is read behind what is not here */
    RETURN_STATUS = 0x79,
    COLUMNS = 0x81,
    ORDER = 0xa9,
    ERROR,
    INFO,
    RETURN_VALUE,
    LOGIN_ACK,
    FEATURES,
    ROW = 0xd1,
    CAPABILITY = 0xe2, /* Sybase's, as EXTENDED_ERROR is */
    CHANGE,
    SESSION,
    EXTENDED_ERROR,
    SSPI = 0xed,
    FEDERATED,
    OLD_COLUMNS = 0xee,
    DONE = 0xfd,
    DONE_PROCEDURE,
    DONE_IN_PROCEDURE
};

/* The end of a result: token, status, command, and a count of four bytes, from TDS 7.2 on of eight. */
enum { DONE_BYTES = 13, OLD_DONE_BYTES = 9 };
enum { MORE = 1, FAILED = 2, CANCELLED = 0x20, SERVER_FAILED = 0x100, KNOWN = 0x1ff };

/* An error: token, length, number, state, class. Sybase's tells what is none by its class. */
enum { NUMBER_AT = 3, CLASS_AT = 8, ERROR_BYTES = 9, CLASS_FAILED = 10 };

static bool
is_token(uint8_t byte)
{
    static const uint8_t tokens[] = { RETURN_STATUS,  COLUMNS, 0x88,      0xa0,       0xa1,           0xa4,
                                      0xa5,           ORDER,   ERROR,     INFO,       RETURN_VALUE,   LOGIN_ACK,
                                      FEATURES,       ROW,     0xd2,      CAPABILITY, CHANGE,         SESSION,
                                      EXTENDED_ERROR, SSPI,    FEDERATED, DONE,       DONE_PROCEDURE, DONE_IN_PROCEDURE,
                                      OLD_LOGIN_ACK,  0x20 };
    for (unsigned i = 0; i < G_N_ELEMENTS(tokens); i++)
        if (tokens[i] == byte)
            return true;
    return false;
}

bool
tds_has_tokens(const struct tds_packet *packet)
{
    return packet->type == TDS_ANSWER && (packet->length == 0 || is_token(packet->body[0]));
}

bool
tds_can_answer(const struct tds_packet *packet)
{
    if (packet->kind != TDS_IS_PACKET)
        return true;
    if (tds_has_options(packet) || tds_has_tls(packet))
        return true;
    return tds_has_tokens(packet);
}

static bool
is_done(const uint8_t *bytes)
{
    return *bytes >= DONE && (pletohu16(bytes + 1) & ~(unsigned)KNOWN) == 0;
}

/* Returns how many bytes the token has that begins there; 0 if that is not known. */
static size_t
token_bytes(const uint8_t *bytes, size_t length)
{
    enum { LENGTH = 3, STATUS_BYTES = 5 };
    switch (bytes[0]) {
    case ORDER:
    case ERROR:
    case INFO:
    case LOGIN_ACK:
    case CHANGE:
    case CAPABILITY:
    case EXTENDED_ERROR:
    case SSPI:
        return length >= LENGTH ? LENGTH + (size_t)pletohu16(bytes + 1) : 0;
    case RETURN_STATUS:
        return STATUS_BYTES;
    case DONE:
    case DONE_PROCEDURE:
    case DONE_IN_PROCEDURE:
        if (length < OLD_DONE_BYTES || !is_done(bytes))
            return 0;
        return length == OLD_DONE_BYTES ||
                       (is_token(bytes[OLD_DONE_BYTES]) && !(length > DONE_BYTES && is_token(bytes[DONE_BYTES])))
                   ? OLD_DONE_BYTES
                   : DONE_BYTES;
    default:
        return 0;
    }
}

static uint32_t
error_at(const uint8_t *bytes, size_t length)
{
    if (length < ERROR_BYTES || (bytes[0] != ERROR && bytes[0] != EXTENDED_ERROR))
        return 0;
    return bytes[0] == ERROR || bytes[CLASS_AT] > CLASS_FAILED ? pletohu32(bytes + NUMBER_AT) : 0;
}

uint32_t
tds_first_error(const uint8_t *bytes, size_t length)
{
    uint32_t error = 0;
    for (size_t at = 0, token = 1; at < length && token > 0 && error == 0; at += token) {
        error = error_at(bytes + at, length - at);
        token = token_bytes(bytes + at, length - at);
    }
    return error;
}

/* Returns the number of the last error behind which tokens follow one after another up to the end. */
static uint32_t
last_error(const uint8_t *bytes, size_t length)
{
    for (size_t from = length; from-- > 0;) {
        if (error_at(bytes + from, length - from) == 0)
            continue;
        size_t at = from, token = 1;
        while (at < length && token > 0) {
            token = token_bytes(bytes + at, length - at);
            at += token;
        }
        if (at == length)
            return error_at(bytes + from, length - from);
    }
    return 0;
}

struct tds_end
tds_read_end(const uint8_t *bytes, size_t length)
{
    struct tds_end end = { false, false, 0 };
    const size_t done = length >= DONE_BYTES && is_done(bytes + length - DONE_BYTES) ? DONE_BYTES : OLD_DONE_BYTES;
    if (length < done || !is_done(bytes + length - done))
        return end;
    const uint16_t status = pletohu16(bytes + length - done + 1);
    end.failed = status & (FAILED | SERVER_FAILED);
    end.is_cancelled = status & CANCELLED;
    if (end.failed)
        end.error = last_error(bytes, length);
    return end;
}
