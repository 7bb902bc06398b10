/* point.h
 * Capture points: interfaces, and the stages of a host that extcap/kernel-stages records as such.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_POINT_H
#define LATENCY_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

#include "../util/vocabulary.h"

/* Where packets on their way between wire and process can be seen; in the order a packet is sent, then received.
 * POINT_OTHER: any other interface. */
enum point_kind {
    POINT_OTHER,
    POINT_CONNECT,
    POINT_APP_SEND,
    POINT_TX_TCP,
    POINT_TX_IP,
    POINT_TX_POST,
    POINT_TX_QUEUE,
    POINT_TX_DRIVER,
    POINT_RX_GRO,
    POINT_RX_DRIVER,
    POINT_RX_IP,
    POINT_RX_LOCAL,
    POINT_RX_TCP,
    POINT_RX_READY,
    POINT_APP_EPOLL,
    POINT_APP_RECV,
    POINT_APP_COPY,
    POINT_APP_RECV_RET,
    POINT_KINDS
};

struct point {
    const char *name;
    enum point_kind kind;
};

struct points;

/* Lives in `scope`, with all it has. */
struct points *points_new(wmem_allocator_t *scope);

/* Number of the point with that name, from 1; a new one if there is none. 0 if there are too many. */
uint16_t points_number(struct points *points, const char *name);
uint16_t points_count(const struct points *points);

const struct point *points_at(const struct points *points, uint16_t number);

/* Of the stages that the capture has on a packet's way in that direction, the one next to the wire; 0 for none. */
uint16_t points_lowest(const struct points *points, enum heading heading);

/* The numbers of all stages below POINTS_IN_SET, a bit each. */
enum { POINTS_IN_SET = 64 };
uint64_t points_stages(const struct points *points);

/* Whether the point's name is one of these, which are separated by commas; and whether that of any point is. Asked for
 * the same names again, the latter looks at new points only. */
bool point_is_named(const struct point *point, const char *names);
bool points_any_named(struct points *points, const char *names);

/* Where a stage stands on a packet's way; unknown for other points. */
enum heading point_heading(enum point_kind kind);

#endif
