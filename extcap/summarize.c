/* summarize.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "summarize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <bpf/bpf.h>

#include "clocks.h"
#include "namespaces.h"
#include "privileges.h"
#include "programs.h"
#include "summary.h"

#define GRACE_NS 200000000ULL /* in which the requests of an interval end */

static const struct candidate points[] = {
    { POINT_RECEIVE, "", { "summary_driver" }, NOT_NETFILTER },
    { POINT_PRE_ROUTING, "", { "netfilter_summary_ip" }, 0 },
    { POINT_PROBE, "", { "summary_tcp" }, NOT_NETFILTER },
    { POINT_READY, "", { "summary_ready" }, NOT_NETFILTER },
    { POINT_ENTER, "", { "summary_enter" }, NOT_NETFILTER },
    { POINT_EXIT, "", { "summary_exit" }, NOT_NETFILTER },
    { POINT_XMIT, "", { "summary_xmit" }, NOT_NETFILTER },
    { POINT_STATE, "", { "summary_state" }, NOT_NETFILTER },
};
enum { POINTS = sizeof(points) / sizeof(*points) };

struct summarizer {
    struct kernel_stages *kernel;
    struct links links;
    uint16_t port;
    uint64_t interval_ns, offset_ns;
    uint64_t next; /* interval to print */
    uint64_t printed;
    int processors;
    struct summary_interval *of_processors;
};

static bool
attach(struct summarizer *summarizer, char *why, size_t size)
{
    for (size_t i = 0; i < POINTS; i++)
        if (!programs_attach(&summarizer->links, summarizer->kernel, &points[i])) {
            snprintf(why, size, "%s could not be attached.", points[i].programs[0]);
            return false;
        }
    return true;
}

static void
release(struct summarizer *summarizer)
{
    programs_detach(&summarizer->links);
    kernel_stages__destroy(summarizer->kernel);
    free(summarizer->of_processors);
    free(summarizer);
}

struct summarizer *
summarize_begin(uint16_t port, uint64_t interval_ns, bool is_verbose, char *why, size_t size)
{
    struct summarizer *summarizer = calloc(1, sizeof(*summarizer));
    const struct candidate *chosen[POINTS];
    char lacking[PRIVILEGES_BYTES];
    if (!summarizer)
        return NULL;
    summarizer->port = port;
    summarizer->interval_ns = interval_ns;
    summarizer->offset_ns = clock_offset_ns();
    summarizer->processors = libbpf_num_possible_cpus();
    summarizer->of_processors = calloc((size_t)summarizer->processors, sizeof(*summarizer->of_processors));
    const struct wanted wanted = {
        .port = port,
        .is_verbose = is_verbose,
        .summary_interval_ns = interval_ns,
        .summary_offset_ns = summarizer->offset_ns,
    };
    for (size_t i = 0; i < POINTS; i++)
        chosen[i] = &points[i];
    summarizer->kernel = programs_load(&wanted, chosen, POINTS);
    if (!summarizer->kernel && privileges_lacking(lacking))
        snprintf(why, size, "--summary needs %s: run it as root, or see docs/kernel-stages.md.", lacking);
    else if (!summarizer->kernel && namespaces_are_powerless())
        snprintf(why, size, "There is no summary. " NAMESPACES_POWERLESS);
    else if (!summarizer->kernel)
        snprintf(why, size, "This kernel lacks what --summary is made of: it needs Linux 6.4 or later.");
    if (!summarizer->kernel || !attach(summarizer, why, size)) {
        release(summarizer);
        return NULL;
    }
    summarizer->next = (now_ns(CLOCK_MONOTONIC) + summarizer->offset_ns) / interval_ns;
    privileges_drop();
    return summarizer;
}

/* The lowest time of a bucket: summary_bucket()'s inverse. */
static double
bucket_ns(unsigned bucket)
{
    if (bucket < SUMMARY_STEPS)
        return bucket;
    return (double)((uint64_t)(SUMMARY_STEPS + bucket % SUMMARY_STEPS) << (bucket / SUMMARY_STEPS - 1));
}

