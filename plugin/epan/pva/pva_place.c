/* pva_place.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_place.h"

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

static uint32_t
number_at(const struct pva_place *place, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        return tvb_get_bits8(place->tvb, (unsigned)place->offset * 8, 8);
    case 2:
        return place->encoding == ENC_BIG_ENDIAN ? tvb_get_ntohs(place->tvb, place->offset)
                                                 : tvb_get_letohs(place->tvb, place->offset);
    default:
        return place->encoding == ENC_BIG_ENDIAN ? tvb_get_ntohl(place->tvb, place->offset)
                                                 : tvb_get_letohl(place->tvb, place->offset);
    }
}

uint32_t
pva_place_number(struct pva_place *place, int hf, uint32_t bytes)
{
    uint32_t number = pva_place_has(place, bytes) ? number_at(place, bytes) : 0;
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
