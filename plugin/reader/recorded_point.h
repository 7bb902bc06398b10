/* recorded_point.h
 * What a capture's records say of where, and for which process, a frame was seen: interface, packet id, options,
 * comments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RECORDED_POINT_H
#define LATENCY_RECORDED_POINT_H

#include "../core/points/path.h"
#include "frame.h"

/* What whoever reads a capture is asked of a frame. */
struct point_calls {
    /* wiretap's, which not everybody has loaded who links this. */
    __typeof__(wtap_block_foreach_option) *foreach_option;
    /* The name of a section's interface; NULL if there is none. */
    const char *(*interface_name)(const struct frame *frame, uint32_t interface, uint32_t section);
    /* Reads a process information block of Apple's, if it is there; NULL: nobody can. */
    void (*process_block)(const struct frame *frame, uint32_t block, uint32_t section, struct process *process);
    /* Reads the process with a pid at the frame's time, of Wireshark's process blocks: false if there is none; NULL:
     * nobody can. */
    bool (*process_of_pid)(const struct frame *frame, uint32_t pid, struct process *process);
    /* The packet's innermost IP header, not what it quotes: `captured` bytes, its addresses among them. NULL if there
     * is none. */
    const uint8_t *(*ip_header)(const struct frame *frame, uint32_t *captured);
};

/* Of one capture, in whose order frames are read. The tables live as long as the capture does. */
struct point_reader {
    const struct point_calls *calls;
    struct points *points;
    struct process_table *processes;
    uint64_t key; /* of fingerprints */
    bool begun, active;
    /* The point of a section's last interface, by its name alone; 0: not known. */
    struct {
        uint32_t interface, section;
        uint16_t point;
    } latest;
};

/* Fills in what the frame's record says of the packet, and of where it was seen, if this is a capture with several
 * points, with ids of packets, or with processes: false otherwise, as long as nothing of the kind has turned up. */
bool recorded_point_read(struct point_reader *reader, const struct frame *frame, struct fingerprint *fingerprint,
                         struct sighting *seen);

/* Whether the link layer's header, by wiretap's number, says where a frame was seen: its bytes are needed for that. */
bool recorded_point_is_in_link(int encapsulation);

/* Fills in what its IP header says of a packet that is not TCP; false if it has none. */
bool recorded_point_read_ip(const struct point_reader *reader, const struct frame *frame,
                            struct fingerprint *fingerprint);

#endif
