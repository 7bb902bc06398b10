/* stages.h
 * A request's stages inside the server's host, where the capture was made there (kernel-stages).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_STAGES_H
#define REPORT_STAGES_H

#include <stdbool.h>

#include "core/points/stage_times.h"
#include "core/stats/describe.h"
#include "members.h"

/* The sums of some requests. */
struct stage_sums {
    uint64_t requests;
    wide parts_ns[PARTS];
};

/* Of the object "stages" of a request. False, and all are -1, if there is none. */
bool stages_read(const struct member *stages, int64_t parts_ns[PARTS]);

void stages_add(struct stage_sums *sums, const int64_t parts_ns[PARTS]);

#endif
