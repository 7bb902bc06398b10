/* preferred_point.h
 * The capture point at which a sender's packets are analysed, so that each counts once.
 *
 * It is the lowest that its packets are known to pass: next to the wire on a host whose stages are captured, else the
 * interface that the capture has first. What is seen at no point below counts where it is seen.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PREFERRED_POINT_H
#define LATENCY_PREFERRED_POINT_H

#include <stdbool.h>
#include <stdint.h>

struct points;
struct process;
struct sighting;

/* Of one sender of a connection. All zero at first. */
struct preferred_point {
    uint64_t passed_over; /* bits of points whose packets pass the preferred_point point too */
    uint16_t point;       /* 0 before the first packet */
};

/* What a connection's sightings say of both of its ends. */
struct connection_points {
    struct preferred_point preferred[2]; /* of what they send */
    const struct process *process[2];    /* that sends; NULL while unknown */
};

/* Whether the sighting, which stands in its path, is the one of its packet that counts. `wanted`: names of points
 * separated by commas, instead; what does not occur in the capture is ignored. */
bool preferred_point_take(struct preferred_point *preferred_point, const struct sighting *sighting,
                          struct points *points, const char *wanted);

#endif
