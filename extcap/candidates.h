/* candidates.h
 * What a stage may be seen by, best first.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "kernel-stages.h"

/* What must be watched. A stage takes one of these or more. */
enum point {
    POINT_GRO,
    POINT_RECEIVE,
    POINT_PRE_ROUTING,
    POINT_LOCAL_IN,
    POINT_PROBE,
    POINT_READY,
    POINT_COPY,
    POINT_ENTER,
    POINT_EXIT,
    POINT_TAKE,
    POINT_LOCAL_OUT,
    POINT_POST_ROUTING,
    POINT_QUEUE,
    POINT_XMIT,
    POINT_STATE,
    POINT_COUNT
};

enum { NOT_NETFILTER = -1, CANDIDATE_PROGRAMS = 2 };

struct candidate {
    enum point point;
    const char *event;
    const char *programs[CANDIDATE_PROGRAMS]; /* all of them, where there is a second */
    int hook;                                 /* of netfilter, or NOT_NETFILTER */
};

extern const struct candidate candidates[];
extern const size_t candidate_count;

/* The points, as bits, that a stage takes; and the one that its time comes from. */
uint32_t points_of(enum stage stage);
enum point point_of(enum stage stage);

#endif
