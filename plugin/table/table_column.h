/* table_column.h
 * A column of a table. What text, CSV, TSV, JSON, Wireshark's windows and sharkd need of it stands in one place.
 *
 * A table lists its columns as X(ID, KIND, NAME, MACHINE, …), in which "…" may set other members of the struct.
 * TABLE_COLUMNS() makes of the list the array, and of the IDs an enum of the places in a row of cells.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TABLE_COLUMN_H
#define LATENCY_TABLE_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/stats/describe.h"

enum { TABLE_COLUMNS_MOST = 24 };

/* COUNT and BYTES of several rows can be added up. */
enum cell_kind {
    CELL_TEXT, /* "" if there is nothing to say */
    CELL_COUNT,
    CELL_NUMBER, /* a whole number that is no count, or that other rows count, too */
    CELL_RATIO,  /* a number with decimals */
    CELL_BYTES,
    CELL_TIME,      /* a duration in nanoseconds; NAN if there is none */
    CELL_STAGE,     /* likewise, shown in microseconds */
    CELL_SHARE,     /* a percentage of all rows; NAN if there is none */
    CELL_TIMESTAMP, /* nanoseconds since 1970 */
    CELL_FRAME,     /* a frame's number; 0 if there is none */
    CELL_REQUEST    /* a request's number; in Wireshark's window, the display filter for it */
};

struct table_column {
    enum cell_kind kind;
    const char *name;    /* in Wireshark's windows and sharkd */
    const char *machine; /* in CSV, TSV and JSON, without its unit: docs/json.md's member, where one means the same */
    const char *head;    /* in text; NULL: `name` */
    bool wide;           /* in text only where there is room for all columns, or the user asks for them */
    bool is_sum;         /* a time of several together, or a deviation: never slow */
    bool is_wait;        /* a time that is slow only where a client waits for it, as the cell says (is_awaited) */
    bool shrinks;        /* an operation, in text shortened to what room there is: together with its server, which is
                          * the column before, where that is not shown (text_shortened.h) */
    bool alarms;         /* a count of what went wrong, or a text that can say it (is_bad) */
    uint8_t usual;       /* its width in text where rows are printed as they come; 0: that of its kind */
    uint8_t least;       /* a percentile of fewer values than this says nothing, in text */
};

union table_cell {
    struct {
        const char *text;
        bool is_bad; /* where the column alarms */
    };
    struct {
        double number;
        uint64_t of;     /* so many values, where the column has a least number of them */
        bool is_awaited; /* where the column is_wait */
    };
    int64_t timestamp_ns;
};

#define COLUMN_ID(id, ...)                    id,
#define COLUMN_DEFINITION(id, of, shown, ...) { .kind = CELL_##of, .name = shown, .machine = __VA_ARGS__ },

/* `columns` ends with one without a name. */
#define TABLE_COLUMNS(columns, LIST)                                                                                   \
    const struct table_column columns[] = { LIST(COLUMN_DEFINITION){ .name = NULL } };                                 \
    enum { LIST(COLUMN_ID) columns##_count };                                                                          \
    _Static_assert((unsigned)columns##_count <= TABLE_COLUMNS_MOST, "rows have room for so many cells")

/* How many there are before the one without a name. */
unsigned table_columns_count(const struct table_column *columns);

/* Returns the heading in text. */
const char *table_column_head(const struct table_column *column);

/* Say from how many values on text shows p95 and p99: of fewer they are hardly less than the greatest. */
enum { P95_LEAST = 20, P99_LEAST = 100 };

/* The columns of a sample's statistics, in the order of pandas' describe(). */
#define DESCRIPTION_COLUMNS(X, KIND)                                                                                   \
    X(MEAN, KIND, "Mean", "mean")                                                                                      \
    X(STD, KIND, "Std", "std", .wide = true, .is_sum = true)                                                           \
    X(MIN_TIME, KIND, "Min", "min", .wide = true)                                                                      \
    X(P25, KIND, "p25", "p25", .wide = true)                                                                           \
    X(P50, KIND, "p50", "p50")                                                                                         \
    X(P75, KIND, "p75", "p75", .wide = true)                                                                           \
    X(P95, KIND, "p95", "p95", .least = P95_LEAST)                                                                     \
    X(P99, KIND, "p99", "p99", .least = P99_LEAST)                                                                     \
    X(MAX_TIME, KIND, "Max", "max")

/* Fills the cells of these columns, from MEAN on. */
void description_cells_fill(union table_cell *cells, const struct description *description);

#endif
