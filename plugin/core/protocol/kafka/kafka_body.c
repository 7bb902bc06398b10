/* kafka_body.c
 * clients/src/main/resources/common/message of Kafka's source: what each version of a request begins with.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "kafka_body.h"

#include <stddef.h>

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "kafka_api.h"

/* One letter for each field:
 *   A  acks: -1, 0 or 1
 *   b  a byte from 0 to 2: an isolation level, a kind of coordinator
 *   i  a number from -2 on, of 4 bytes
 *   s  a text of at least one byte
 *   n  a text, or none
 *   T  topics: at least one, of which the first has a name
 *   t  texts, or what begins with one: none, or the first has a byte at least
 *   c  a count of what has a byte each at least
 *   e  the end
 */
struct form {
    uint8_t api, from; /* this version on */
    const char *fields;
};

static const struct form forms[] = {
    { 0, 0, "AiT" },    { 0, 3, "nAiT" },     { 0, 13, "nAic" },     { 1, 0, "iiiT" },     { 1, 3, "iiiiT" },
    { 1, 4, "iiiibT" }, { 1, 7, "iiiibiit" }, { 1, 13, "iiiibiic" }, { 1, 15, "iiibiic" }, { 2, 0, "iT" },
    { 2, 2, "ibT" },    { 3, 0, "t" },        { 3, 10, "c" },        { 4, 0, "i" },        { 5, 0, "i" },
    { 6, 0, "i" },      { 7, 0, "i" },        { 8, 0, "st" },        { 8, 1, "sin" },      { 9, 0, "st" },
    { 9, 8, "c" },      { 10, 0, "s" },       { 10, 1, "sb" },       { 10, 4, "bc" },      { 11, 0, "sin" },
    { 11, 1, "siin" },  { 12, 0, "sin" },     { 13, 0, "sn" },       { 13, 3, "sc" },      { 14, 0, "sin" },
    { 15, 0, "t" },     { 16, 0, "e" },       { 16, 4, "c" },        { 17, 0, "s" },       { 18, 0, "e" },
    { 18, 3, "nn" },    { 19, 0, "t" },       { 20, 0, "t" },        { 20, 6, "c" },       { 21, 0, "t" },
    { 22, 0, "ni" },    { 23, 0, "t" },       { 23, 3, "it" },       { 24, 0, "s" },       { 24, 4, "c" },
    { 25, 0, "s" },     { 26, 0, "s" },       { 27, 0, "c" },        { 28, 0, "ss" },      { 30, 0, "c" },
    { 31, 0, "c" },     { 32, 0, "c" },       { 33, 0, "c" },        { 34, 0, "c" },       { 35, 0, "c" },
    { 36, 0, "c" },     { 37, 0, "t" },       { 42, 0, "t" },        { 44, 0, "c" },       { 45, 0, "i" },
    { 46, 0, "i" },     { 47, 0, "st" },      { 48, 0, "c" },        { 49, 0, "c" },       { 55, 0, "c" },
    { 57, 0, "i" },     { 61, 0, "t" },       { 65, 0, "t" },        { 66, 0, "c" },       { 68, 0, "s" },
    { 69, 0, "t" },     { 75, 0, "t" },
};

enum fit { FITS_NOT, FITS, IS_CUT };

struct body {
    const uint8_t *at, *end;
    uint64_t left; /* of which some may be cut */
    bool is_flexible;
};

static enum fit
pass(struct body *body, uint64_t bytes)
{
    if (body->left < bytes)
        return FITS_NOT;
    if ((uint64_t)(body->end - body->at) < bytes)
        return IS_CUT;
    body->at += bytes;
    body->left -= bytes;
    return FITS;
}

static enum fit
read_byte(struct body *body, uint8_t *byte)
{
    const uint8_t *at = body->at;
    const enum fit fit = pass(body, 1);
    *byte = fit == FITS ? *at : 0;
    return fit;
}

