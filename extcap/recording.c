/* recording.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "clocks.h"
#include "conversations.h"
#include "marks.h"
#include "sampling.h"
#include "stages.h"
#include "window.h"

enum {
    ETHERNET_BYTES = 14,
    CONTENTS = 65536, /* packets whose bytes are kept for their other sightings */
    TEXT_BYTES = 512,
    NO_INTERFACE = -1
};
#define WINDOW_NS  100000000ULL
#define SECOND_NS  1000000000ULL
#define TELLING_NS 1000000ULL
#define SLOW_NS    100000000ULL /* of writing, in one step */
#define LATE_NS    400000000ULL

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
    uint64_t unwritten[STAGE_COUNT]; /* lost, too: the bytes of their packet were, or the reader is too slow */
    uint64_t count;
    uint64_t latest_ns; /* of what came in this step; 0 if nothing has */
    struct marks marks;
    struct sampling sampling;
};

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
    sampling_begin(&recording->sampling, options->wanted.one_in, (unsigned)get_nprocs());
    if (recording->sampling.one_in > 1)
        marks_add(&recording->marks, &(struct mark){ .one_in = recording->sampling.one_in });
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

/* `data` NULL: of the packet's other sightings. One at a stage that is not recorded may have bytes for those. */
static void
push(struct recording *recording, const struct event *event, const unsigned char *data, enum stage stage,
     uint64_t time_ns, const struct process *process)
{
    if (recording->interfaces[stage] == NO_INTERFACE && !data)
        return;
    const uint32_t data_bytes = data ? event->data_bytes : 0;
    struct sighting *sighting = malloc(sizeof(*sighting) + data_bytes);
    if (!sighting)
        return;
    *sighting = (struct sighting){ .time_ns = time_ns,
                                   .packet = event->packet,
                                   .connection = event->connection,
                                   .stage = stage,
                                   .process = *process,
                                   .wire_bytes = event->wire_bytes,
                                   .link_bytes = event->link_bytes,
                                   .data_bytes = data_bytes };
    if (data)
        memcpy(sighting->data, data, data_bytes);
    if (recording->conversations && process->pid && event->connection && is_wanted(recording, process))
        conversations_learn(recording->conversations, event->connection);
    window_push(&recording->window, sighting);
}

/* A sighting, and before it the calls that are known to be of this packet only now; the first has the bytes. */
static void
take(const struct known_event *known, const unsigned char *data, void *context)
{
    static const enum stage sent[] = { STAGE_APP_SEND, STAGE_TX_TCP }, received[] = { STAGE_APP_EPOLL, STAGE_APP_RECV };
    struct recording *recording = context;
    const struct event *event = &known->event;
    const enum stage *earlier = stage_is_sent(event->stage) ? sent : received;
    if (!event->data_bytes)
        data = NULL;
    recording->latest_ns = event->time_ns;
    sampling_note(&recording->sampling, event->connection);
    for (size_t i = 0; i < 2; i++)
        if (known->earlier_ns[i]) {
            push(recording, event, data, earlier[i], known->earlier_ns[i], &known->caller);
            data = NULL;
        }
    push(recording, event, data, event->stage, event->time_ns, &known->process);
}

