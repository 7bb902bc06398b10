/* recording.h
 * From what the kernel says to the file: each sighting a record, in the order of time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "options.h"
#include "pcapng.h"
#include "probes.h"

struct recording;

/* Begins the file. The probes and the file stay the caller's. NULL if memory lacks. */
struct recording *recording_begin(const struct options *options, struct probes *probes, struct pcapng *file);

/* Takes what came, and writes what is old enough that nothing earlier can come. False: the file cannot be written
 * (errno), or has as many records as were wanted (errno is 0). */
bool recording_step(struct recording *recording);

/* Writes the rest, and what was lost. */
void recording_end(struct recording *recording);

uint64_t recording_count(const struct recording *recording);
uint64_t recording_lost(const struct recording *recording, enum stage stage);

/* N, if as few as one connection in N was recorded because more was too much. */
uint32_t recording_sampled(const struct recording *recording);
void recording_free(struct recording *recording);

#endif
