/* source_texts.h
 * What tables ask of Wireshark: addresses, times, preferences, as its user wants them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SOURCE_TEXTS_H
#define LATENCY_SOURCE_TEXTS_H

/* To be called once, when Wireshark registers protocols. */
void source_texts_register(void);

#endif