/* At the middle of its bucket, thus within 6 %. */
static double
percentile_ns(const struct summary_interval *sum, double part)
{
    uint64_t below = 0;
    unsigned bucket = 0;
    for (; bucket < SUMMARY_BUCKETS - 1; bucket++) {
        below += sum->totals[bucket];
        if ((double)below > part * (double)(sum->whole - 1))
            break;
    }
    return (bucket_ns(bucket) + bucket_ns(bucket + 1)) / 2;
}

static void
add_up(struct summarizer *summarizer, uint64_t number, struct summary_interval *sum)
{
    const uint32_t place = (uint32_t)(number % SUMMARY_INTERVALS);
    *sum = (struct summary_interval){ .number = number };
    if (bpf_map_lookup_elem(bpf_map__fd(summarizer->kernel->maps.intervals), &place, summarizer->of_processors))
        return;
    for (int i = 0; i < summarizer->processors; i++) {
        const struct summary_interval *part = &summarizer->of_processors[i];
        if (part->number != number)
            continue;
        sum->begun += part->begun;
        sum->whole += part->whole;
        sum->total_ns += part->total_ns;
        for (unsigned j = 0; j < SUMMARY_PARTS; j++)
            sum->parts_ns[j] += part->parts_ns[j];
        for (unsigned j = 0; j < SUMMARY_BUCKETS; j++)
            sum->totals[j] += part->totals[j];
    }
}

static void
print_us(double ns)
{
    const double us = ns / 1000;
    printf("|%11.*f", us < 10 ? 3 : us < 1000 ? 2 : 1, us);
}

static void
print(struct summarizer *summarizer, const struct summary_interval *sum)
{
    const time_t seconds = (time_t)(sum->number * summarizer->interval_ns / 1000000000);
    struct tm local;
    char time_text[16];
    if (summarizer->printed++ == 0)
        printf("Time    |Port |    Count|Not whole|         rx|   tcpip_rx|      epoll|       wait|       "
               "read|application|"
               "         tx|      Total|Total p99\n"
               "        |     |         |         |         µs|         µs|         µs|         µs|         µs|        "
               " µs|"
               "         µs|         µs|       µs\n");
    localtime_r(&seconds, &local);
    strftime(time_text, sizeof(time_text), "%H:%M:%S", &local);
    /* One that began before, or ends after, its interval's neighbour was looked at can make the difference negative. */
    printf("%s|%5u|%9llu|%9llu", time_text, summarizer->port, sum->whole,
           sum->begun > sum->whole ? sum->begun - sum->whole : 0);
    for (unsigned part = 0; part < SUMMARY_PARTS && sum->whole; part++)
        print_us((double)sum->parts_ns[part] / (double)sum->whole);
    if (sum->whole) {
        print_us((double)sum->total_ns / (double)sum->whole);
        printf("|%9.4g\n", percentile_ns(sum, 0.99) / 1000);
    } else {
        printf("|          -|          -|          -|          -|          -|          -|          -|          -|      "
               "  -\n");
    }
}

static bool
print_until(struct summarizer *summarizer, uint64_t end)
{
    struct summary_interval sum;
    for (; summarizer->next < end; summarizer->next++) {
        add_up(summarizer, summarizer->next, &sum);
        if (sum.begun)
            print(summarizer, &sum);
    }
    return fflush(stdout) == 0;
}

bool
summarize_step(struct summarizer *summarizer)
{
    const uint64_t now = now_ns(CLOCK_MONOTONIC) + summarizer->offset_ns;
    return print_until(summarizer, (now - GRACE_NS) / summarizer->interval_ns);
}

bool
summarize_end(struct summarizer *summarizer)
{
    const uint64_t now = now_ns(CLOCK_MONOTONIC) + summarizer->offset_ns;
    const bool written = print_until(summarizer, now / summarizer->interval_ns + 1);
    release(summarizer);
    return written;
}