/* Of 2 or 4 bytes; in a flexible version seven bits a byte, and one more than it counts. */
static enum fit
read_length(struct body *body, unsigned bytes, int64_t *length)
{
    enum { BYTES_MOST = 5, BITS = 7, MORE = 0x80 };
    const uint8_t *at = body->at;
    *length = -1;
    if (!body->is_flexible) {
        const enum fit fit = pass(body, bytes);
        if (fit == FITS)
            *length = bytes == 2 ? (int16_t)pntohu16(at) : (int32_t)pntohu32(at);
        return fit;
    }
    uint64_t number = 0;
    for (unsigned i = 0; i < BYTES_MOST; i++) {
        uint8_t byte;
        const enum fit fit = read_byte(body, &byte);
        if (fit != FITS)
            return fit;
        number |= (uint64_t)(byte & (MORE - 1)) << BITS * i;
        *length = (int64_t)number - 1;
        if (!(byte & MORE))
            return FITS;
    }
    return FITS_NOT;
}

/* Of printable ASCII or, as in UTF-8, of bytes above it. */
static enum fit
read_text(struct body *body, int64_t least)
{
    enum { TEXT_MOST = 4096, ABOVE_ASCII = 0x80 };
    int64_t length;
    const enum fit fit = read_length(body, 2, &length);
    if (fit != FITS)
        return fit;
    if (length < least || length > TEXT_MOST)
        return FITS_NOT;
    for (int64_t i = 0; i < MIN(length, body->end - body->at); i++)
        if (body->at[i] < ABOVE_ASCII && !g_ascii_isprint(body->at[i]))
            return FITS_NOT;
    return pass(body, (uint64_t)MAX(length, 0));
}

static enum fit
read_count(struct body *body, int64_t least, int64_t *count)
{
    const enum fit fit = read_length(body, 4, count);
    if (fit != FITS)
        return fit;
    return *count < MAX(least, -1) || *count > (int64_t)body->left ? FITS_NOT : FITS;
}

static enum fit
read_texts(struct body *body, int64_t least)
{
    int64_t count;
    const enum fit fit = read_count(body, least, &count);
    return fit == FITS && count > 0 ? read_text(body, 1) : fit;
}

static enum fit
read_number(struct body *body)
{
    enum { BYTES = 4, LEAST = -2 };
    const uint8_t *at = body->at;
    const enum fit fit = pass(body, BYTES);
    return fit == FITS && (int32_t)pntohu32(at) < LEAST ? FITS_NOT : fit;
}

static enum fit
read_acks(struct body *body)
{
    const uint8_t *at = body->at;
    const enum fit fit = pass(body, 2);
    return fit == FITS && ((int16_t)pntohu16(at) < -1 || (int16_t)pntohu16(at) > 1) ? FITS_NOT : fit;
}

static enum fit
read_choice(struct body *body)
{
    enum { CHOICE_MOST = 2 };
    uint8_t byte;
    const enum fit fit = read_byte(body, &byte);
    return byte > CHOICE_MOST ? FITS_NOT : fit;
}

static enum fit
read_field(struct body *body, char field)
{
    int64_t count;
    switch (field) {
    case 'A':
        return read_acks(body);
    case 'b':
        return read_choice(body);
    case 'i':
        return read_number(body);
    case 's':
        return read_text(body, 1);
    case 'n':
        return read_text(body, -1);
    case 'T':
        return read_texts(body, 1);
    case 't':
        return read_texts(body, -1);
    case 'c':
        return read_count(body, -1, &count);
    default:
        return body->left == 0 || body->is_flexible ? FITS : FITS_NOT;
    }
}

bool
kafka_can_be_body(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end, uint64_t size)
{
    struct body body = { at, end, size, kafka_is_flexible(api, version) };
    const char *fields = "";
    for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++)
        if (forms[i].api == api && version >= forms[i].from)
            fields = forms[i].fields;
    enum fit fit = FITS;
    for (; *fields && fit == FITS; fields++)
        fit = read_field(&body, *fields);
    return fit != FITS_NOT;
}
