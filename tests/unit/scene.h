/* scene.h
 * A connection whose segments a test makes up, one after another, and what was read of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SCENE_H
#define LATENCY_SCENE_H

#include "core/analysis.h"
#include "core/request/exchanges.h"

struct scene {
    wmem_allocator_t *scope;
    struct settings settings;
    struct analysis *analysis;
    struct connection *connection;
    int64_t step_ns; /* between two segments; the first comes so long after the epoch */
    uint16_t port;   /* the server's */
    uint32_t frame;
    uint32_t seq[2]; /* of the next byte of the server, of the client */
    bool client_begins;
    /* Where a test tells messages itself: in what was sent last. */
    struct payload payload;
    struct piece piece;
    struct carrier carrier;
};

/* Call scene_close() when done with it. The port is a known server's. */
void scene_open(struct scene *scene, uint16_t port, int64_t step_ns);
void scene_close(struct scene *scene);

/* The next segment, with so many bytes of payload, which the caller has. */
struct segment scene_segment(struct scene *scene, bool from_client, size_t bytes);

/* Sends it, with the first `captured` bytes of the text; nothing if there are no bytes. */
void scene_send(struct scene *scene, bool from_client, const char *bytes, size_t n, size_t captured);
void scene_say(struct scene *scene, bool from_client, const char *text);

/* Likewise `back` bytes before the next ones: again, or late. */
void scene_send_late(struct scene *scene, bool from_client, size_t back, const char *bytes, size_t n, size_t captured);
void scene_say_late(struct scene *scene, bool from_client, size_t back, const char *text);

/* Sends the SYN and its answer, both without payload. */
void scene_shake_hands(struct scene *scene);

/* What is held behind bytes that are missing is read without them. */
void scene_give_up(struct scene *scene);

/* Compares each request's operation, sizes, and status, `-` if it is unanswered, or `lost`, and ` stream` and ` poll`
 * of what is one; and closes the scene. */
void scene_check(struct scene *scene, const char *expected);

#endif
