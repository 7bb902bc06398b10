/* summary.h
 * What the kernel's half adds up for --summary: sums of requests' parts, interval by interval.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SUMMARY_H
#define SUMMARY_H

/* In the order in which a request passes them: those of -z latency,kernel. */
enum summary_part {
    SUMMARY_RX,
    SUMMARY_TCPIP_RX,
    SUMMARY_EPOLL,
    SUMMARY_WAIT,
    SUMMARY_READ,
    SUMMARY_APPLICATION,
    SUMMARY_TX,
    SUMMARY_PARTS
};

enum {
    SUMMARY_INTERVALS = 16, /* that are kept; an interval's place is its number modulo this */
    SUMMARY_STEPS = 8,      /* of the histogram in each power of two */
    SUMMARY_BUCKETS = 40 * SUMMARY_STEPS
};

struct summary_interval {
    unsigned long long number; /* since 1970; another one has the place by now */
    unsigned long long begun, whole;
    unsigned long long parts_ns[SUMMARY_PARTS], total_ns;
    unsigned int totals[SUMMARY_BUCKETS]; /* of whole requests, by summary_bucket() */
};

/* Bucket b has times from its lowest, (STEPS + b % STEPS) << (b / STEPS - 1) nanoseconds, to the next one's. */
static inline __attribute__((always_inline)) unsigned int
summary_bucket(unsigned long long ns)
{
    unsigned int shift = 0;
    for (unsigned int step = 32; step; step /= 2)
        if (ns >> shift >> step >= SUMMARY_STEPS)
            shift += step;
    if (ns < SUMMARY_STEPS)
        return (unsigned int)ns;
    const unsigned int bucket = (shift + 1) * SUMMARY_STEPS + (unsigned int)(ns >> shift) - SUMMARY_STEPS;
    return bucket < SUMMARY_BUCKETS ? bucket : SUMMARY_BUCKETS - 1;
}

#endif
