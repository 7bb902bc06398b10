/* probes.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "probes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <bpf/bpf.h>

#include "namespaces.h"
#include "privileges.h"
#include "programs.h"
#include "sockets.h"
#include "stages.h"

/* What shows that a port is in use: packets at the driver, and who connects. */
#define SENTINELS (1U << POINT_STATE | 1U << POINT_RECEIVE | 1U << POINT_XMIT)

enum {
    PERF_PAGES = 1024, /* per processor */
    SENTENCE_BYTES = 512
};

struct probes {
    struct wanted wanted;
    const struct candidate *used[POINT_COUNT]; /* NULL: none loads */
    struct kernel_stages *kernel;
    struct links links;
    struct ring_buffer *ring;
    struct perf_buffer *perf;
    take_event take;
    void *context;
    int processors;
    char missing[SENTENCE_BYTES];
    bool privileges_lack;
    bool files_lack; /* something failed because too many files were open */
    bool is_asleep;  /* nothing has the port yet: of the points those alone are watched that would show it */
};

/* The first candidate of each of these points, or the first that loads by itself. */
static void
choose(struct probes *probes, uint32_t points, bool alone)
{
    memset(probes->used, 0, sizeof(probes->used));
    for (size_t i = 0; i < candidate_count; i++) {
        const struct candidate *candidate = &candidates[i];
        if ((points & 1U << candidate->point) && !probes->used[candidate->point] &&
            (!alone || programs_load_alone(&probes->wanted, candidate)))
            probes->used[candidate->point] = candidate;
    }
}

/* Right after something failed. */
static void
note_failure(struct probes *probes)
{
    probes->files_lack |= errno == EMFILE || errno == ENFILE;
}

/* On most kernels the best candidates load at once, in a fraction of the time. */
static struct kernel_stages *
load(struct probes *probes)
{
    struct kernel_stages *kernel = NULL;
    uint32_t points = probes->wanted.port ? SENTINELS : 1U << POINT_STATE;
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        if (probes->wanted.stages & 1U << stage)
            points |= points_of(stage);
    for (int alone = 0; alone <= 1 && !kernel; alone++) {
        choose(probes, points, alone);
        errno = 0;
        kernel = programs_load(&probes->wanted, probes->used, POINT_COUNT);
        if (!kernel)
            note_failure(probes);
    }
    return kernel;
}

static bool
is_seen(const struct probes *probes, enum stage stage)
{
    const uint32_t points = points_of(stage);
    for (enum point point = 0; point < POINT_COUNT; point++)
        if ((points & 1U << point) && !probes->used[point])
            return false;
    return probes->wanted.stages & 1U << stage;
}

uint32_t
probes_stages(const struct probes *probes)
{
    uint32_t seen = 0;
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        seen |= is_seen(probes, stage) ? 1U << stage : 0;
    return seen;
}

const char *
probes_event(const struct probes *probes, enum stage stage)
{
    return probes->used[point_of(stage)]->event;
}

#define TOO_FEW_FILES "No more than %llu files may be open (ulimit -n): "

static unsigned long long
files_most(void)
{
    struct rlimit limit = { 0 };
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

static void
explain(struct probes *probes)
{
    const uint32_t missing = probes->wanted.stages & ~probes_stages(probes);
    char stages[256], lacking[PRIVILEGES_BYTES];
    if (!missing)
        return;
    stages_list(missing, stages, sizeof(stages));
    probes->privileges_lack = privileges_lacking(lacking);
    if (probes->files_lack)
        snprintf(probes->missing, sizeof(probes->missing), TOO_FEW_FILES "the stages %s are not seen.", files_most(),
                 stages);
    else if (probes->privileges_lack)
        snprintf(probes->missing, sizeof(probes->missing), "Without %s the stages %s are not seen.", lacking, stages);
    else
        snprintf(probes->missing, sizeof(probes->missing), "This kernel does not show the stages %s.", stages);
}

const char *
probes_missing(const struct probes *probes, bool *privileges)
{
    *privileges = probes->privileges_lack;
    return *probes->missing ? probes->missing : NULL;
}

static int
take_ring_event(void *context, void *bytes, size_t size)
{
    const struct probes *probes = context;
    struct known_event known = { 0 };
    if (size >= sizeof(known)) {
        probes->take(bytes, ((struct packet_event *)bytes)->data, probes->context);
    } else {
        memcpy(&known.event, bytes, sizeof(known.event));
        probes->take(&known, NULL, probes->context);
    }
    return 0;
}

static enum bpf_perf_event_ret
take_perf_event(void *context, int processor, struct perf_event_header *header)
{
    const struct probes *probes = context;
    struct {
        struct perf_event_header header;
        uint32_t size;
        struct head_event head;
        unsigned char more[PACKET_BYTES];
    } __attribute__((packed)) *sample = (void *)header;
    unsigned char data[HEAD_BYTES + PACKET_BYTES];
    (void)processor;
    /* What is lost of perf's events is counted where it is lost. */
    if (header->type != PERF_RECORD_SAMPLE)
        return LIBBPF_PERF_EVENT_CONT;
    struct known_event known;
    memcpy(&known, &sample->head.known, sizeof(known));
    memcpy(data, sample->head.data, known.event.data_bytes);
    memcpy(data + known.event.data_bytes, sample->more, known.event.more_bytes);
    known.event.data_bytes = (unsigned short)(known.event.data_bytes + known.event.more_bytes);
    probes->take(&known, data, probes->context);
    return LIBBPF_PERF_EVENT_CONT;
}

static bool
open_buffers(struct probes *probes)
{
    /* Nobody waits for them: they are read by the clock, which costs the kernel nothing. */
    struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE,
                                          .size = sizeof(attributes),
                                          .config = PERF_COUNT_SW_BPF_OUTPUT,
                                          .sample_type = PERF_SAMPLE_RAW,
                                          .sample_period = 1,
                                          .watermark = 1,
                                          .wakeup_watermark = UINT_MAX };
    probes->ring = ring_buffer__new(bpf_map__fd(probes->kernel->maps.events), take_ring_event, probes, NULL);
    probes->perf = perf_buffer__new_raw(bpf_map__fd(probes->kernel->maps.perf_events), PERF_PAGES, &attributes,
                                        take_perf_event, probes, NULL);
    return probes->ring && probes->perf;
}

