/* pva_place.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_place.h"

#include <epan/expert.h>

#include "../../core/pva/pva_cursor.h"
#include "../../core/pva/pva_names.h"

int pva_hf_cid, pva_hf_sid, pva_hf_ioid;
static int hf_status, hf_status_message, hf_call_tree;

static expert_field ei_status;

static const value_string status_names[] = {
    { PVA_OK, "OK" },       { PVA_WARNING, "WARNING" }, { PVA_ERROR, "ERROR" },
    { PVA_FATAL, "FATAL" }, { PVA_OK_ALONE, "OK" },     { 0, NULL },
};

bool
pva_place_has(struct pva_place *place, uint32_t bytes)
{
    if (!place->over && (bytes > INT32_MAX || !tvb_bytes_exist(place->tvb, place->offset, (int)bytes)))
        place->over = true;
    return !place->over;
}

proto_item *
pva_place_show(struct pva_place *place, int hf, uint32_t bytes)
{
    if (!pva_place_has(place, bytes))
        return NULL;
    proto_item *item =
        place->tree ? proto_tree_add_item(place->tree, hf, place->tvb, place->offset, (int)bytes, place->encoding)
                    : NULL;
    place->offset += (int)bytes;
    return item;
}

uint64_t
pva_place_bits(const struct pva_place *place, uint32_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        uint32_t at = place->encoding == ENC_BIG_ENDIAN ? i : bytes - 1 - i;
        bits = bits << 8 | tvb_get_bits8(place->tvb, ((unsigned)place->offset + at) * 8, 8);
    }
    return bits;
}

uint32_t
pva_place_number(struct pva_place *place, int hf, uint32_t bytes)
{
    uint32_t number = pva_place_has(place, bytes) ? (uint32_t)pva_place_bits(place, bytes) : 0;
    if (hf > 0)
        pva_place_show(place, hf, bytes);
    else if (!place->over)
        place->offset += (int)bytes;
    return number;
}

uint32_t
pva_place_size(struct pva_place *place)
{
    enum { LONG = 254, NONE = 255 };
    uint32_t first = pva_place_number(place, -1, 1);
    if (first == NONE)
        return UINT32_MAX;
    return first == LONG ? pva_place_number(place, -1, 4) : first;
}

const char *
pva_place_text(struct pva_place *place, int hf)
{
    int start = place->offset;
    uint32_t length = pva_place_size(place);
    if (length == UINT32_MAX)
        length = 0;
    if (!pva_place_has(place, length))
        return "";
    const char *text =
        (const char *)tvb_get_string_enc(place->pinfo->pool, place->tvb, place->offset, (int)length, ENC_UTF_8);
    place->offset += (int)length;
    if (place->tree && hf > 0)
        proto_tree_add_string(place->tree, hf, place->tvb, start, place->offset - start, text);
    return text;
}

bool
pva_place_status(struct pva_place *place)
{
    int at = place->offset;
    uint8_t type = (uint8_t)pva_place_number(place, hf_status, 1);
    if (place->over || type == PVA_OK_ALONE)
        return !place->over;
    const char *message = pva_place_text(place, hf_status_message);
    pva_place_text(place, hf_call_tree);
    if (place->tree && (type == PVA_ERROR || type == PVA_FATAL))
        proto_tree_add_expert_format(place->tree, place->pinfo, &ei_status, place->tvb, at, 1, "%s: %s",
                                     pva_status_name(type), message);
    return type == PVA_OK || type == PVA_WARNING;
}

/* A capture cannot choose keys that collide. */
static unsigned
hash_key(const void *key)
{
    return wmem_strong_hash(key, sizeof(uint64_t));
}

wmem_map_t *
pva_map_new(void)
{
    return wmem_map_new(wmem_file_scope(), hash_key, g_int64_equal);
}

void
pva_place_register(int proto)
{
    static hf_register_info hf[] = {
        PVA_FIELD(pva_hf_cid, "Client channel ID", "cid", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(pva_hf_sid, "Server channel ID", "sid", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(pva_hf_ioid, "Operation ID", "ioid", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(hf_status, "Status", "status", FT_UINT8, BASE_HEX, VALS(status_names), 0, NULL),
        PVA_FIELD(hf_status_message, "Message", "status.message", FT_STRING, BASE_NONE, NULL, 0,
                  "Message of the status"),
        PVA_FIELD(hf_call_tree, "Call tree", "status.call_tree", FT_STRING, BASE_NONE, NULL, 0,
                  "Call tree of the status"),
    };
    static ei_register_info ei[] = {
        { &ei_status, { "pva.status.failed", PI_RESPONSE_CODE, PI_WARN, "The status is an error", EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
