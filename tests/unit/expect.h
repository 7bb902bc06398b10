/* expect.h
 * The `?` lines of a scenario: what the core has to say about the segment before them. README.md has the keys.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdbool.h>

#include "core/analysis.h"
#include "scenario.h"

/* Checks the expectations of a segment that was taken as `frame`, and fails the test where they are not met.
 * Before `at_end` only those that can be known when the frame is taken. `name`: of the scenario file. */
void expect_check(const struct analysis *analysis, const struct scenario_segment *segment, uint32_t frame, bool at_end,
                  const char *name);

#endif
