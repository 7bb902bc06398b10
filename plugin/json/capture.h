/* capture.h
 * What a file's first line says of the capture it was made of.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CAPTURE_H
#define LATENCY_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "../core/util/vocabulary.h"
#include "../table/sighting_tally.h"

struct capture {
    char *path;
    enum json_content content;
    char *filter; /* NULL if there was none */
    uint64_t frames;
    int64_t first_ns, last_ns; /* both 0 if it has no frame with a time */
    uint64_t requests, attempts;
    uint64_t handshakes; /* of TLS */
    uint64_t tls_handshakes, tls_alerts;
    uint64_t channels, orphan_channels; /* of Channel Access */
    uint64_t pva_channels, orphan_pva_channels;
    struct sighting_tally sightings;
    uint64_t fragments; /* frames with a part of an IP datagram with TCP */
    int64_t calls;      /* lines that say which request caused which; -1: they were not asked for */
    char *settings;     /* in words, to be compared */
    int64_t timeout_ns;
    bool fold_numbers;
    GPtrArray *points; /* names of its capture points; empty where it does not say */
};

/* NULL, and a sentence in `error`, if the file is none that can be merged. */
struct capture *capture_read(const char *path, GError **error);
void capture_free(struct capture *capture);

#endif
