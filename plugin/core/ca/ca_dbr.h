/* ca_dbr.h
 * How Channel Access lays out values: the DBR types of db_access.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_DBR_H
#define LATENCY_CA_DBR_H

#include <stdint.h>

enum ca_value { CA_STRING, CA_SHORT, CA_FLOAT, CA_ENUM, CA_CHAR, CA_LONG, CA_DOUBLE };

/* What stands before the values. */
enum ca_head {
    CA_PLAIN,  /* nothing */
    CA_STS,    /* status and severity of the alarm */
    CA_TIME,   /* those and a time stamp */
    CA_GR,     /* those of CA_STS, units, precision, limits for display and alarm; states of an enum */
    CA_CTRL,   /* those of CA_GR and limits for control */
    CA_STSACK, /* those of CA_STS and two words about acknowledgement */
    CA_HEADS
};

enum {
    CA_DBR_PUT_ACKT = 35,
    CA_DBR_PUT_ACKS,
    CA_DBR_STSACK_STRING,
    CA_DBR_CLASS_NAME,
    CA_DBR_TYPES,
    CA_STRING_BYTES = 40,
    CA_UNITS_BYTES = 8,
    CA_STATES = 16,
    CA_STATE_BYTES = 26
};

#define CA_EPOCH_S INT64_C(631152000) /* 1990-01-01, after 1970-01-01 */

/* In bytes; `value_offset` from the beginning of the payload. */
struct ca_dbr_shape {
    uint8_t head;  /* enum ca_head */
    uint8_t value; /* enum ca_value */
    uint8_t value_bytes;
    uint16_t value_offset;
};

/* NULL for what is no type. */
const struct ca_dbr_shape *ca_dbr_shape(unsigned type);

/* Bytes of `count` values with what stands before them, not padded; 0 if there is no such type. */
uint64_t ca_dbr_bytes(unsigned type, uint32_t count);

/* "TIME_DOUBLE"; NULL for what is no type. */
const char *ca_dbr_name(unsigned type);

#endif
