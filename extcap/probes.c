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
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "candidates.h"
#include "kernel-stages.skel.h"
#include "privileges.h"
#include "stages.h"

enum {
    LINKS = POINT_COUNT * CANDIDATE_PROGRAMS,
    PERF_PAGES = 1024, /* per processor */
    SENTENCE_BYTES = 512,

    /* <linux/bpf.h> of 6.4, and what bpf_link_create() of libbpf 1.1 cannot say. */
    PROGRAM_NETFILTER = 32,
    ATTACH_NETFILTER = 45,
    COMMAND_LINK = 28,
    FAMILY_IPV4 = 2,
    FAMILY_IPV6 = 10,
    POST_ROUTING = 4,
    FOREIGNERS = 64 /* programs of others at one hook */
};

struct probes {
    struct wanted wanted;
    const struct candidate *used[POINT_COUNT]; /* NULL: none loads */
    struct kernel_stages *kernel;
    struct bpf_link *links[LINKS];
    int netfilter_links[LINKS];
    size_t link_count, netfilter_link_count;
    struct ring_buffer *ring;
    struct perf_buffer *perf;
    take_event take;
    void *context;
    int processors;
    char missing[SENTENCE_BYTES];
    bool privileges_lack;
};

static int
be_silent(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level;
    (void)format;
    (void)arguments;
    return 0;
}

static bool
has_program(const struct candidate *candidate, const char *name)
{
    for (size_t i = 0; i < CANDIDATE_PROGRAMS; i++)
        if (candidate->programs[i] && !strcmp(candidate->programs[i], name))
            return true;
    return false;
}

/* The kernel's half with the programs of these candidates. NULL and errno if it does not load. */
static struct kernel_stages *
load(const struct wanted *wanted, const struct candidate *const *chosen, size_t count)
{
    struct kernel_stages *kernel = kernel_stages__open();
    struct bpf_program *program;
    if (!kernel)
        return NULL;
    kernel->rodata->wanted_port = wanted->port;
    kernel->rodata->wanted_stages = wanted->stages;
    kernel->rodata->wanted_bytes = wanted->bytes;
    bpf_object__for_each_program(program, kernel->obj)
    {
        const char *name = bpf_program__name(program);
        bool load_it = false;
        for (size_t i = 0; i < count; i++)
            load_it |= chosen[i] && has_program(chosen[i], name);
        bpf_program__set_autoload(program, load_it);
        if (!strncmp(name, "netfilter_", strlen("netfilter_"))) {
            bpf_program__set_type(program, (enum bpf_prog_type)PROGRAM_NETFILTER);
            bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)ATTACH_NETFILTER);
        }
    }
    const int error = kernel_stages__load(kernel);
    if (error) {
        kernel_stages__destroy(kernel);
        errno = -error;
        return NULL;
    }
    return kernel;
}

/* A candidate by itself. */
static bool
loads(const struct wanted *wanted, const struct candidate *candidate)
{
    struct kernel_stages *kernel = load(wanted, &candidate, 1);
    const bool loaded = kernel != NULL;
    const int error = errno;
    kernel_stages__destroy(kernel);
    errno = error;
    return loaded;
}

/* 0, or the errno that attaching one program ended with. */
static int
attach_netfilter(struct probes *probes, const struct bpf_program *program, int hook, uint32_t family)
{
    /* First of all at what arrives and at what is made here, and last before the device. A hook takes one BPF program
     * per priority, so that a second kernel-stages finds the next. */
    const bool last = hook == POST_ROUTING;
    for (int32_t i = 1; i <= FOREIGNERS; i++) {
        const struct {
            uint32_t program, target, type, flags, family, hook;
            int32_t priority;
            uint32_t netfilter_flags;
        } link = { .program = (uint32_t)bpf_program__fd(program),
                   .type = ATTACH_NETFILTER,
                   .family = family,
                   .hook = (uint32_t)hook,
                   .priority = last ? INT32_MAX - i : INT32_MIN + i };
        const long fd = syscall(SYS_bpf, COMMAND_LINK, &link, sizeof(link));
        if (fd >= 0) {
            probes->netfilter_links[probes->netfilter_link_count++] = (int)fd;
            return 0;
        }
        if (errno != EBUSY)
            break;
    }
    return errno;
}

