/* two_passes.h
 * Fields that a program which reads the capture once cannot have: what is asked of them is said at the end, where
 * otherwise nothing would be printed without a reason.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TWO_PASSES_H
#define LATENCY_TWO_PASSES_H

/* To be called when Wireshark registers protocols. */
void two_passes_register(void);

/* To be called while a frame is dissected by a program that reads the capture once: which of the fields somebody asks
 * for does not change from frame to frame. */
void two_passes_look(void);

/* latency.response_in has been shown: there are frames of a request that come after its response. */
void two_passes_has_response_in(void);

#endif
