/* ca_dbr.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_dbr.h"

#include <stddef.h>

static const struct {
    const char *name;
    struct ca_dbr_shape shape;
} types[CA_DBR_TYPES] = {
    { "STRING", { CA_PLAIN, CA_STRING, 40, 0 } },      { "SHORT", { CA_PLAIN, CA_SHORT, 2, 0 } },
    { "FLOAT", { CA_PLAIN, CA_FLOAT, 4, 0 } },         { "ENUM", { CA_PLAIN, CA_ENUM, 2, 0 } },
    { "CHAR", { CA_PLAIN, CA_CHAR, 1, 0 } },           { "LONG", { CA_PLAIN, CA_LONG, 4, 0 } },
    { "DOUBLE", { CA_PLAIN, CA_DOUBLE, 8, 0 } },       { "STS_STRING", { CA_STS, CA_STRING, 40, 4 } },
    { "STS_SHORT", { CA_STS, CA_SHORT, 2, 4 } },       { "STS_FLOAT", { CA_STS, CA_FLOAT, 4, 4 } },
    { "STS_ENUM", { CA_STS, CA_ENUM, 2, 4 } },         { "STS_CHAR", { CA_STS, CA_CHAR, 1, 5 } },
    { "STS_LONG", { CA_STS, CA_LONG, 4, 4 } },         { "STS_DOUBLE", { CA_STS, CA_DOUBLE, 8, 8 } },
    { "TIME_STRING", { CA_TIME, CA_STRING, 40, 12 } }, { "TIME_SHORT", { CA_TIME, CA_SHORT, 2, 14 } },
    { "TIME_FLOAT", { CA_TIME, CA_FLOAT, 4, 12 } },    { "TIME_ENUM", { CA_TIME, CA_ENUM, 2, 14 } },
    { "TIME_CHAR", { CA_TIME, CA_CHAR, 1, 15 } },      { "TIME_LONG", { CA_TIME, CA_LONG, 4, 12 } },
    { "TIME_DOUBLE", { CA_TIME, CA_DOUBLE, 8, 16 } },  { "GR_STRING", { CA_GR, CA_STRING, 40, 4 } },
    { "GR_SHORT", { CA_GR, CA_SHORT, 2, 24 } },        { "GR_FLOAT", { CA_GR, CA_FLOAT, 4, 40 } },
    { "GR_ENUM", { CA_GR, CA_ENUM, 2, 422 } },         { "GR_CHAR", { CA_GR, CA_CHAR, 1, 19 } },
    { "GR_LONG", { CA_GR, CA_LONG, 4, 36 } },          { "GR_DOUBLE", { CA_GR, CA_DOUBLE, 8, 64 } },
    { "CTRL_STRING", { CA_CTRL, CA_STRING, 40, 4 } },  { "CTRL_SHORT", { CA_CTRL, CA_SHORT, 2, 28 } },
    { "CTRL_FLOAT", { CA_CTRL, CA_FLOAT, 4, 48 } },    { "CTRL_ENUM", { CA_CTRL, CA_ENUM, 2, 422 } },
    { "CTRL_CHAR", { CA_CTRL, CA_CHAR, 1, 21 } },      { "CTRL_LONG", { CA_CTRL, CA_LONG, 4, 44 } },
    { "CTRL_DOUBLE", { CA_CTRL, CA_DOUBLE, 8, 80 } },  { "PUT_ACKT", { CA_PLAIN, CA_ENUM, 2, 0 } },
    { "PUT_ACKS", { CA_PLAIN, CA_ENUM, 2, 0 } },       { "STSACK_STRING", { CA_STSACK, CA_STRING, 40, 8 } },
    { "CLASS_NAME", { CA_PLAIN, CA_STRING, 40, 0 } },
};

const struct ca_dbr_shape *
ca_dbr_shape(unsigned type)
{
    return type < CA_DBR_TYPES ? &types[type].shape : NULL;
}

uint64_t
ca_dbr_bytes(unsigned type, uint32_t count)
{
    const struct ca_dbr_shape *shape = ca_dbr_shape(type);
    return shape ? shape->value_offset + (uint64_t)count * shape->value_bytes : 0;
}

const char *
ca_dbr_name(unsigned type)
{
    return type < CA_DBR_TYPES ? types[type].name : NULL;
}
