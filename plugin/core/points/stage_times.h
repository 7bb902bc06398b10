/* stage_times.h
 * What a host's stages come to: a packet's way between wire and process, and a request's way through the server.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAGE_TIMES_H
#define LATENCY_STAGE_TIMES_H

#include "path.h"

/* Where a packet can be seen on its way, from the process down for a sent one, from the wire up for a received one. */
enum layer { LAYER_DRIVER, LAYER_IP, LAYER_TCP, LAYER_APP, LAYERS };

extern const char *const layer_names[LAYERS];

/* Times of the packet's first sighting in each layer, on its way in that direction. `time_ns` of those not `seen` are
 * meaningless. False if it was seen in none. */
struct passage {
    int64_t time_ns[LAYERS];
    bool seen[LAYERS];
};
bool passage_read(struct passage *passage, const struct path *path, const struct points *points, enum heading heading);

/* A request's stages at the server, each from the end of the one before. */
#define PART(name, ...) PART_##name,
enum part { PART_LIST(PART) PARTS };
#undef PART

struct stay {
    int64_t arrived_ns;     /* rx:driver */
    int64_t ends_ns[PARTS]; /* rx:ip, rx:ready, app:epoll, app:recv, app:recv-ret, app:send, tx:driver */
    bool has_arrived;
    bool has_end[PARTS];
};

/* Fill in what is known of the request's last packet, and of its response's first: of the bytes in `range`. */
void stay_take_request(struct stay *stay, const struct path *path, struct range range, const struct points *points);
void stay_take_response(struct stay *stay, const struct path *path, struct range range, const struct points *points);

/* False unless the whole stay is known. Parts add up to the total. What had begun before its turn, as a reader that
 * already waited, takes no time; nor does a part whose end was not captured: the next one has its time. */
bool stay_parts(const struct stay *stay, int64_t parts_ns[PARTS], int64_t *total_ns);

#endif
