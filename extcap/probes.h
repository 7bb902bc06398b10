/* probes.h
 * The programs in the kernel: which of them it takes, and what they say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PROBES_H
#define PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel-stages.h"

struct probes;

struct wanted {
    uint16_t port; /* 0: every one */
    uint32_t stages;
    uint32_t bytes;                                  /* of a packet, at most PACKET_BYTES */
    uint32_t one_in;                                 /* one connection in this many is recorded */
    uint64_t summary_interval_ns, summary_offset_ns; /* of summarize.c alone */
    bool is_verbose;                                 /* what libbpf and the verifier say goes to stderr */
};

/* An event and event.data_bytes of the packet. */
typedef void (*take_event)(const struct known_event *known, const unsigned char *data, void *context);

/* Loads and attaches what can be. NULL if that is nothing at all, with a sentence in `why`. */
struct probes *probes_open(const struct wanted *wanted, char *why, size_t size);
void probes_close(struct probes *probes);

/* Those wanted that are seen. */
uint32_t probes_stages(const struct probes *probes);

/* What in the kernel a seen stage is. */
const char *probes_event(const struct probes *probes, enum stage stage);

/* A sentence on the wanted stages that are not seen, and why, or NULL. *privileges: they lack, not the kernel. */
const char *probes_missing(const struct probes *probes, bool *privileges);

/* Gives `take` what came since the last time. */
void probes_read(struct probes *probes, take_event take, void *context);

/* From now on one connection in `one_in` is recorded, by a hash of its ends. */
void probes_sample(struct probes *probes, uint32_t one_in);

/* Sightings of a stage that were lost so far. */
uint64_t probes_lost(const struct probes *probes, enum stage stage);

#endif
