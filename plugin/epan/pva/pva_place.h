/* pva_place.h
 * A place in a message of pvAccess: shows what is there, and goes on. What is not captured ends the showing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_PLACE_H
#define LATENCY_PVA_PLACE_H

#include <epan/packet.h>

struct pva_types;

struct pva_place {
    proto_tree *tree; /* NULL: nothing is shown */
    tvbuff_t *tvb;
    packet_info *pinfo;
    int offset;
    unsigned encoding; /* ENC_BIG_ENDIAN or ENC_LITTLE_ENDIAN */
    bool over;         /* what follows is not there */
    bool is_unknown;   /* or cannot be read: its type is not in the capture */
    /* What is known of the message that the place is in: */
    unsigned command;
    bool from_client;
    bool is_cut;             /* it goes on in another part: only its beginning is read */
    struct pva_types *types; /* of its values */
    unsigned values_most;    /* of an array that are shown */
    uint32_t fields_left;    /* that may still be shown or passed: a type can make many of no bytes */
};

/* Ids that most messages have, of four bytes. */
extern int pva_hf_cid, pva_hf_sid, pva_hf_ioid;

void pva_place_register(int proto);

/* Whether so many bytes are there; if not, it is over. */
bool pva_place_has(struct pva_place *place, uint32_t bytes);

/* Shows a field of that size. NULL if it is not there. */
proto_item *pva_place_show(struct pva_place *place, int hf, uint32_t bytes);

/* Likewise, and returns the number in it; 0 if it is not there. Of up to 4 bytes. */
uint32_t pva_place_number(struct pva_place *place, int hf, uint32_t bytes);

/* Returns the next `bytes` bytes, at most 8, as a number without a sign, in the message's byte order. They must be
 * there. */
uint64_t pva_place_bits(const struct pva_place *place, uint32_t bytes);

/* A size, not shown; UINT32_MAX for null. */
uint32_t pva_place_size(struct pva_place *place);

/* A size and so many bytes, shown as one field; hf -1: not shown. Returns the text, "" if it is not there. */
const char *pva_place_text(struct pva_place *place, int hf);

/* Shows a status. False if it failed, or is not there. */
bool pva_place_status(struct pva_place *place);

/* Returns a map by keys of 64 bits, in the capture's memory. */
wmem_map_t *pva_map_new(void);

/* A field of the protocol as Wireshark wants it registered. */
#define PVA_FIELD(id, name, abbreviation, type, base, strings, mask, blurb)                                            \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "pva." abbreviation, type, base, strings, mask, blurb, HFILL                                         \
        }                                                                                                              \
    }

#endif
