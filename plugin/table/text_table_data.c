/* text_table_data.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_table_data.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <wsutil/json_dumper.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static char *
column_name(const struct table_column *column, wmem_allocator_t *scope)
{
    static const char *const units[] = {
        [CELL_TIME] = "_ms",     [CELL_STAGE] = "_us",  [CELL_SHARE] = "_percent",
        [CELL_TIMESTAMP] = "_s", [CELL_REQUEST] = NULL,
    };
    const char *unit = units[column->kind];
    return wmem_strdup_printf(scope, "%s%s", column->machine, unit ? unit : "");
}

/* To the last digit that is not 0: nanoseconds are whole, and means of them have three decimals. */
static char *
number_text(wmem_allocator_t *scope, double ns, int unit, int decimals)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
    g_snprintf(format, sizeof format, "%%.%df", decimals);
    g_ascii_formatd(text, sizeof text, format, ns / unit);
    char *end = text + strlen(text);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
    return wmem_strdup(scope, text);
}

/* "" where there is nothing. */
static const char *
value_text(wmem_allocator_t *scope, enum cell_kind kind, union table_cell cell)
{
    switch (kind) {
    case CELL_TEXT:
        return cell.text;
    case CELL_TIME:
        return isnan(cell.number) ? "" : number_text(scope, cell.number, NS_PER_MS, 9);
    case CELL_STAGE:
        return isnan(cell.number) ? "" : number_text(scope, cell.number, NS_PER_US, 6);
    case CELL_SHARE:
        return isnan(cell.number) ? "" : number_text(scope, cell.number, 1, 9);
    case CELL_TIMESTAMP: {
        uint64_t size = (uint64_t)(cell.timestamp_ns < 0 ? -cell.timestamp_ns : cell.timestamp_ns);
        return wmem_strdup_printf(scope, "%s%" PRIu64 ".%09" PRIu64, cell.timestamp_ns < 0 ? "-" : "", size / NS_PER_S,
                                  size % NS_PER_S);
    }
    case CELL_RATIO:
        return isnan(cell.number) ? "" : number_text(scope, cell.number, 1, 9);
    case CELL_FRAME:
        return cell.number > 0 ? wmem_strdup_printf(scope, "%.0f", cell.number) : "";
    default:
        return wmem_strdup_printf(scope, "%.0f", cell.number);
    }
}

/* RFC 4180 quotes; TSV cannot, and has a blank for what separates. */
static void
write_cell(enum table_format format, const char *text, FILE *file)
{
    bool quoted = format == TABLE_CSV && strpbrk(text, ",\"\r\n");
    if (quoted)
        fputc('"', file);
    for (const char *at = text; *at; at++) {
        if (quoted && *at == '"')
            fputc('"', file);
        fputc(format == TABLE_TSV && strchr("\t\r\n", *at) ? ' ' : *at, file);
    }
    if (quoted)
        fputc('"', file);
}

static void
end_cell(const struct text_table *table, unsigned column, FILE *file)
{
    fputc(!table->columns[column + 1].name ? '\n' : table->format == TABLE_TSV ? '\t' : ',', file);
}

void
text_table_data_head(const struct text_table *table, FILE *file)
{
    if (table->format == TABLE_JSON)
        return;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    if (table->follows)
        fputc('\n', file);
    for (unsigned i = 0; table->columns[i].name; i++) {
        write_cell(table->format, column_name(&table->columns[i], scope), file);
        end_cell(table, i, file);
    }
    wmem_destroy_allocator(scope);
}

static void
write_object(const struct text_table *table, const union table_cell *cells, wmem_allocator_t *scope, FILE *file)
{
    json_dumper dumper = { .output_file = file };
    json_dumper_begin_object(&dumper);
    json_dumper_set_member_name(&dumper, "table");
    json_dumper_value_string(&dumper, table->argument);
    for (unsigned i = 0; table->columns[i].name; i++) {
        enum cell_kind kind = table->columns[i].kind;
        const char *text = value_text(scope, kind, cells[i]);
        if (!*text)
            continue;
        json_dumper_set_member_name(&dumper, column_name(&table->columns[i], scope));
        if (kind == CELL_TEXT)
            json_dumper_value_string(&dumper, text);
        else
            json_dumper_value_anyf(&dumper, "%s", text);
    }
    json_dumper_end_object(&dumper);
    json_dumper_finish(&dumper);
}

void
text_table_data_row(const struct text_table *table, unsigned row, wmem_allocator_t *scope, FILE *file)
{
    union table_cell cells[TABLE_COLUMNS_MOST];
    table->fill(table->rows, row, cells, scope);
    if (table->format == TABLE_JSON) {
        write_object(table, cells, scope, file);
        return;
    }
    for (unsigned i = 0; table->columns[i].name; i++) {
        write_cell(table->format, value_text(scope, table->columns[i].kind, cells[i]), file);
        end_cell(table, i, file);
    }
}
