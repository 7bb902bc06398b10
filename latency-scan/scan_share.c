/* scan_share.c
 * A capture that several scans take, each some of its connections.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "scan_inside.h"

#include "core/protocol/dns/dns_datagram.h"
#include "table/observer.h"
#include "datagram.h"

void
scan_take_decapped(struct scan *scan, const struct frame_place *place, const struct frame *frame,
                   const struct decapped *decapped)
{
    scan->frames = place->number;
    scan->source.start_ns = place->start_ns;
    scan->source.last_ns = place->last_ns;
    scan->started = true;
    analysis_note_time(scan->source.analysis, place->last_ns);
    if (decapped->kind == DECAP_TCP)
        scan_take_tcp(scan, frame, decapped);
    else if (decapped->kind != DECAP_QUOTED)
        scan_take_udp(scan, frame, decapped);
    else
        scan_take_quoted(scan, frame, decapped);
    items_enter(scan->source.analysis->items, place->number);
    scan_tell_frame(scan);
}

/* Of TCP it shows when a connection is read: scan_is_alone(). */
static bool
is_of_channels(const struct decapped *decapped)
{
    return decapped->kind == DECAP_UDP &&
           datagram_is_of_channels(decapped->source_port, decapped->destination_port, decapped->payload);
}

/* Whether this is a capture with several points. */
static void
note_point(struct scan *scan, const struct frame *frame)
{
    struct fingerprint fingerprint;
    struct sighting seen;
    const struct recorded recorded = {
        .rec = frame->rec,
        .encapsulation = frame->encapsulation,
        .bytes = frame->bytes,
        .captured = frame->captured,
        .data = frame->file,
    };
    recorded_point_read(&scan->points, &recorded, &fingerprint, &seen);
}

bool
scan_pass(struct scan *scan, const struct frame *frame, struct decapped *decapped)
{
    scan->frames++;
    if (!frame->is_plain)
        note_point(scan, frame);
    scan_decap_frame(frame, decapped);
    if (decapped->kind == DECAP_NOT_UNDERSTOOD)
        not_read_note(scan->not_read, decapped->reason, frame->encapsulation);
    scan_end_frame(scan, frame, decapped);
    return !scan->points.active && !is_of_channels(decapped);
}

bool
scan_wants(const struct decapped *decapped)
{
    switch (decapped->kind) {
    case DECAP_TCP:
    case DECAP_QUOTED:
        return true;
    case DECAP_UDP:
    case DECAP_QUOTED_UDP:
        return dns_datagram_is_between(decapped->source_port, decapped->destination_port);
    default:
        return false;
    }
}

bool
scan_is_alone(const struct scan *scan)
{
    return scan->source.analysis->channels->circuits > 0;
}

void
scan_join(struct scan *scan, struct scan *const *others, unsigned n)
{
    struct requests *requests = &scan->source.analysis->requests;
    for (unsigned i = 0; i < n; i++) {
        requests->last_ns = MAX(requests->last_ns, others[i]->source.analysis->requests.last_ns);
        scan->source.has_packets |= others[i]->source.has_packets;
        scan->source.has_tcp |= others[i]->source.has_tcp;
        scan->source.has_payload |= others[i]->source.has_payload;
        not_read_join(scan->not_read, others[i]->not_read);
    }
    for (unsigned i = 0; i < n; i++) {
        others[i]->source.analysis->requests.last_ns = requests->last_ns;
        observers_end(&others[i]->source);
    }
}
