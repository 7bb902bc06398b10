/* recording.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conversations.h"
#include "stages.h"
#include "window.h"

enum {
    ETHERNET_BYTES = 14,
    CONTENTS = 8192, /* packets whose bytes are kept for the stages that see none */
    NO_INTERFACE = -1,
    OFFSET_TRIES = 20
};
#define WINDOW_NS 100000000ULL
#define SECOND_NS 1000000000ULL

struct recording {
    const struct options *options;
    struct probes *probes;
    struct pcapng *file;
    struct window window;
    struct sighting *contents[CONTENTS]; /* the last one of a packet that had bytes; by packet, direct-mapped */
    struct conversations *conversations; /* NULL: all processes are wanted */
    uint64_t offset_ns;                  /* from the monotonic clock to the time of day */
    int interfaces[STAGE_COUNT];
    uint64_t written[STAGE_COUNT], lost[STAGE_COUNT], dropped[STAGE_COUNT];
    uint64_t count;
};

static uint64_t
now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* The best of some tries: the two clocks cannot be read at once. */
static uint64_t
clock_offset_ns(void)
{
    uint64_t best = UINT64_MAX, offset = 0;
    for (int i = 0; i < OFFSET_TRIES; i++) {
        const uint64_t before = now_ns(CLOCK_MONOTONIC), real = now_ns(CLOCK_REALTIME), after = now_ns(CLOCK_MONOTONIC);
        if (after - before < best) {
            best = after - before;
            offset = real - (before + best / 2);
        }
    }
    return offset;
}

struct recording *
recording_begin(const struct options *options, struct probes *probes, struct pcapng *file)
{
    struct recording *recording = calloc(1, sizeof(*recording));
    const uint32_t stages = probes_stages(probes);
    bool privileges;
    int next = 0;
    if (!recording)
        return NULL;
    recording->options = options;
    recording->probes = probes;
    recording->file = file;
    recording->offset_ns = clock_offset_ns();
    if (*options->process && !(recording->conversations = calloc(1, sizeof(*recording->conversations)))) {
        free(recording);
        return NULL;
    }
    pcapng_section(file, "kernel-stages " LATENCY_VERSION, probes_missing(probes, &privileges));
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++) {
        recording->interfaces[stage] = NO_INTERFACE;
        if (stages & 1U << stage) {
            pcapng_interface(file, stage_name(stage), probes_event(probes, stage), options->wanted.bytes);
            recording->interfaces[stage] = next++;
        }
    }
    pcapng_flush(file);
    return recording;
}

static bool
is_wanted(const struct recording *recording, const struct process *process)
{
    const char *wanted = recording->options->process;
    return recording->options->pid ? process->pid == recording->options->pid
                                   : !strncmp(process->name, wanted, sizeof(process->name) - 1);
}

static void
push(struct recording *recording, const struct event *event, const unsigned char *data, enum stage stage,
     uint64_t time_ns, const struct process *process)
{
    if (recording->interfaces[stage] == NO_INTERFACE)
        return;
    struct sighting *sighting = malloc(sizeof(*sighting) + event->data_bytes);
    if (!sighting)
        return;
    *sighting = (struct sighting){ .time_ns = time_ns,
                                   .packet = event->packet,
                                   .stage = stage,
                                   .process = *process,
                                   .wire_bytes = event->wire_bytes,
                                   .link_bytes = event->link_bytes,
                                   .data_bytes = event->data_bytes };
    memcpy(sighting->data, data, event->data_bytes);
    if (recording->conversations && process->pid && event->data_bytes && is_wanted(recording, process))
        conversations_learn(recording->conversations, sighting);
    window_push(&recording->window, sighting);
}

/* A sighting, and before it the calls that are known to be of this packet only now. */
static void
take(const struct event *event, const unsigned char *data, void *context)
{
    static const enum stage sent[] = { STAGE_APP_SEND, STAGE_TX_TCP }, received[] = { STAGE_APP_EPOLL, STAGE_APP_RECV };
    struct recording *recording = context;
    const enum stage *earlier = stage_is_sent(event->stage) ? sent : received;
    for (size_t i = 0; i < 2; i++)
        if (event->earlier_ns[i])
            push(recording, event, data, earlier[i], event->earlier_ns[i], &event->caller);
    push(recording, event, data, event->stage, event->time_ns, &event->process);
}

