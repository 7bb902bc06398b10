/* summary_channels.h
 * What became of the channels of EPICS and of searches for them, for the summary.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SUMMARY_CHANNELS_H
#define LATENCY_SUMMARY_CHANNELS_H

#include <glib.h>

#include "../core/ca/circuit_protocol.h"
#include "table_source.h"

/* Writes sentences on the capture's channels of a protocol, and returns the table that shows more of them; NULL, and
 * nothing is written, if the capture has none. */
const char *summary_channels_write(const struct table_source *source, const struct circuit_protocol *protocol,
                                   GString *text);

#endif
