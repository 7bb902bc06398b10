/* plain_pcap.h
 * The records of a pcap or pcapng file, in a tenth of the time that wiretap takes, which makes and frees a block of
 * options for each; libpcap takes half of it (docs/performance-internal.md).
 *
 * Only what programs write every day is read here: uncompressed files of link layers without a pseudo-header, of pcap
 * 2.4, or of one section of pcapng, up to the first record that is something else, or makes no sense. The rest, and
 * what to say about it, is wiretap's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_PLAIN_PCAP_H
#define SCAN_PLAIN_PCAP_H

#include "described.h"
#include "reader/frame.h"

struct plain_pcap;

/* What it points to is valid until the next one is read. */
struct plain_record {
    const uint8_t *bytes;
    uint32_t captured, reported;
    int encapsulation; /* wiretap's number */
    uint32_t interface;
    bool has_time;
    bool tells;                 /* its options may say at which point, or for whom, it was captured */
    int64_t time_ns;            /* since the epoch; if it has one */
    struct raw_options options; /* of no bytes if it has none */
};

/* PLAIN_CUSTOM: one that is no packet, and nothing more is known of it. */
enum plain_next { PLAIN_RECORD, PLAIN_CUSTOM, PLAIN_END, PLAIN_ODD };

/* NULL if it is something else, or its first records are not what programs write, or it cannot be opened. */
struct plain_pcap *plain_pcap_open(const char *path);
void plain_pcap_close(struct plain_pcap *plain);

/* PLAIN_ODD: from this record on the file is wiretap's. */
enum plain_next plain_pcap_next(struct plain_pcap *plain, struct plain_record *record);

/* The name of an interface; NULL if the file does not say it. */
const char *plain_pcap_interface(const struct plain_pcap *plain, uint32_t interface);

/* The processes that the file has described so far; NULL if there are none. */
const struct described *plain_pcap_described(const struct plain_pcap *plain);

/* Whether records tell their interfaces. */
bool plain_pcap_has_interfaces(const struct plain_pcap *plain);

/* Records that were read, and bytes of the file. */
uint64_t plain_pcap_records(const struct plain_pcap *plain);
int64_t plain_pcap_bytes(const struct plain_pcap *plain);

#endif
