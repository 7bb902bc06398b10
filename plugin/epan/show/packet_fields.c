/* packet_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet_fields.h"

static int hf_spacing = -1;
static int hf_byte_offset = -1;
static int hf_ipid_delta = -1;
static int hf_flags = -1;
static int hf_flags_ipid_gap = -1;
static int hf_flags_out_of_order = -1;
static int hf_flags_retransmission = -1;
static int hf_flags_short = -1;
static int hf_flags_after_short = -1;
static int hf_flags_chunk_boundary = -1;

static void
show_flags(struct view *view, const struct item *item)
{
    const struct {
        uint16_t flag;
        int hf;
        const char *name;
    } flags[] = {
        { ITEM_RETRANSMISSION, hf_flags_retransmission, "retransmission" },
        { ITEM_IPID_GAP, hf_flags_ipid_gap, "IP ID gap" },
        { ITEM_OUT_OF_ORDER, hf_flags_out_of_order, "out of order" },
        { ITEM_SHORT, hf_flags_short, "short" },
        { ITEM_AFTER_SHORT, hf_flags_after_short, "after short" },
        { ITEM_CHUNK_BOUNDARY, hf_flags_chunk_boundary, "chunk boundary" },
    };
    wmem_strbuf_t *names = wmem_strbuf_new(view->pinfo->pool, "");
    for (unsigned i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (!(item->flags & flags[i].flag))
            continue;
        view_add_flag(view, flags[i].hf);
        /* Nearly every message ends with a short one; that of a retransmission is said by the word before. */
        if (flags[i].flag == ITEM_SHORT || (flags[i].flag == ITEM_OUT_OF_ORDER && item->flags & ITEM_RETRANSMISSION))
            continue;
        wmem_strbuf_append_printf(names, "%s%s", wmem_strbuf_get_len(names) ? ", " : "", flags[i].name);
    }
    if (wmem_strbuf_get_len(names))
        view_add_string(view, hf_flags, wmem_strbuf_get_str(names));
}

void
packet_fields_show(struct view *view, const struct item *item)
{
    if (item->flags & ITEM_FIRST)
        return;
    view_add_time(view, hf_spacing, item->spacing_ns);
    if (item->kind != ITEM_HELD)
        view_add_bytes(view, hf_byte_offset, item->byte_offset);
    if (item->flags & ITEM_IPID)
        proto_item_set_generated(proto_tree_add_int(view_tree(view), hf_ipid_delta, view->tvb, 0, 0, item->ipid_delta));
    show_flags(view, item);
}

void
packet_fields_register(int proto)
{
    static hf_register_info hf[] = {
        TIME_FIELD(hf_spacing, "Spacing", "latency.spacing",
                   "Since the previous frame with payload of the same request or response"),
        BYTES_FIELD(hf_byte_offset, "Byte offset", "latency.byte_offset",
                    "From the first byte of the request or response to the end of this frame"),
        { &hf_ipid_delta,
          { "IP ID delta", "latency.ipid.delta", FT_INT16, BASE_DEC, NULL, 0, "IP ID minus the expected one", HFILL } },
        TEXT_FIELD(hf_flags, "Flags", "latency.flags",
                   "The names of the flags that are set, except latency.flags.short"),
        FLAG_FIELD(hf_flags_ipid_gap, "IP ID gap", "latency.flags.ipid_gap",
                   "IP IDs of this sender are missing before this frame: packets were not captured"),
        FLAG_FIELD(hf_flags_out_of_order, "Out of order", "latency.flags.out_of_order",
                   "Does not begin at the next expected sequence number"),
        FLAG_FIELD(hf_flags_retransmission, "Retransmission", "latency.flags.retransmission",
                   "All of its bytes were seen before"),
        FLAG_FIELD(hf_flags_short, "Short", "latency.flags.short", "Smaller than a full segment"),
        FLAG_FIELD(hf_flags_after_short, "After short", "latency.flags.after_short",
                   "The previous frame with payload was short: the sender had no more data"),
        FLAG_FIELD(hf_flags_chunk_boundary, "Chunk boundary", "latency.flags.chunk_boundary",
                   "Begins at a multiple of the chunk size"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
