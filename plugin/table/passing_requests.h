/* passing_requests.h
 * Which requests of a capture a table has been told of: those that its filter passes. Of a table whose rows are made
 * when all of the capture is known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PASSING_REQUESTS_H
#define LATENCY_PASSING_REQUESTS_H

#include "by_number.h"
#include "observer.h"
#include "table_rows.h"

struct passing_requests {
    struct table_rows *rows;
    struct by_number entries; /* by the request's number */
    struct observer observer;
    uint64_t passed; /* of all captures */
    bool has_new;    /* some have not been handed over */
    void (*take_capture)(void *rows);
};

/* Begins without any. take_capture() is called with the rows when the capture's records are about to vanish. All is
 * borrowed until passing_requests_close(); the struct must stay where it is. */
void passing_requests_open(struct passing_requests *passing, struct table_rows *rows, void (*take_capture)(void *rows));
void passing_requests_close(struct passing_requests *passing);

/* Notes the item's request, unless it is left out. */
void passing_requests_take(struct passing_requests *passing, const struct item *item);

/* Whether there are requests of this capture that have not been handed over. */
bool passing_requests_has_new(const struct passing_requests *passing);

/* Hands over the number of each that has not been handed over, in their order. */
void passing_requests_each_new(struct passing_requests *passing, void (*take)(void *rows, uint32_t number));

#endif
