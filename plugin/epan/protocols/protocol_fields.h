/* protocol_fields.h
 * What Wireshark pairs: the fields in which its dissectors say which frame asks, and which answers.
 *
 * They are FT_FRAMENUM with the hint FT_FRAMENUM_REQUEST or FT_FRAMENUM_RESPONSE, or, without a hint, of a usual name.
 * Which way a field points its number says: an earlier frame has asked, a later one answers. Hints are wrong here and
 * there (pfcp.response_to).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PROTOCOL_FIELDS_H
#define LATENCY_PROTOCOL_FIELDS_H

#include <epan/packet.h>

struct paired_field {
    int hf;
    int proto; /* whose it is */
};

/* Where it says that an answer is an error, or that nothing is asked. */
struct value_field {
    int hf;
    uint32_t low, high; /* the values that do */
};

/* Where it says that the sender, or who is sent this, goes on with a request that was asked before. */
struct text_field {
    int hf;
    int proto;
    const char *ending; /* of the texts that do */
};

struct protocol_fields {
    GArray *pairs;              /* of struct paired_field */
    GArray *asking;             /* likewise: a frame of such a protocol asks only if it has one of its fields here */
    GArray *statuses, *one_way; /* of struct value_field */
    GArray *going_on;           /* of struct text_field */
    GHashTable *protos;
    int rpc_program; /* the field; 0 or less if there is none */
    char *filter;    /* of frames that have any of these; NULL if there is none */
};

/* Returns the fields that this Wireshark has, of protocols that no parser of the core reads. The first call makes the
 * list, and registers the fields of Diameter and RADIUS, which Wireshark registers late. It does not call
 * proto_initialize_all_prefixes(), for WiMAX ASN's dissector would then close the process's stdin (before 4.6); that
 * one has no field that is wanted here. */
const struct protocol_fields *protocol_fields(void);

/* The value of a field of these. */
uint32_t protocol_field_number(field_info *field);
const char *protocol_field_text(field_info *field);

/* The protocols' names, in the order of the alphabet, separated by commas. Free it with g_free(). */
char *protocol_fields_names(unsigned *count);

#endif
