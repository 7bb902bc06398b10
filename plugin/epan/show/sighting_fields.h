/* sighting_fields.h
 * Fields of a packet seen at several capture points: latency.stage, latency.path.*, latency.process.*
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SIGHTING_FIELDS_H
#define LATENCY_SIGHTING_FIELDS_H

#include "../../core/points/path.h"
#include "../view.h"

/* To be called once, when Wireshark registers protocols. */
void sighting_fields_register(int proto);

void sighting_fields_show(struct view *view, const struct sighting *sighting);

#endif
