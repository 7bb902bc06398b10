/* scenario2pcap.c
 * scenario2pcap IN.scn OUT.pcap: the capture that shows a scenario, with nanosecond timestamps.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _DEFAULT_SOURCE /* pcap.h needs u_int and u_char */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

#include "frame.h"
#include "scenario.h"

enum { NS_PER_S = 1000000000 };

static int link_type(enum scenario_link link)
{
    switch (link) {
    case SCENARIO_RAW:
        return DLT_RAW;
    case SCENARIO_NULL:
        return DLT_NULL;
    case SCENARIO_SLL2:
        return DLT_LINUX_SLL2;
    case SCENARIO_ETHERNET:
        break;
    }
    return DLT_EN10MB;
}

static void dump_segment(pcap_dumper_t *dumper, const struct scenario *scenario, const struct scenario_segment *segment)
{
    struct pcap_pkthdr header = {0};
    header.ts.tv_sec = (time_t)(segment->time_ns / NS_PER_S);
    header.ts.tv_usec = (suseconds_t)(segment->time_ns % NS_PER_S); /* nanoseconds, as the file is opened for them */
    GPtrArray *frames = g_ptr_array_new();
    frame_build(scenario, segment, frames);
    for (guint i = 0; i < frames->len; i++) {
        GByteArray *frame = g_ptr_array_index(frames, i);
        header.len = frame->len;
        header.caplen = MIN(frame->len, scenario->snaplen);
        pcap_dump((u_char *)dumper, &header, frame->data);
        g_byte_array_free(frame, TRUE);
    }
    g_ptr_array_free(frames, TRUE);
}

/* False, and said, if the file cannot be written. */
static bool write_capture(const struct scenario *scenario, const char *path)
{
    pcap_t *pcap = pcap_open_dead_with_tstamp_precision(link_type(scenario->link), (int)scenario->snaplen,
                                                        PCAP_TSTAMP_PRECISION_NANO);
    pcap_dumper_t *dumper = pcap == NULL ? NULL : pcap_dump_open(pcap, path);
    bool written = false;
    if (dumper != NULL) {
        for (guint i = 0; i < scenario->segments->len; i++)
            dump_segment(dumper, scenario, g_ptr_array_index(scenario->segments, i));
        written = pcap_dump_flush(dumper) == 0;
        if (!written)
            fprintf(stderr, "%s: %s\n", path, strerror(errno));
        pcap_dump_close(dumper);
    } else {
        fprintf(stderr, "%s\n", pcap == NULL ? "cannot make a capture in memory" : pcap_geterr(pcap));
    }
    if (pcap != NULL)
        pcap_close(pcap);
    return written;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: scenario2pcap IN.scn OUT.pcap\n");
        return 2;
    }
    char *error = NULL;
    struct scenario *scenario = scenario_read(argv[1], &error);
    if (scenario == NULL) {
        fprintf(stderr, "%s\n", error);
        g_free(error);
        return EXIT_FAILURE;
    }
    bool written = write_capture(scenario, argv[2]);
    scenario_free(scenario);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
