/* table_source.h
 * The capture that tables and JSON lines are made of, as its reader has it: Wireshark's intake, or latency-scan.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TABLE_SOURCE_H
#define LATENCY_TABLE_SOURCE_H

#include <wsutil/wmem/wmem.h>

#include "../core/tcp/segment.h"
#include "../core/util/settings.h"
#include "text_table.h"

struct analysis;
struct calls;

/* What only the program knows. Texts are allocated in `scope`. */
struct source_texts {
    /* An address, by name where the user asked for names. */
    char *(*address)(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6);
    /* A point in time, `ns` since 1970, of a capture that starts at `start_ns`: as tshark's -t says. */
    char *(*timestamp)(wmem_allocator_t *scope, int64_t ns, int64_t start_ns);
    /* Preferences, as the user would type them. */
    char *(*server_ports)(wmem_allocator_t *scope);
    char *(*full_sizes)(wmem_allocator_t *scope);
    char *(*ca_tcp_ports)(wmem_allocator_t *scope);
    char *(*ca_udp_ports)(wmem_allocator_t *scope);
    char *(*pva_tcp_ports)(wmem_allocator_t *scope);
    const char *wireshark; /* its version */
    const char *command;   /* that prints a table of a FILE, up to the table's name */
};

/* Written by the reader, read by tables. */
struct table_source {
    struct analysis *analysis; /* NULL between captures */
    const struct settings *settings;
    const struct source_texts *texts;
    enum table_format format; /* of tables that are printed */
    bool shows_wide;          /* with their wide columns, in whatever is printed as text */
    bool has_printed;         /* one of them */
    uint32_t frame;           /* whose items are being told */
    bool is_visited;          /* not for the first time: all frames have been read */
    uint32_t number;          /* of the capture, from 1; requests and attempts are numbered anew in each */
    int64_t start_ns;         /* of its first frame that has a time, of whatever protocol; 0 before */
    int64_t last_ns;          /* the latest of its frames; 0 before */
    uint64_t fragments;       /* of its frames: with a later part of an IP datagram with TCP */
    bool has_points;          /* its records tell of several points, ids of packets, or processes */
    const char *filter;       /* the capture filter that the reader applies; NULL: none */
    bool has_packets;         /* any capture had one that the reader passed on */
    bool has_tcp;             /* any capture had a frame with TCP */
    bool has_quic;            /* any capture had a connection of QUIC */
    bool has_payload;         /* any capture had a segment that carries bytes */
    bool has_channel_access;  /* any capture had a message */
    bool has_pvaccess;        /* likewise */
    unsigned calls_wanted;    /* how many want them: see call_source.h */
    unsigned traces_wanted;   /* how many of these want to know in what traces requests stand */
    struct calls *calls;      /* likewise; NULL between captures, and if nobody has wanted them in this one */
    uint32_t calls_frame;     /* the last that was read when causes were told; 0: they have not been */
    int64_t calls_told_us;    /* when that ended, by a clock that always goes on */
    int64_t calls_took_us;    /* and how long it took */
    GSList *observers;        /* see observer.h */
    GSList *held_listeners;   /* see held_frames.h */
};

#endif
