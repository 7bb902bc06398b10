/* preferences.h
 * What the user has set: the preferences that latency-scan takes with -o, named as Wireshark's are
 * (docs/preferences.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_PREFERENCES_H
#define SCAN_PREFERENCES_H

#include "core/util/settings.h"
#include "json/export_head.h"
#include "table/table_source.h"

/* To be called first, and last. */
void preferences_begin(void);
void preferences_end(void);

/* "NAME:VALUE". NULL if it was taken; else a sentence that says why not, to be freed with g_free(). */
char *preferences_set(const char *preference);

/* As they are by then; valid until preferences_end(). */
const struct settings *preferences_settings(void);

enum json_content preferences_json_content(void);
/* Whether JSON lines say which request caused which. */
bool preferences_has_json_calls(void);
enum table_format preferences_table_format(void);
/* Whether text has the wide columns, whatever room there is. */
bool preferences_show_wide(void);

/* Whether a datagram with this port is Channel Access. */
bool preferences_is_ca_datagram(uint16_t port);

/* The form of times, as tshark's -t names it; false if it is none. */
bool preferences_set_times(const char *name);

/* What tables ask: addresses, times, preferences as the user would type them. */
const struct source_texts *preferences_texts(void);

#endif
