/* pva_type.h
 * Types of values, as pvAccess describes them (FieldDesc), and each connection's memory of them.
 *
 * A description may be given once with a number, and later by that number alone; and an operation's values are of the
 * type that its beginning told. So what a description means follows from what came before: it is found on a frame's
 * first visit, and kept for later ones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_TYPE_H
#define LATENCY_PVA_TYPE_H

#include "pva_place.h"

enum {
    PVA_TYPE_NULL = 0xFF,
    PVA_TYPE_ID = 0xFE,
    PVA_TYPE_FULL_ID = 0xFD,
    PVA_TYPE_TAGGED_ID = 0xFC,
    PVA_TYPE_STRUCTURE = 0x80,
    PVA_TYPE_UNION = 0x81,
    PVA_TYPE_ANY = 0x82,
    PVA_TYPE_BOUNDED_STRING = 0x83,
    PVA_TYPE_STRING = 0x60,
    PVA_TYPE_ARRAYS = 0x18, /* bits: */
    PVA_TYPE_ARRAY = 0x08,
    PVA_TYPE_BOUNDED_ARRAY = 0x10,
    PVA_TYPE_FIXED_ARRAY = 0x18
};

struct pva_type {
    uint8_t code;
    bool has_any;                    /* somewhere in it: a value brings its own description */
    uint32_t count;                  /* members; of a fixed array: elements */
    uint32_t nodes;                  /* bits of a set of its fields: its own, and those below it */
    const char *id;                  /* "epics:nt/NTScalar:1.0"; "" for none */
    const char **names;              /* of members */
    const struct pva_type **members; /* of an array of structures or unions: what it has */
};

/* The types of a message, in the order in which they are needed. */
struct pva_types {
    bool first; /* visit: they are read, and added */
    uint32_t circuit;
    bool from_client;
    wmem_array_t *found; /* of const struct pva_type *, and of how many bytes describe it */
    unsigned next;
};

void pva_types_register(int proto);

/* Those of the message that begins at `start` of the capture's circuit with that number. */
struct pva_types pva_types_of(uint32_t circuit, bool from_client, uint64_t start, bool first, bool kept,
                              packet_info *pinfo);

/* Shows the description at the place, and what it is: as many fields of it as are left. NULL if there is none, or
 * it cannot be known. */
const struct pva_type *pva_description_show(struct pva_place *place);

/* Notes that what the item stands for cannot be shown: the capture does not have the description of its type. */
void pva_description_say_unknown(const struct pva_place *place, proto_item *item);

/* From now on values of the operation are of that type; `which`: 0, or 1 for what PUT_GET gets. */
void pva_types_keep(struct pva_types *types, uint32_t ioid, unsigned which, const struct pva_type *type);

/* The type of the operation's values; NULL if the capture does not have it. */
const struct pva_type *pva_types_of_operation(struct pva_types *types, uint32_t ioid, unsigned which);

/* "structure epics:nt/NTScalar:1.0", "double[]". Allocated in `scope`. */
const char *pva_type_name(wmem_allocator_t *scope, const struct pva_type *type);

/* Whether it is an array, of any kind. */
bool pva_type_is_array(const struct pva_type *type);

#endif
