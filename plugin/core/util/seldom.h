/* seldom.h
 * For functions that few segments need: the code around their calls is laid out as if these were not there. So what
 * most segments go through takes less of a processor's instruction cache.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SELDOM_H
#define LATENCY_SELDOM_H

#define SELDOM __attribute__((cold))

#endif