static int
attach_program(struct probes *probes, const char *name, int hook)
{
    const struct bpf_program *program = bpf_object__find_program_by_name(probes->kernel->obj, name);
    if (hook == NOT_NETFILTER) {
        struct bpf_link *link = bpf_program__attach(program);
        if (!link)
            return errno;
        probes->links[probes->link_count++] = link;
        return 0;
    }
    /* A kernel without IPv6 has nothing to see of it. */
    attach_netfilter(probes, program, hook, FAMILY_IPV6);
    return attach_netfilter(probes, program, hook, FAMILY_IPV4);
}

static void
attach(struct probes *probes)
{
    for (enum point point = 0; point < POINT_COUNT; point++) {
        const struct candidate *candidate = probes->used[point];
        for (size_t i = 0; candidate && i < CANDIDATE_PROGRAMS && candidate->programs[i]; i++)
            if (attach_program(probes, candidate->programs[i], candidate->hook))
                probes->used[point] = NULL;
    }
}

/* The best candidate of each point that the wanted stages take. */
static void
choose(struct probes *probes)
{
    uint32_t points = 1U << POINT_STATE;
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        if (probes->wanted.stages & 1U << stage)
            points |= points_of(stage);
    for (size_t i = 0; i < candidate_count; i++) {
        const struct candidate *candidate = &candidates[i];
        if ((points & 1U << candidate->point) && !probes->used[candidate->point] && loads(&probes->wanted, candidate))
            probes->used[candidate->point] = candidate;
    }
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

static void
explain(struct probes *probes)
{
    const uint32_t missing = probes->wanted.stages & ~probes_stages(probes);
    char stages[256], lacking[PRIVILEGES_BYTES];
    if (!missing)
        return;
    stages_list(missing, stages, sizeof(stages));
    probes->privileges_lack = privileges_lacking(lacking);
    if (probes->privileges_lack)
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
    (void)size;
    probes->take(bytes, ((struct packet_event *)bytes)->data, probes->context);
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
    struct event event;
    memcpy(&event, &sample->head.event, sizeof(event));
    memcpy(data, sample->head.data, event.data_bytes);
    memcpy(data + event.data_bytes, sample->more, event.more_bytes);
    event.data_bytes = (unsigned short)(event.data_bytes + event.more_bytes);
    probes->take(&event, data, probes->context);
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

void
probes_read(struct probes *probes, take_event take, void *context)
{
    probes->take = take;
    probes->context = context;
    ring_buffer__consume(probes->ring);
    perf_buffer__consume(probes->perf);
}

uint64_t
probes_lost(const struct probes *probes, enum stage stage)
{
    uint64_t counts[probes->processors], sum = 0;
    const uint32_t key = stage;
    if (bpf_map_lookup_elem(bpf_map__fd(probes->kernel->maps.lost), &key, counts))
        return 0;
    for (int i = 0; i < probes->processors; i++)
        sum += counts[i];
    return sum;
}

struct probes *
probes_open(const struct wanted *wanted, char *why, size_t size)
{
    struct probes *probes = calloc(1, sizeof(*probes));
    char lacking[PRIVILEGES_BYTES];
    if (!probes) {
        snprintf(why, size, "There is no memory.");
        return NULL;
    }
    libbpf_set_print(be_silent);
    probes->wanted = *wanted;
    probes->processors = libbpf_num_possible_cpus();
    choose(probes);
    probes->kernel = load(wanted, probes->used, POINT_COUNT);
    if (probes->kernel && open_buffers(probes)) {
        attach(probes);
        if (probes_stages(probes)) {
            explain(probes);
            return probes;
        }
    }
    if (access("/sys/kernel/btf/vmlinux", R_OK))
        snprintf(why, size, "This kernel has no BTF (/sys/kernel/btf/vmlinux): no stage can be seen.");
    else if (privileges_lacking(lacking))
        snprintf(why, size, "Without %s no wanted stage can be seen: run it as root, or see docs/kernel-stages.md.",
                 lacking);
    else
        snprintf(why, size, "This kernel shows none of the wanted stages.");
    probes_close(probes);
    return NULL;
}

void
probes_close(struct probes *probes)
{
    for (size_t i = 0; i < probes->link_count; i++)
        bpf_link__destroy(probes->links[i]);
    for (size_t i = 0; i < probes->netfilter_link_count; i++)
        close(probes->netfilter_links[i]);
    ring_buffer__free(probes->ring);
    perf_buffer__free(probes->perf);
    kernel_stages__destroy(probes->kernel);
    free(probes);
}
