/* fuzz-frames.c
 * Whole captures made of the fuzzer's bytes: frames of any link layer go through decap to the core and into every
 * table.
 *
 * Input: a byte that chooses the link layer; then for each frame a byte of time, two of its captured length, two of
 * what it had more on the wire, and its bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "preferences.h"
#include "scan.h"
#include "table/table.h"
#include "texts.h"

enum { HEAD_BYTES = 5, NS_A_TICK = 1000000 };

static const int links[] = {
    WTAP_ENCAP_ETHERNET, WTAP_ENCAP_RAW_IP, WTAP_ENCAP_NULL,      WTAP_ENCAP_LOOP,  WTAP_ENCAP_SLL,
    WTAP_ENCAP_SLL2,     WTAP_ENCAP_PPP,    WTAP_ENCAP_PPP_ETHER, WTAP_ENCAP_CHDLC, WTAP_ENCAP_PKTAP,
};

struct shown {
    const struct table_definition *definition;
    void *rows;
};

static void
take_item(void *data, const struct item *item, uint32_t frame G_GNUC_UNUSED)
{
    const struct shown *shown = data;
    shown->definition->take(shown->rows, item);
}

static void
take_event(void *data, const struct ca_event *event)
{
    const struct shown *shown = data;
    shown->definition->take(shown->rows, event);
}

/* No time is negative. */
static void
check_row(const struct shown *shown, unsigned row, wmem_allocator_t *scope)
{
    const struct table_definition *definition = shown->definition;
    union table_cell cells[definition->n_columns];
    definition->fill(shown->rows, row, cells, scope);
    for (unsigned i = 0; i < definition->n_columns; i++) {
        enum cell_kind kind = definition->columns[i].kind;
        if ((kind == CELL_TIME || kind == CELL_STAGE) && cells[i].number < 0)
            abort();
    }
}

static void
finish_table(struct shown *shown, const struct scan *scan, const struct table_source *source)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    GString *notes = table_notes(shown->definition, shown->rows, source, NULL);
    scan_describe(scan, notes);
    g_string_free(notes, TRUE);
    for (unsigned row = 0; row < shown->definition->count(shown->rows); row++) {
        check_row(shown, row, scope);
        wmem_free_all(scope);
    }
    shown->definition->close(shown->rows);
    wmem_destroy_allocator(scope);
}

static void
take_frames(struct scan *scan, const uint8_t *data, size_t size, int encapsulation)
{
    int64_t now_ns = 0;
    while (size >= HEAD_BYTES) {
        uint32_t captured = (uint32_t)MIN((size_t)(data[1] << 8 | data[2]), size - HEAD_BYTES);
        wtap_rec rec = { .rec_type = REC_TYPE_PACKET, .presence_flags = WTAP_HAS_TS };
        rec.rec_header.packet_header.pkt_encap = encapsulation;
        now_ns += (int64_t)(int8_t)data[0] * NS_A_TICK;
        uint8_t *bytes = g_memdup2(data + HEAD_BYTES, captured); /* of its own length, for AddressSanitizer */
        const struct frame frame = {
            .rec = &rec,
            .bytes = bytes,
            .captured = captured,
            .reported = captured + (uint32_t)(data[3] << 8 | data[4]),
            .encapsulation = encapsulation,
            .has_time = true,
            .time_ns = now_ns,
        };
        scan_take(scan, &frame);
        g_free(bytes);
        data += HEAD_BYTES + captured;
        size -= HEAD_BYTES + captured;
    }
}

const char *
reading_interface_name(void *file G_GNUC_UNUSED, uint32_t interface G_GNUC_UNUSED, uint32_t section G_GNUC_UNUSED)
{
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct settings *settings;
    if (!settings) {
        wmem_init();
        wtap_init(FALSE);
        preferences_begin();
        settings = preferences_settings();
    }
    if (size == 0)
        return 0;
    struct scan *scan = scan_new(settings, texts());
    GArray *tables = g_array_new(FALSE, FALSE, sizeof(struct shown));
    for (const struct table_definition *const *each = table_definitions; *each; each++) {
        struct shown shown = { *each, (*each)->open(scan_source(scan)) };
        g_array_append_val(tables, shown);
    }
    for (unsigned i = 0; i < tables->len; i++) {
        struct shown *shown = &g_array_index(tables, struct shown, i);
        bool events = shown->definition->takes_events;
        scan_listen(scan, &(struct listener){ shown, events ? NULL : take_item, events ? take_event : NULL, false });
    }
    take_frames(scan, data + 1, size - 1, links[data[0] % G_N_ELEMENTS(links)]);
    scan_end(scan);
    for (unsigned i = 0; i < tables->len; i++)
        finish_table(&g_array_index(tables, struct shown, i), scan, scan_source(scan));
    g_array_free(tables, TRUE);
    scan_free(scan);
    return 0;
}
