/* pva_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_ids.h"

#include <epan/expert.h>

#include "../../core/pva/pva_cursor.h"
#include "../../core/pva/pva_names.h"
#include "pva_register.h"

static int hf_cid = -1;
static int hf_sid = -1;
static int hf_ioid = -1;
static int hf_status = -1;
static int hf_status_message = -1;
static int hf_call_tree = -1;

static expert_field ei_status;

static const value_string status_names[] = {
    { PVA_OK, "OK" },       { PVA_WARNING, "WARNING" }, { PVA_ERROR, "ERROR" },
    { PVA_FATAL, "FATAL" }, { PVA_OK_ALONE, "OK" },     { 0, NULL },
};

uint32_t
pva_show_cid(struct pva_place *place)
{
    return pva_place_number(place, hf_cid, 4);
}

uint32_t
pva_show_sid(struct pva_place *place)
{
    return pva_place_number(place, hf_sid, 4);
}

uint32_t
pva_show_ioid(struct pva_place *place)
{
    return pva_place_number(place, hf_ioid, 4);
}

bool
pva_show_status(struct pva_place *place)
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

#define FIELD(id, name, abbreviation, type, base, strings, blurb)                                                      \
    PVA_FIELD(id, name, abbreviation, type, base, strings, 0, blurb)

void
pva_ids_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_cid, "Client channel ID", "cid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_sid, "Server channel ID", "sid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_ioid, "Operation ID", "ioid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_status, "Status", "status", FT_UINT8, BASE_HEX, VALS(status_names), NULL),
        FIELD(hf_status_message, "Message", "status.message", FT_STRING, BASE_NONE, NULL, "Of the status"),
        FIELD(hf_call_tree, "Call tree", "status.call_tree", FT_STRING, BASE_NONE, NULL, "Of the status"),
    };
    static ei_register_info ei[] = {
        { &ei_status, { "pva.status.failed", PI_RESPONSE_CODE, PI_WARN, "The status is an error", EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