/* A point that cannot be attached to is not used. */
static void
attach(struct probes *probes, uint32_t points)
{
    for (enum point point = 0; point < POINT_COUNT; point++) {
        errno = 0;
        if (!(points & 1U << point) || !probes->used[point] ||
            programs_attach(&probes->links, probes->kernel, probes->used[point]))
            continue;
        note_failure(probes);
        probes->used[point] = NULL;
    }
}

/* As long as nothing has the port, the host pays for little more than its packets at the driver. */
static void
attach_all(struct probes *probes)
{
    probes->is_asleep = probes->wanted.port && !sockets_have_port(probes->wanted.port) && probes->used[POINT_RECEIVE] &&
                        probes->used[POINT_XMIT];
    attach(probes, SENTINELS);
    if (!probes->is_asleep)
        attach(probes, ~SENTINELS);
}

void
probes_read(struct probes *probes, take_event take, void *context)
{
    probes->take = take;
    probes->context = context;
    if (probes->is_asleep && probes->kernel->bss->packets) {
        attach(probes, ~SENTINELS);
        probes->is_asleep = false;
    }
    ring_buffer__consume(probes->ring);
    perf_buffer__consume(probes->perf);
}

void
probes_sample(struct probes *probes, uint32_t one_in)
{
    probes->kernel->data->wanted_connections = UINT32_MAX / one_in;
}

uint64_t
probes_lost(const struct probes *probes, enum stage stage)
{
    uint64_t *counts = calloc((size_t)probes->processors, sizeof(*counts)), sum = 0;
    const uint32_t key = stage;
    if (counts && !bpf_map_lookup_elem(bpf_map__fd(probes->kernel->maps.lost), &key, counts))
        for (int i = 0; i < probes->processors; i++)
            sum += counts[i];
    free(counts);
    return sum;
}

struct probes *
probes_open(const struct wanted *wanted, char *why, size_t size)
{
    struct probes *probes = calloc(1, sizeof(*probes));
    char lacking[PRIVILEGES_BYTES];
    if (!probes) {
        snprintf(why, size, "There is not enough memory.");
        return NULL;
    }
    probes->wanted = *wanted;
    probes->processors = libbpf_num_possible_cpus();
    probes->kernel = load(probes);
    errno = 0;
    if (probes->kernel && !open_buffers(probes)) {
        note_failure(probes);
    } else if (probes->kernel) {
        attach_all(probes);
        if (probes_stages(probes)) {
            explain(probes);
            return probes;
        }
    }
    if (probes->files_lack)
        snprintf(why, size, TOO_FEW_FILES "no wanted stage can be seen.", files_most());
    else if (access("/sys/kernel/btf/vmlinux", R_OK))
        snprintf(why, size, "This kernel has no BTF (/sys/kernel/btf/vmlinux): no stage can be seen.");
    else if (privileges_lacking(lacking))
        snprintf(why, size, "Without %s no wanted stage can be seen: run it as root, or see docs/kernel-stages.md.",
                 lacking);
    else if (namespaces_are_powerless())
        snprintf(why, size, "No wanted stage can be seen. " NAMESPACES_POWERLESS);
    else
        snprintf(why, size, "This kernel shows none of the wanted stages.");
    probes_close(probes);
    return NULL;
}

void
probes_close(struct probes *probes)
{
    programs_detach(&probes->links);
    ring_buffer__free(probes->ring);
    perf_buffer__free(probes->perf);
    kernel_stages__destroy(probes->kernel);
    free(probes);
}
