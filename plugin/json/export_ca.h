/* export_ca.h
 * The objects of -z latency,json about Channel Access: channel, search, ca_server, ca_command.
 *
 * What becomes of a channel can turn out after its last message that passes the filter: so records are noted when they
 * come, and read at the end of their capture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_CA_H
#define LATENCY_EXPORT_CA_H

#include "../core/ca/ca_event.h"
#include "../table/table_source.h"
#include "export_line.h"

struct ca_export;

/* All is borrowed. Channels of captures that ended are counted: those that there are rows for, and those without, for
 * their request is not in the capture. */
struct ca_export *ca_export_new(const struct table_source *source, const struct circuit_protocol *protocol,
                                uint64_t *channels, uint64_t *orphans);
void ca_export_free(struct ca_export *export);

/* A packet of the tap "ca"; of another protocol it is nothing. */
void ca_export_take(struct ca_export *export, const struct ca_event *event);

/* The capture's records are about to vanish. Writes its channels, unless `line` is NULL. */
void ca_export_end_capture(struct ca_export *export, struct line *line);

/* Writes what all captures come to; `with_names`: each name searched for, too. */
void ca_export_write(const struct ca_export *export, bool with_names, struct line *line);

#endif
