/* recorded_point.h
 * What a capture's records say of where, and for which process, a frame was seen: interface, packet id, options,
 * comments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RECORDED_POINT_H
#define LATENCY_RECORDED_POINT_H

#include <wiretap/wtap.h>

#include "../core/points/path.h"

/* Of one capture, in whose order frames are read. The first members are the caller's to set, the tables live as long
 * as the capture does. */
struct point_reader {
    struct points *points;
    struct process_table *processes;
    /* The name of a section's interface; NULL if there is none. */
    const char *(*interface_name)(void *data, uint32_t interface, uint32_t section);
    /* Reads a process information block of Apple's, if it is there; NULL: nobody can. */
    void (*process_block)(void *data, uint32_t block, uint32_t section, struct process *process);
    bool begun, active;
};

/* A frame's record. */
struct recorded {
    const wtap_rec *rec;
    int encapsulation;    /* one of wiretap's; that of the record may have been changed by a dissector */
    const uint8_t *bytes; /* `captured` of them, from the link layer on */
    uint32_t captured;
    uint32_t frame;
    int64_t time_ns;
    void *data; /* for the functions above */
};

/* Fills in what the frame's record says of the packet, and of where it was seen, if this is a capture with several
 * points, with ids of packets, or with processes: false otherwise, as long as nothing of the kind has turned up. */
bool recorded_point_read(struct point_reader *reader, const struct recorded *recorded, struct fingerprint *fingerprint,
                         struct sighting *seen);

/* Fills in what an IP header says whose packet is not TCP: `captured` bytes from it on, its addresses among them. */
void recorded_point_read_ip(const uint8_t *header, uint32_t captured, struct fingerprint *fingerprint);

#endif
