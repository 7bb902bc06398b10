/* ca_values.h
 * The preference "values" of Channel Access and pvAccess: how many values of an array are shown.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_VALUES_H
#define LATENCY_CA_VALUES_H

#include "ca_reader.h"

unsigned ca_values_shown(const struct ca_dissector *dissector);

/* After the dissector's protocol. */
void ca_values_register(const struct ca_dissector *dissector);

#endif
