/* call_branches.h
 * Which of the requests that one caused, and these in turn, are shown below it: those on the critical path first, then
 * the longest; those of one operation that call nobody as one; of too many it is said how many are left out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALL_BRANCHES_H
#define LATENCY_CALL_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/* A request of a tree. */
struct tree_request {
    int64_t begin_ns, until_ns; /* how long its client waited for it */
    uint32_t operation;
    uint8_t rule, probability; /* how its cause is known: enum call_rule, in percent */
    bool failed, calls;        /* it calls others */
};

/* One row: a request, or all of one operation that call nobody, and that one request caused. */
struct call_branch {
    GArray *numbers;           /* of them, uint32_t, in the order in which they began */
    int64_t time_ns;           /* of all */
    uint8_t rule, probability; /* of the least certain */
    bool is_critical, is_leaf, failed;
};

/* Whose requests these are, by numbers which grow as they begin, and who shows them. */
struct call_branches {
    struct tree_request (*request)(const void *data, uint32_t number);
    void (*add_calls)(const void *data, uint32_t number, GArray *numbers); /* in the order in which they began */
    void (*show)(void *data, const struct call_branch *branch, unsigned depth);
    void (*leave_out)(void *data, uint64_t requests, unsigned depth);
    void *data;
    unsigned rows, rows_most; /* shown, and how many there may be; more are not shown but for those left out */
};

/* The first of a branch. */
uint32_t call_branch_number(const struct call_branch *branch);

/* Shows the request with this number, and what is below it. */
void call_branches_show(struct call_branches *branches, uint32_t number);

#endif