/* What the recorder says of itself, as comments of the record at this time, and as its interfaces' counts. */
static void
take_marks(struct recording *recording, uint64_t time_ns, char *lost, char *sample)
{
    struct mark mark;
    if (!marks_take(&recording->marks, time_ns, &mark))
        return;
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        recording->dropped[stage] += mark.lost[stage];
    mark_text(&mark, lost, TEXT_BYTES);
    if (mark.one_in)
        snprintf(sample, TEXT_BYTES, "Sample: 1/%" PRIu32, mark.one_in);
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
    char lost[TEXT_BYTES] = "", sample[TEXT_BYTES] = "";
    take_marks(recording, sighting->time_ns, lost, sample);
    const uint32_t data_bytes = content->data_bytes + missing, snap_bytes = recording->options->wanted.bytes;
    const struct pcapng_packet packet = { .interface = (uint32_t)recording->interfaces[stage],
                                          .time_ns = sighting->time_ns + recording->offset_ns,
                                          .data = bytes,
                                          .data_bytes = data_bytes < snap_bytes ? data_bytes : snap_bytes,
                                          .wire_bytes = content->wire_bytes + missing,
                                          .id = sighting->packet,
                                          .dropped = recording->dropped[stage],
                                          .sent = stage_is_sent(stage),
                                          .comments = { lost, sample },
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

/* A reader that is slow, such as dumpcap, is not given what it cannot take: the recording would end in the past. */
static bool
is_too_late(const struct recording *recording, const struct sighting *sighting, uint64_t writing_ns)
{
    return pcapng_writing_ns(recording->file) - writing_ns > SLOW_NS &&
           now_ns(CLOCK_MONOTONIC) - sighting->time_ns > LATE_NS;
}

static void
write_until(struct recording *recording, uint64_t until_ns)
{
    const uint64_t writing_ns = pcapng_writing_ns(recording->file);
    struct sighting *sighting;
    while (!is_full(recording) && (sighting = window_pop(&recording->window, until_ns))) {
        struct sighting **place = &recording->contents[sighting->packet % CONTENTS], *done = sighting;
        if (sighting->data_bytes) {
            done = *place;
            *place = sighting;
        }
        const struct sighting *content = *place && (*place)->packet == sighting->packet ? *place : NULL;
        if (recording->interfaces[sighting->stage] != NO_INTERFACE) {
            /* Of a packet whose bytes were lost nothing can be said. */
            if (!content || is_too_late(recording, sighting, writing_ns))
                recording->unwritten[sighting->stage]++;
            else if (!recording->conversations || conversations_know(recording->conversations, content->connection))
                write_sighting(recording, sighting, content);
        }
        free(done);
    }
}

/* Adds what was lost since it was asked last; false if nothing was. */
static bool
note_lost(struct recording *recording, struct mark *mark)
{
    bool has_lost = false;
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++) {
        if (recording->interfaces[stage] == NO_INTERFACE)
            continue;
        const uint64_t lost = probes_lost(recording->probes, stage) + recording->unwritten[stage];
        mark->lost[stage] = lost - recording->lost[stage];
        recording->lost[stage] = lost;
        has_lost |= mark->lost[stage] > 0;
    }
    return has_lost;
}

/* To be called when all that came has been taken. What did not come would have come about when the last of it did: a
 * little before, so that each stage has a record that can tell. */
static void
count_losses(struct recording *recording, uint64_t now)
{
    struct mark mark = { .time_ns = recording->latest_ns ? recording->latest_ns - TELLING_NS : now };
    const bool has_lost = note_lost(recording, &mark);
    if (sampling_step(&recording->sampling, now, has_lost)) {
        mark.one_in = recording->sampling.one_in;
        probes_sample(recording->probes, mark.one_in);
    }
    if (has_lost || mark.one_in)
        marks_add(&recording->marks, &mark);
}

bool
recording_step(struct recording *recording)
{
    const uint64_t now = now_ns(CLOCK_MONOTONIC);
    recording->latest_ns = 0;
    probes_read(recording->probes, take, recording);
    count_losses(recording, now);
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
    recording->latest_ns = 0;
    probes_read(recording->probes, take, recording);
    count_losses(recording, now);
    write_until(recording, UINT64_MAX);
    /* No record follows that could tell of what was left out of the last ones. */
    note_lost(recording, &(struct mark){ 0 });
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

uint64_t
recording_lost(const struct recording *recording, enum stage stage)
{
    return recording->lost[stage];
}

uint32_t
recording_sampled(const struct recording *recording)
{
    return recording->sampling.is_fixed ? 1 : recording->sampling.worst;
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
