/* stat_cells.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat_cells.h"

#include <math.h>
#include <string.h>

#include <epan/packet.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000, BYTES_PER_KB = 1000 };

/* A cell's text of its own, as long as "latency.request == 4294967295"; numbers are filled up to their width, which
 * beside the head of a window's first column leaves room for the arrow of what is sorted. */
enum { TEXT_ROOM = 32, NUMBER_WIDTH = 14, FRAME_WIDTH = 10, RANK_WIDTH = 6 };

static const struct {
    stat_tap_table_item_enum type, in_window;
    const char *unit;
    const char *format, *format_in_window;
} kinds[] = {
    [CELL_TEXT] = { TABLE_ITEM_STRING, TABLE_ITEM_STRING, "", "%s", "%s" },
    [CELL_COUNT] = { TABLE_ITEM_UINT, TABLE_ITEM_UINT, "", "%u", "%u" },
    [CELL_NUMBER] = { TABLE_ITEM_UINT, TABLE_ITEM_UINT, "", "%u", "%u" },
    [CELL_RATIO] = { TABLE_ITEM_FLOAT, TABLE_ITEM_STRING, "", "%f", "%s" },
    [CELL_BYTES] = { TABLE_ITEM_FLOAT, TABLE_ITEM_STRING, " (kB)", "%f", "%s" },
    [CELL_TIME] = { TABLE_ITEM_FLOAT, TABLE_ITEM_STRING, " (ms)", "%f", "%s" },
    [CELL_STAGE] = { TABLE_ITEM_FLOAT, TABLE_ITEM_STRING, " (µs)", "%f", "%s" },
    [CELL_SHARE] = { TABLE_ITEM_FLOAT, TABLE_ITEM_STRING, " %", "%f", "%s" },
    [CELL_TIMESTAMP] = { TABLE_ITEM_FLOAT, TABLE_ITEM_FLOAT, " (s)", "%f", "%.6f" },
    [CELL_FRAME] = { TABLE_ITEM_UINT, TABLE_ITEM_STRING, "", "%u", "%s" },
    [CELL_REQUEST] = { TABLE_ITEM_UINT, TABLE_ITEM_STRING, "", "%u", "%s" },
};

static bool is_graphical;

static bool has_late = true;

void
stat_cells_set_graphical(bool graphical)
{
    is_graphical = graphical;
}

void
stat_cells_set_late(bool late)
{
    has_late = late;
}

static bool
has_rank(const struct table_definition *definition)
{
    return is_graphical && definition->is_ranked;
}

unsigned
stat_cells_count(const struct table_definition *definition)
{
    return table_columns_count(definition->columns) + (has_rank(definition) ? 1 : 0);
}

/* Where a column of the definition stands, but for the rank and for the share, which is behind others still. */
static unsigned
place_unshared(const struct table_definition *definition, unsigned column)
{
    unsigned n = table_columns_count(definition->columns), late = definition->late_at,
             behind = late + definition->n_late;
    if (!is_graphical)
        return column;
    if (has_late && definition->n_late > 0 && column >= late)
        return column < behind ? n - behind + column : column - definition->n_late;
    if (definition->last_at == 0 || column < definition->last_at)
        return column;
    return column == n - 1 ? definition->last_at : column + 1;
}

/* Returns the column with the share of all waiting, which a window shows at its first width; the number of columns if
 * there is none. */
static unsigned
share_of(const struct table_definition *definition)
{
    unsigned column = 0;
    while (definition->columns[column].name && definition->columns[column].kind != CELL_SHARE)
        column++;
    return column;
}

/* Where a column of the definition stands, but for the rank: in a window the share stands behind what rows are of. */
static unsigned
place_among(const struct table_definition *definition, unsigned column)
{
    const unsigned place = place_unshared(definition, column), share = share_of(definition);
    if (!is_graphical || !definition->columns[share].name)
        return place;
    const unsigned from = place_unshared(definition, share), to = definition->last_at + 1;
    if (column == share)
        return MIN(from, to);
    return place >= to && place < from ? place + 1 : place;
}

static unsigned
place_of(const struct table_definition *definition, unsigned column)
{
    return place_among(definition, column) + (has_rank(definition) ? 1 : 0);
}

