/* decrypted.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "decrypted.h"

#include <epan/follow.h>
#include <epan/proto_data.h>

#include "../../compat.h"

static int proto_tcp, proto_tls;
static tap_packet_cb read_records; /* NULL: nothing is ever decrypted */
static GByteArray *bytes;
static GArray *lengths; /* of uint32_t */

/* Wireshark shows each decrypted record, be it the handshake's, as a source of data of its own. The first is the frame.
 */
static bool
is_any_decrypted(const packet_info *pinfo)
{
    bool any = false;
    for (const GSList *source = g_slist_next(pinfo->data_src); source && !any; source = source->next) {
        char *text = compat_source_text(source->data);
        any = g_str_has_prefix(text, "Decrypted TLS");
        wmem_free(NULL, text);
    }
    return any;
}

static unsigned
count_layers(const packet_info *pinfo, int proto)
{
    unsigned count = 0;
    for (wmem_list_frame_t *each = wmem_list_head(pinfo->layers); each; each = wmem_list_frame_next(each))
        count += GPOINTER_TO_INT(wmem_list_frame_data(each)) == proto;
    return count;
}

/* The list has the last record first. */
static void
take_records(GList *record, struct decrypted *decrypted)
{
    for (record = g_list_last(record); record; record = record->prev) {
        const GByteArray *data = ((const follow_record_t *)record->data)->data;
        g_byte_array_append(bytes, data->data, data->len);
        g_array_append_val(lengths, data->len);
        decrypted->records++;
    }
}

static void
free_record(void *data)
{
    follow_record_t *record = data;
    g_byte_array_free(record->data, TRUE);
    g_free(record);
}

struct decrypted
decrypted_read(packet_info *pinfo)
{
    struct decrypted decrypted = { 0 };
    if (!read_records || pinfo->srcport == 0 || !is_any_decrypted(pinfo) || count_layers(pinfo, proto_tcp) != 1)
        return decrypted;
    decrypted.any = true;
    /* The records stand under the number of the layer: 0 in all of Wireshark 4.0, later from 1 on. Nobody hands them to
     * who is no tap: docs/upstream/decrypted-records.patch would. */
    const unsigned layers = count_layers(pinfo, proto_tls);
    if (!bytes) {
        bytes = g_byte_array_new();
        lengths = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    }
    g_byte_array_set_size(bytes, 0);
    g_array_set_size(lengths, 0);
    for (unsigned layer = 0; layer <= layers; layer++) {
        const void *records = p_get_proto_data(wmem_file_scope(), pinfo, proto_tls, layer);
        /* The sender is who it would be followed from: nothing is copied for that. */
        follow_info_t follow = { .client_port = pinfo->srcport, .client_ip = pinfo->src };
        if (!records)
            continue;
        read_records(&follow, pinfo, NULL, records, 0);
        take_records(follow.payload, &decrypted);
        g_list_free_full(follow.payload, free_record);
    }
    decrypted.length = bytes->len;
    decrypted.bytes = bytes->data;
    decrypted.lengths = (const uint32_t *)(void *)lengths->data;
    return decrypted;
}

void
decrypted_quic_each(const packet_info *pinfo, unsigned known,
                    void (*take)(struct reader *reader, const uint8_t *frames, size_t length), struct reader *reader)
{
    for (GSList *each = g_slist_nth(pinfo->data_src, known); each; each = each->next) {
        struct data_source *source = each->data;
        tvbuff_t *frames = get_data_source_tvb(source);
        char *text = compat_source_text(source);
        const unsigned length = tvb_captured_length(frames);
        if (g_str_has_prefix(text, "Decrypted QUIC") && length > 0)
            take(reader, tvb_get_ptr(frames, 0, (int)length), length);
        wmem_free(NULL, text);
    }
}

void
decrypted_handoff(void)
{
    register_follow_t *follower = get_follow_by_name("TLS");
    proto_tcp = proto_get_id_by_filter_name("tcp");
    proto_tls = proto_get_id_by_filter_name("tls");
    read_records = follower && proto_tls > 0 ? get_follow_tap_handler(follower) : NULL;
}
