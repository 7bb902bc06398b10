/* scenario-settings.h
 * The `!` lines of a scenario.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCENARIO_SETTINGS_H
#define SCENARIO_SETTINGS_H

#include "core/util/settings.h"
#include "scenario.h"

/* What the `!` lines say; else the defaults, no registered port and no timeout. False, with the reason in
 * `error` (free with g_free), if a line is wrong. There is one set of lists: it holds until the next call. */
bool scenario_settings(const struct scenario *scenario, struct settings *settings, char **error);

#endif
