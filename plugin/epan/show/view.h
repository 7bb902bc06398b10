/* view.h
 * The tree of a frame as it is filled: where the next field of ours goes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_VIEW_H
#define LATENCY_VIEW_H

#include <epan/packet.h>

#include "../../core/protocol/tls/tls_handshake.h"

struct view {
    tvbuff_t *tvb;
    packet_info *pinfo;
    int64_t now_ns; /* time of the frame */
    proto_tree *parent;
    proto_item *item; /* ours below it, with its tree; NULL until there is something to show */
    proto_tree *tree;
};

/* To be called once, when Wireshark registers protocols. */
void view_register(int proto);

/* Ours, which begins with the first field. */
proto_tree *view_tree(struct view *view);

void view_add_time(struct view *view, int hf, int64_t ns);
void view_add_uint(struct view *view, int hf, uint32_t value);
void view_add_bytes(struct view *view, int hf, uint64_t bytes);
void view_add_string(struct view *view, int hf, const char *text);

/* Flags stand in the tree only when set, so that their bare name is a filter for them, as with tcp.analysis. */
void view_add_flag(struct view *view, int hf);

/* Of requests and attempts to connect. What may still be answered, when the capture goes on: how long it has waited by
 * now tells whether that is strange. */
void view_add_waited(struct view *view, int64_t ns);
void view_add_reordered(struct view *view);

/* Note in the tree that a client waited too long, for a response or for an answer to its SYN, if it did
 * (intake_is_slow()). */
void view_note_slow_response(struct view *view, int64_t wait_ns, int64_t first_byte_ns);
void view_note_slow_connect(struct view *view, int64_t ns);

/* Marks a field as ours. Where the tree of its message, or request, shows the same, it is hidden: it is for columns and
 * filters. */
void view_finish(proto_item *field, bool is_hidden);

/* Names of the core's values, as fields want them. */
extern value_string outcome_strings[OUTCOMES + 1];
extern value_string connect_result_strings[CONNECT_RESULTS + 1];
extern value_string tls_result_strings[TLS_RESULTS + 1];

/* To be called before fields with these strings are registered. */
void view_fill_names(void);

/* An address, by name where the user asked for names. Allocated in `scope`. */
char *view_address(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6);

/* Elements of an array of hf_register_info. */
#define VIEW_FIELD(id, name, abbreviation, type, display, strings, blurb)                                              \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, abbreviation, type, display, strings, 0, blurb, HFILL                                                \
        }                                                                                                              \
    }
#define TIME_FIELD(id, name, abbreviation, blurb)                                                                      \
    VIEW_FIELD(id, name, abbreviation, FT_RELATIVE_TIME, BASE_NONE, NULL, blurb)
#define BYTES_FIELD(id, name, abbreviation, blurb) VIEW_FIELD(id, name, abbreviation, FT_UINT64, BASE_DEC, NULL, blurb)
#define UINT_FIELD(id, name, abbreviation, blurb)  VIEW_FIELD(id, name, abbreviation, FT_UINT32, BASE_DEC, NULL, blurb)
#define TEXT_FIELD(id, name, abbreviation, blurb)  VIEW_FIELD(id, name, abbreviation, FT_STRING, BASE_NONE, NULL, blurb)
#define FLAG_FIELD(id, name, abbreviation, blurb)  VIEW_FIELD(id, name, abbreviation, FT_BOOLEAN, BASE_NONE, NULL, blurb)
#define FRAME_FIELD(id, name, abbreviation, type, blurb)                                                               \
    VIEW_FIELD(id, name, abbreviation, FT_FRAMENUM, BASE_NONE, type, blurb)

#endif