static stat_tap_table_item_enum
type_of(enum cell_kind kind)
{
    return is_graphical ? kinds[kind].in_window : kinds[kind].type;
}

static const char *
head_text(const struct table_column *column)
{
    const char *name = is_graphical && column->kind == CELL_REQUEST ? "Filter" : column->name;
    return wmem_strdup_printf(wmem_epan_scope(), "%s%s", name, kinds[column->kind].unit);
}

stat_tap_table_item *
stat_cells_heads(const struct table_definition *definition, bool late)
{
    stat_tap_table_item *heads = wmem_alloc_array(wmem_epan_scope(), stat_tap_table_item, stat_cells_count(definition));
    const bool is_late = has_late;
    has_late = late;
    if (has_rank(definition))
        heads[0] = (stat_tap_table_item){ TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Rank", "%s" };
    for (unsigned i = 0; definition->columns[i].name; i++) {
        enum cell_kind kind = definition->columns[i].kind;
        bool left = kind == CELL_TEXT || (is_graphical && kind == CELL_REQUEST);
        heads[place_of(definition, i)] = (stat_tap_table_item){
            .type = type_of(kind),
            .align = left ? TAP_ALIGN_LEFT : TAP_ALIGN_RIGHT,
            .column_name = head_text(&definition->columns[i]),
            .field_format = is_graphical ? kinds[kind].format_in_window : kinds[kind].format,
        };
    }
    has_late = is_late;
    return heads;
}

/* Behind the row's items stands a text for each. */
static char *
own_text(const struct table_definition *definition, stat_tap_table_item_type *items, unsigned place)
{
    return (char *)(items + stat_cells_count(definition)) + (size_t)place * TEXT_ROOM;
}

stat_tap_table_item_type *
stat_cells_new(const struct table_definition *definition)
{
    unsigned n = stat_cells_count(definition);
    stat_tap_table_item_type *items =
        g_malloc0(n * (sizeof(stat_tap_table_item_type) + (is_graphical ? (size_t)TEXT_ROOM : 0)));
    if (has_rank(definition))
        stat_cells_set_rank(definition, items, RANK_NONE);
    return items;
}

static void
write_filled(char *text, double number, const char *format)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    *text = '\0';
    if (!isnan(number))
        g_snprintf(text, TEXT_ROOM, "%*s", NUMBER_WIDTH, g_ascii_formatd(digits, sizeof digits, format, number));
}

/* Returns a time, bytes or a share in the unit of its column's head. */
static double
in_unit(enum cell_kind kind, double number)
{
    if (kind == CELL_BYTES)
        return number / BYTES_PER_KB;
    if (kind == CELL_SHARE || kind == CELL_RATIO)
        return number;
    return number / (kind == CELL_TIME ? NS_PER_MS : NS_PER_US);
}

static void
write_text(enum cell_kind kind, char *text, union table_cell cell)
{
    if (kind == CELL_TIME || kind == CELL_STAGE || kind == CELL_BYTES)
        write_filled(text, in_unit(kind, cell.number), "%.3f");
    else if (kind == CELL_SHARE)
        write_filled(text, cell.number, "%.1f");
    else if (kind == CELL_RATIO)
        write_filled(text, cell.number, "%.2f");
    else if (kind == CELL_REQUEST)
        g_snprintf(text, TEXT_ROOM, "latency.request == %.0f", cell.number);
    else if (cell.number > 0)
        g_snprintf(text, TEXT_ROOM, "%*.0f", FRAME_WIDTH, cell.number);
    else
        *text = '\0';
}

/* sharkd's JSON knows no infinity: what there is not is of no type there. But of a row whose first cell is of none it
 * shows nothing: a frame that there is not is 0 there. */
static void
write_number(enum cell_kind kind, stat_tap_table_item_type *item, bool is_first, union table_cell cell,
             int64_t start_ns)
{
    bool absent = isnan(cell.number) || (kind == CELL_FRAME && cell.number == 0 && !is_first);
    if (kind == CELL_TIMESTAMP)
        item->value.float_value = (double)(cell.timestamp_ns - start_ns) / NS_PER_S;
    else if (absent)
        item->type = TABLE_ITEM_NONE;
    else if (item->type == TABLE_ITEM_UINT)
        item->value.uint_value = (unsigned)MIN(cell.number, UINT32_MAX);
    else
        item->value.float_value = in_unit(kind, cell.number);
}

