/* compat_wiretap.h
 * Every difference between the wiretaps of Wireshark 4.0, 4.4 and 4.6 that latency-scan meets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_COMPAT_WIRETAP_H
#define SCAN_COMPAT_WIRETAP_H

#include "lazy_wiretap.h"

/* A record with its bytes: since 4.6 they are in wtap_rec. */
struct read_record {
    wtap_rec rec;
#if !LATENCY_VERSION_AT_LEAST(4, 6)
    Buffer buffer;
#endif
};

enum { COMPAT_ROOM = 1514 };

static inline void
compat_record_init(struct read_record *record)
{
#if LATENCY_VERSION_AT_LEAST(4, 6)
    wiretap()->wtap_rec_init(&record->rec, COMPAT_ROOM);
#else
    wiretap()->wtap_rec_init(&record->rec);
    ws_buffer_init(&record->buffer, COMPAT_ROOM);
#endif
}

static inline void
compat_record_clear(struct read_record *record)
{
    wiretap()->wtap_rec_cleanup(&record->rec);
#if !LATENCY_VERSION_AT_LEAST(4, 6)
    ws_buffer_free(&record->buffer);
#endif
}

static inline bool
compat_read(wtap *wth, struct read_record *record, int *error, char **reason)
{
    gint64 offset;
#if LATENCY_VERSION_AT_LEAST(4, 6)
    return wiretap()->wtap_read(wth, &record->rec, error, reason, &offset);
#else
    return wiretap()->wtap_read(wth, &record->rec, &record->buffer, error, reason, &offset);
#endif
}

static inline const uint8_t *
compat_record_bytes(struct read_record *record)
{
#if LATENCY_VERSION_AT_LEAST(4, 6)
    return ws_buffer_start_ptr(&record->rec.data);
#else
    return ws_buffer_start_ptr(&record->buffer);
#endif
}

/* Names of interfaces are a section's own since 4.4. */
static inline uint32_t
compat_interface(wtap *wth, uint32_t interface, uint32_t section)
{
#if LATENCY_VERSION_AT_LEAST(4, 4)
    return wiretap()->wtap_file_get_shb_global_interface_id(wth, section, interface);
#else
    (void)wth;
    (void)section;
    return interface;
#endif
}

#endif
