/* programs.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "processes.h"

enum {
    /* <linux/bpf.h> of 6.4, and what bpf_link_create() of libbpf 1.1 cannot say. */
    PROGRAM_NETFILTER = 32,
    ATTACH_NETFILTER = 45,
    COMMAND_LINK = 28,
    FAMILY_IPV4 = 2,
    FAMILY_IPV6 = 10,
    POST_ROUTING = 4,
    FOREIGNERS = 64 /* programs of others at one hook */
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

/* Recording and summing up have some of their own; those of the other one would be megabytes for nothing. */
static void
choose_maps(struct kernel_stages *kernel, bool sums_up)
{
    struct bpf_map *const of_recording[] = {
        kernel->maps.events,     kernel->maps.perf_events, kernel->maps.by_buffer,
        kernel->maps.by_content, kernel->maps.threads,     kernel->maps.connections
    };
    struct bpf_map *const of_summary[] = { kernel->maps.arrivals, kernel->maps.stays, kernel->maps.readers,
                                           kernel->maps.intervals };
    for (size_t i = 0; i < sizeof(of_recording) / sizeof(*of_recording); i++)
        bpf_map__set_autocreate(of_recording[i], !sums_up);
    for (size_t i = 0; i < sizeof(of_summary) / sizeof(*of_summary); i++)
        bpf_map__set_autocreate(of_summary[i], sums_up);
}

/* As this program's PID namespace does: the helper has been there since 5.7, longer than ring buffers. */
static void
number_processes(struct kernel_stages *kernel)
{
    uint64_t device, inode;
    if (!processes_are_renumbered(&device, &inode))
        return;
    kernel->rodata->pid_device = device;
    kernel->rodata->pid_inode = inode;
}

struct kernel_stages *
programs_load(const struct wanted *wanted, const struct candidate *const *chosen, size_t count)
{
    if (!wanted->is_verbose)
        libbpf_set_print(be_silent);
    struct kernel_stages *kernel = kernel_stages__open();
    struct bpf_program *program;
    if (!kernel)
        return NULL;
    choose_maps(kernel, wanted->summary_interval_ns > 0);
    kernel->rodata->wanted_port = wanted->port;
    kernel->rodata->wanted_stages = wanted->stages;
    kernel->rodata->wanted_bytes = wanted->bytes;
    kernel->rodata->summary_interval_ns = wanted->summary_interval_ns;
    kernel->rodata->summary_offset_ns = wanted->summary_offset_ns;
    number_processes(kernel);
    if (wanted->one_in)
        kernel->data->wanted_connections = UINT32_MAX / wanted->one_in;
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
    if (kernel_stages__load(kernel)) {
        kernel_stages__destroy(kernel);
        return NULL;
    }
    return kernel;
}

bool
programs_load_alone(const struct wanted *wanted, const struct candidate *candidate)
{
    struct kernel_stages *kernel = programs_load(wanted, &candidate, 1);
    const bool is_loaded = kernel != NULL;
    kernel_stages__destroy(kernel);
    return is_loaded;
}

/* 0, or the errno that attaching one program ended with. */
static int
attach_netfilter(struct links *links, const struct bpf_program *program, int hook, uint32_t family)
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
            links->netfilter[links->netfilter_count++] = (int)fd;
            return 0;
        }
        if (errno != EBUSY)
            break;
    }
    return errno;
}

static int
attach(struct links *links, struct kernel_stages *kernel, const char *name, int hook)
{
    const struct bpf_program *program = bpf_object__find_program_by_name(kernel->obj, name);
    if (hook == NOT_NETFILTER) {
        struct bpf_link *link = bpf_program__attach(program);
        if (!link)
            return errno;
        links->links[links->count++] = link;
        return 0;
    }
    /* A kernel without IPv6 has nothing to see of it. */
    attach_netfilter(links, program, hook, FAMILY_IPV6);
    return attach_netfilter(links, program, hook, FAMILY_IPV4);
}

bool
programs_attach(struct links *links, struct kernel_stages *kernel, const struct candidate *candidate)
{
    for (size_t i = 0; i < CANDIDATE_PROGRAMS && candidate->programs[i]; i++)
        if (attach(links, kernel, candidate->programs[i], candidate->hook))
            return false;
    return true;
}

void
programs_detach(struct links *links)
{
    for (size_t i = 0; i < links->count; i++)
        bpf_link__destroy(links->links[i]);
    for (size_t i = 0; i < links->netfilter_count; i++)
        close(links->netfilter[i]);
}
