/* preferences.h
 * What the user may set, handed to the intake.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PREFERENCES_H
#define LATENCY_PREFERENCES_H

/* To be called once each, when Wireshark registers protocols and hand-offs. */
void preferences_register(int proto);
void preferences_handoff(void);

#endif
