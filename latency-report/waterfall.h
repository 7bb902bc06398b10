/* waterfall.h
 * The slowest requests that no other one caused, each with those that it caused, and these in turn: rows of bars, by
 * the rules of -z latency,trees (table/call_branches.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_WATERFALL_H
#define REPORT_WATERFALL_H

#include "json/call_links.h"

enum { WATERFALLS = 5 };

/* A stretch of time, from the moment at which the whole began. */
struct stretch {
    int64_t from_ns, until_ns;
};

/* A request, or all of one operation that call nobody, or how many are left out here. */
struct waterfall_row {
    unsigned depth;
    uint64_t left_out;      /* if it is not 0, there is nothing else */
    uint32_t operation;     /* row of struct request_figures */
    uint32_t number, frame; /* of the first of them */
    uint32_t count;
    int64_t time_ns; /* of all; -1: not known */
    int64_t own_ns;  /* without the calls; -1: not known */
    struct stretch whole;
    GArray *own; /* of struct stretch: when no call was under way; those that are near are one */
    uint8_t rule, probability, outcome;
    bool is_critical, failed;
};

struct waterfall {
    int64_t begin_ns, wait_ns;
    unsigned file;
    GArray *rows; /* of struct waterfall_row */
};

/* Returns an empty list of struct waterfall, to be freed with g_ptr_array_free(). */
GPtrArray *waterfalls_new(void);

/* Adds the slowest of a file, after call_links_join(); the list keeps the slowest of all, and has them first. */
void waterfalls_take(GPtrArray *waterfalls, const struct call_links *links, unsigned file);

#endif
