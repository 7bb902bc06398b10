/* view.h
 * The tree of a frame as it is filled: where the next field of ours goes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_VIEW_H
#define LATENCY_VIEW_H

#include <epan/packet.h>

#include "../core/protocol/tls/tls_handshake.h"

struct view {
    tvbuff_t *tvb;
    packet_info *pinfo;
    int64_t now_ns; /* time of the frame */
    proto_tree *parent;
    proto_item *item; /* ours below it, with its tree; NULL until there is something to show */
    proto_tree *tree;
    unsigned trees; /* of ours in the frame so far */
    int tree_type;  /* of the latest */
};

/* To be called once, when Wireshark registers protocols. */
void view_register(int proto);

/* Ours, which begins with the first field. The first of a frame unfold one by one: each has a type of its own. */
proto_tree *view_tree(struct view *view);

/* Ends ours, if it has begun: expert items have given it a type that trees of whatever protocol share. */
void view_end_tree(struct view *view);

/* Adds a time, which is shown in milliseconds with three decimals; filters take seconds. */
void view_add_time(struct view *view, int hf, int64_t ns);

/* Adds a time between capture points, which is shown in microseconds. */
void view_add_stage(struct view *view, int hf, int64_t ns);

/* Adds a time that says nothing if it is 0, and then is there for filters alone. */
void view_add_spread(struct view *view, int hf, int64_t ns);
void view_add_uint(struct view *view, int hf, uint32_t value);
void view_add_bytes(struct view *view, int hf, uint64_t bytes);
void view_add_string(struct view *view, int hf, const char *text);

/* Adds a number that stands for a word, and shows the word; if `is_hidden` for filters alone. */
void view_add_word(struct view *view, int hf, uint32_t value, const char *word, bool is_hidden);

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

/* A time as it is shown, with its unit. Both are allocated in `scope`. */
char *view_ms(wmem_allocator_t *scope, int64_t ns);
char *view_us(wmem_allocator_t *scope, int64_t ns);

/* Adds a time to a tree that is no view's, shown as view_add_time() does. */
proto_item *view_put_time(proto_tree *tree, packet_info *pinfo, int hf, tvbuff_t *tvb, int64_t ns);

/* Adds a time to a tree as a number for a column, which shows it with three decimals. */
proto_item *view_put_ms(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t ns);
proto_item *view_put_us(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t ns);

/* How Wireshark's columns have such a number: Wireshark sorts by the text, which is filled up on the left. */
void view_write_column(char *text, double number);

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

/* Ends the description of a time, which Wireshark shows below the tree. */
#define IN_FILTERS " (in filters: seconds)"

/* Elements of an array of hf_register_info. */
#define VIEW_FIELD(id, name, abbreviation, type, display, strings, blurb)                                              \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, abbreviation, type, display, strings, 0, blurb, HFILL                                                \
        }                                                                                                              \
    }
#define TIME_FIELD(id, name, abbreviation, blurb)                                                                      \
    VIEW_FIELD(id, name, abbreviation, FT_RELATIVE_TIME, BASE_NONE, NULL, blurb IN_FILTERS)
#define COLUMN_FIELD(id, name, abbreviation, blurb)                                                                    \
    VIEW_FIELD(id, name, abbreviation, FT_DOUBLE, BASE_CUSTOM, CF_FUNC(view_write_column), blurb)
#define BYTES_FIELD(id, name, abbreviation, blurb) VIEW_FIELD(id, name, abbreviation, FT_UINT64, BASE_DEC, NULL, blurb)
#define UINT_FIELD(id, name, abbreviation, blurb)  VIEW_FIELD(id, name, abbreviation, FT_UINT32, BASE_DEC, NULL, blurb)
#define TEXT_FIELD(id, name, abbreviation, blurb)  VIEW_FIELD(id, name, abbreviation, FT_STRING, BASE_NONE, NULL, blurb)
#define FLAG_FIELD(id, name, abbreviation, blurb)  VIEW_FIELD(id, name, abbreviation, FT_BOOLEAN, BASE_NONE, NULL, blurb)
#define FRAME_FIELD(id, name, abbreviation, type, blurb)                                                               \
    VIEW_FIELD(id, name, abbreviation, FT_FRAMENUM, BASE_NONE, type, blurb)

#endif
