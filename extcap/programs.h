/* programs.h
 * Programs in the kernel: loaded, and attached to what they see.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <bpf/libbpf.h>

#include "candidates.h"
#include "kernel-stages.skel.h"
#include "probes.h"

enum { LINKS = POINT_COUNT * CANDIDATE_PROGRAMS };

struct links {
    struct bpf_link *links[LINKS];
    int netfilter[LINKS]; /* file descriptors */
    size_t count, netfilter_count;
};

/* The kernel's half with the programs of these candidates, of which any may be NULL. NULL if it does not load. */
struct kernel_stages *programs_load(const struct wanted *wanted, const struct candidate *const *chosen, size_t count);

/* Whether a candidate loads by itself. */
bool programs_load_alone(const struct wanted *wanted, const struct candidate *candidate);

/* False if not all programs of a candidate could be attached. */
bool programs_attach(struct links *links, struct kernel_stages *kernel, const struct candidate *candidate);
void programs_detach(struct links *links);

#endif
