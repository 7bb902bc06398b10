/* texts.h
 * What tables ask of latency-scan: addresses, times, preferences.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_TEXTS_H
#define SCAN_TEXTS_H

#include <stdbool.h>

#include "table/table_source.h"

const struct source_texts *texts(void);

/* The form of times, as tshark's -t names it; false if it is none. */
bool texts_set_times(const char *name);

#endif