static void
write_cell(const struct table_definition *definition, stat_tap_table_item_type *items, unsigned place,
           enum cell_kind kind, union table_cell cell, int64_t start_ns)
{
    stat_tap_table_item_type *item = &items[place];
    item->type = type_of(kind);
    if (item->type != TABLE_ITEM_STRING) {
        write_number(kind, item, place == 0, cell, start_ns);
        return;
    }
    write_text(kind, own_text(definition, items, place), cell);
    item->value.string_value = own_text(definition, items, place);
    item->user_data.float_value = cell.number;
}

void
stat_cells_set_share(const struct table_definition *definition, stat_tap_table_item_type *items, double share)
{
    for (unsigned i = 0; definition->columns[i].name; i++)
        if (definition->columns[i].kind == CELL_SHARE)
            write_cell(definition, items, place_of(definition, i), CELL_SHARE, (union table_cell){ .number = share },
                       0);
}

void
stat_cells_write(const struct table_definition *definition, stat_tap_table_item_type *items,
                 const union table_cell *cells, GStringChunk *texts, int64_t start_ns)
{
    for (unsigned i = 0; definition->columns[i].name; i++) {
        enum cell_kind kind = definition->columns[i].kind;
        unsigned place = place_of(definition, i);
        stat_tap_table_item_type *item = &items[place];
        if (kind == CELL_TEXT) {
            item->type = type_of(kind);
            item->value.string_value = g_string_chunk_insert_const(texts, cells[i].text);
            if (!*cells[i].text && !is_graphical)
                item->type = TABLE_ITEM_NONE;
        } else {
            write_cell(definition, items, place, kind, cells[i], start_ns);
        }
    }
}

bool
stat_cells_write_note(const struct table_definition *definition, stat_tap_table_item_type *items, const char *text)
{
    bool written = false;
    for (unsigned i = 0; definition->columns[i].name; i++) {
        stat_tap_table_item_type *item = &items[place_of(definition, i)];
        bool here = !written && definition->columns[i].kind == CELL_TEXT;
        *item = (stat_tap_table_item_type){ .type = type_of(definition->columns[i].kind) };
        if (item->type == TABLE_ITEM_STRING)
            item->value.string_value = here ? text : "";
        written |= here;
    }
    return written;
}

void
stat_cells_write_absence(const struct table_definition *definition, stat_tap_table_item_type *items, const char *text)
{
    const unsigned n = stat_cells_count(definition);
    unsigned first = 0;
    for (unsigned i = 0; i < n; i++)
        items[i] = (stat_tap_table_item_type){ .type = TABLE_ITEM_STRING, .value.string_value = "" };
    while (definition->columns[first].name && definition->columns[first].kind != CELL_TEXT)
        first++;
    items[definition->columns[first].name ? place_of(definition, first) : 0].value.string_value = text;
}

void
stat_cells_set_rank(const struct table_definition *definition, stat_tap_table_item_type *items, unsigned rank)
{
    if (!has_rank(definition))
        return;
    char *text = own_text(definition, items, 0);
    *text = '\0';
    if (rank != RANK_NONE)
        g_snprintf(text, TEXT_ROOM, "%*u", RANK_WIDTH, rank);
    items[0] = (stat_tap_table_item_type){ .type = TABLE_ITEM_STRING, .value.string_value = text };
}

void
stat_cells_add(const struct table_definition *definition, stat_tap_table_item_type *sum,
               const stat_tap_table_item_type *items)
{
    for (unsigned i = 0; definition->columns[i].name; i++) {
        unsigned place = place_of(definition, i);
        if (definition->columns[i].kind == CELL_COUNT)
            sum[place].value.uint_value =
                (unsigned)MIN((uint64_t)sum[place].value.uint_value + items[place].value.uint_value, UINT32_MAX);
        if (definition->columns[i].kind == CELL_BYTES) {
            sum[place].user_data.float_value += items[place].user_data.float_value;
            write_filled(own_text(definition, sum, place), in_unit(CELL_BYTES, sum[place].user_data.float_value),
                         "%.3f");
            sum[place].value.string_value = own_text(definition, sum, place);
        }
    }
}