/* What the file has of an interface begins with an Ethernet header, if need be one of zeroes. */
static void
write_sighting(struct recording *recording, const struct sighting *sighting, const struct sighting *content)
{
    unsigned char bytes[ETHERNET_BYTES + HEADERS_BYTES + PACKET_BYTES] = { 0 };
    const enum stage stage = sighting->stage;
    const uint32_t missing = content->link_bytes ? 0 : ETHERNET_BYTES;
    if (missing && content->data_bytes) {
        const bool six = content->data[0] >> 4 == 6;
        bytes[12] = six ? 0x86 : 0x08;
        bytes[13] = six ? 0xdd : 0x00;
    }
    memcpy(bytes + missing, content->data, content->data_bytes);
    const uint32_t data_bytes = content->data_bytes + missing, snap_bytes = recording->options->wanted.bytes;
    const struct pcapng_packet packet = { .interface = (uint32_t)recording->interfaces[stage],
                                          .time_ns = sighting->time_ns + recording->offset_ns,
                                          .data = bytes,
                                          .data_bytes = data_bytes < snap_bytes ? data_bytes : snap_bytes,
                                          .wire_bytes = content->wire_bytes + missing,
                                          .id = sighting->packet,
                                          .dropped = recording->dropped[stage],
                                          .sent = stage_is_sent(stage),
                                          .process = sighting->process.pid ? &sighting->process : NULL };
    pcapng_packet(recording->file, &packet);
    recording->dropped[stage] = 0;
    recording->written[stage]++;
    recording->count++;
}

static bool
is_full(const struct recording *recording)
{
    return recording->options->count && recording->count >= recording->options->count;
}

static void
write_until(struct recording *recording, uint64_t until_ns)
{
    struct sighting *sighting;
    while (!is_full(recording) && (sighting = window_pop(&recording->window, until_ns))) {
        struct sighting **place = &recording->contents[sighting->packet % CONTENTS], *done = sighting;
        if (sighting->data_bytes) {
            done = *place;
            *place = sighting;
        }
        /* Of a packet whose bytes were lost, or are not kept any more, nothing can be said. */
        const struct sighting *content = *place && (*place)->packet == sighting->packet ? *place : NULL;
        if (content && (!recording->conversations || conversations_know(recording->conversations, content)))
            write_sighting(recording, sighting, content);
        free(done);
    }
}

static void
count_losses(struct recording *recording)
{
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++) {
        if (recording->interfaces[stage] == NO_INTERFACE)
            continue;
        const uint64_t lost = probes_lost(recording->probes, stage);
        recording->dropped[stage] += lost - recording->lost[stage];
        recording->lost[stage] = lost;
    }
}

bool
recording_step(struct recording *recording)
{
    const uint64_t now = now_ns(CLOCK_MONOTONIC);
    probes_read(recording->probes, take, recording);
    count_losses(recording);
    write_until(recording, now - WINDOW_NS);
    if (!pcapng_flush(recording->file))
        return false;
    errno = 0;
    return !is_full(recording);
}

void
recording_end(struct recording *recording)
{
    const uint64_t now = now_ns(CLOCK_MONOTONIC);
    probes_read(recording->probes, take, recording);
    count_losses(recording);
    write_until(recording, UINT64_MAX);
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        if (recording->interfaces[stage] != NO_INTERFACE)
            pcapng_statistics(recording->file, (uint32_t)recording->interfaces[stage], now + recording->offset_ns,
                              recording->written[stage] + recording->lost[stage], recording->lost[stage]);
}

uint64_t
recording_count(const struct recording *recording)
{
    return recording->count;
}

void
recording_free(struct recording *recording)
{
    window_clear(&recording->window);
    for (size_t i = 0; i < CONTENTS; i++)
        free(recording->contents[i]);
    free(recording->conversations);
    free(recording);
}
