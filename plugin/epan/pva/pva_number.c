/* pva_number.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_number.h"

#include <inttypes.h>

#include "pva_register.h"

static int hf_boolean = -1;
static int hf_int = -1;
static int hf_long = -1;
static int hf_uint = -1;
static int hf_ulong = -1;
static int hf_float = -1;
static int hf_double = -1;

struct pva_number
pva_number_of(uint8_t code)
{
    switch (code) {
    case 0x00:
        return (struct pva_number){ &hf_boolean, 1 };
    case 0x20:
    case 0x21:
    case 0x22:
        return (struct pva_number){ &hf_int, 1U << (code - 0x20) };
    case 0x23:
        return (struct pva_number){ &hf_long, 8 };
    case 0x24:
    case 0x25:
    case 0x26:
        return (struct pva_number){ &hf_uint, 1U << (code - 0x24) };
    case 0x27:
        return (struct pva_number){ &hf_ulong, 8 };
    case 0x42:
        return (struct pva_number){ &hf_float, 4 };
    case 0x43:
        return (struct pva_number){ &hf_double, 8 };
    default:
        return (struct pva_number){ NULL, 0 };
    }
}

/* Of one to eight bytes, without a sign. */
static uint64_t
bits_at(const struct pva_place *place, uint32_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        uint32_t at = place->encoding == ENC_BIG_ENDIAN ? i : bytes - 1 - i;
        bits = bits << 8 | tvb_get_bits8(place->tvb, ((unsigned)place->offset + at) * 8, 8);
    }
    return bits;
}

static int64_t
signed_at(const struct pva_place *place, uint32_t bytes)
{
    unsigned above = 64 - bytes * 8;
    return (int64_t)(bits_at(place, bytes) << above) >> above;
}

/* Wireshark would write the name of the field. */
void
pva_number_show(struct pva_place *place, const char *name, const struct pva_number *number)
{
    const char *label = *name ? name : "Value";
    const int hf = *number->hf, at = place->offset, bytes = (int)number->bytes;
    proto_tree *tree = place->tree;
    tvbuff_t *tvb = place->tvb;
    if (!pva_place_has(place, number->bytes))
        return;
    uint64_t bits = bits_at(place, number->bytes);
    int64_t with_sign = signed_at(place, number->bytes);
    union {
        uint64_t bits;
        double value;
    } wide = { bits };
    union {
        uint32_t bits;
        float value;
    } narrow = { (uint32_t)bits };
    place->offset += bytes;
    if (!tree)
        return;
    if (number->hf == &hf_boolean)
        proto_tree_add_boolean_format(tree, hf, tvb, at, bytes, bits != 0, "%s: %s", label, bits ? "true" : "false");
    else if (number->hf == &hf_int)
        proto_tree_add_int_format(tree, hf, tvb, at, bytes, (int32_t)with_sign, "%s: %d", label, (int32_t)with_sign);
    else if (number->hf == &hf_long)
        proto_tree_add_int64_format(tree, hf, tvb, at, bytes, with_sign, "%s: %" PRId64, label, with_sign);
    else if (number->hf == &hf_uint)
        proto_tree_add_uint_format(tree, hf, tvb, at, bytes, (uint32_t)bits, "%s: %u", label, (uint32_t)bits);
    else if (number->hf == &hf_ulong)
        proto_tree_add_uint64_format(tree, hf, tvb, at, bytes, bits, "%s: %" PRIu64, label, bits);
    else if (number->hf == &hf_float)
        proto_tree_add_float_format(tree, hf, tvb, at, bytes, narrow.value, "%s: %g", label, (double)narrow.value);
    else
        proto_tree_add_double_format(tree, hf, tvb, at, bytes, wide.value, "%s: %.15g", label, wide.value);
}

#define FIELD(id, name, abbreviation, type, base, blurb) PVA_FIELD(id, name, abbreviation, type, base, NULL, 0, blurb)

void
pva_number_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_boolean, "Value", "value.boolean", FT_BOOLEAN, BASE_NONE, NULL),
        FIELD(hf_int, "Value", "value.int", FT_INT32, BASE_DEC, "Of a byte, a short or an int"),
        FIELD(hf_long, "Value", "value.long", FT_INT64, BASE_DEC, NULL),
        FIELD(hf_uint, "Value", "value.uint", FT_UINT32, BASE_DEC, "Of an unsigned byte, short or int"),
        FIELD(hf_ulong, "Value", "value.ulong", FT_UINT64, BASE_DEC, NULL),
        FIELD(hf_float, "Value", "value.float", FT_FLOAT, BASE_NONE, NULL),
        FIELD(hf_double, "Value", "value.double", FT_DOUBLE, BASE_NONE, NULL),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
