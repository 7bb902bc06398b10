/* operation_number.h
 * A number for what a request asks for, as -z latency,operations tells it from others: Wireshark's own table of
 * response times makes filters of nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OPERATION_NUMBER_H
#define LATENCY_OPERATION_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct items;
struct request;

enum { OPERATION_NUMBERS = 10000 };

/* To be called while protocols are registered. */
void operation_number_register(void);

/* Somebody will ask for numbers without a tree. */
void operation_numbers_want(void);

/* The requests of a frame that is visited for the first time get their numbers, those of frames that were held before
 * its own: what is looked at first later changes none. What an end makes known gets its numbers with that. `is_asked`:
 * the frame's own are asked for, or frames are visited again; otherwise it is left to operation_numbers_want(). */
void operation_numbers_take(struct items *items, uint32_t frame, bool is_asked);

/* From 1, in the order of the first calls of a capture; 0 for what comes after OPERATION_NUMBERS others. `name`: valid
 * as long as the capture; NULL if it is not wanted. */
unsigned operation_number(const struct request *request, const char **name);

#endif
