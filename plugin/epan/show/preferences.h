/* preferences.h
 * What the user may set, handed to the intake.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PREFERENCES_H
#define LATENCY_PREFERENCES_H

#include "../../json/export_head.h"

/* To be called once each, when Wireshark registers protocols and hand-offs. */
void preferences_register(int proto);
void preferences_handoff(void);

/* Returns a sentence, to be freed with g_free(), if the program's command line gives a preference of ours a word that
 * it does not take: Wireshark ignores it without one, and what is printed would not be what was asked for. Otherwise
 * NULL. */
char *preferences_refuse(void);

enum json_content preferences_json_content(void);

/* Whether the fields of calls are wanted, and JSON lines about them. */
bool preferences_has_calls(void);
bool preferences_has_json_calls(void);

/* As the user would type them; to be freed with wmem_free(scope, …). */
char *preferences_server_ports(wmem_allocator_t *scope);
char *preferences_full_sizes(wmem_allocator_t *scope);

#endif
