/* sampling.h
 * How many connections are recorded: fewer while sightings are being lost, or cost too much.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

/* A sighting costs the host some half a microsecond: this many a second are a twentieth of a processor. */
enum { SAMPLING_MOST = 4096, SAMPLING_SEEN = 1024, SIGHTINGS_A_PROCESSOR = 100000 };

struct sampling {
    bool is_fixed;                    /* the user has said how many */
    uint32_t one_in;                  /* one connection in this many is recorded */
    uint32_t worst;                   /* the largest one_in so far */
    uint64_t changed_ns, strained_ns; /* when there was too much for the last time */
    uint64_t begun_ns, sightings;     /* since then */
    uint64_t most;                    /* sightings a second */
    uint64_t seen[SAMPLING_SEEN];     /* hashes of connections (struct event), direct-mapped */
};

/* `one_in` 0: all, and fewer when that is too much. */
void sampling_begin(struct sampling *sampling, uint32_t one_in, unsigned processors);

void sampling_note(struct sampling *sampling, uint64_t connection);

/* To be told from time to time whether any were lost since the last. True if one_in has changed: it doubles, a fifth of
 * a second after the last change at the earliest, where sightings are lost or there are more than the host's processors
 * can spare, and again as long as there are that many, unless no connection that was seen since would be left; and it
 * halves after ten seconds in which there was
 * neither, nor would be. */
bool sampling_step(struct sampling *sampling, uint64_t now_ns, bool has_lost);

#endif
