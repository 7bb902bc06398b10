/* pva_cursor.h
 * Reads a payload of pvAccess from its beginning: numbers in the message's byte order, sizes, texts, statuses.
 *
 * Nothing is read behind the end: from there on everything is 0, and `failed` is set.
 * Rules: pvAccess Protocol Specification, "Data Encoding" (epics-docs, pv-access/Protocol-Encoding.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_CURSOR_H
#define LATENCY_PVA_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pva_cursor {
    const uint8_t *bytes;
    size_t available;
    size_t at;
    bool big_endian;
    bool failed;
};

/* Bytes in the payload, not terminated. */
struct pva_text {
    const uint8_t *bytes;
    size_t length;
};

enum pva_status_type { PVA_OK, PVA_WARNING, PVA_ERROR, PVA_FATAL, PVA_OK_ALONE = 0xFF };

struct pva_status {
    uint8_t type;
    struct pva_text message, call_tree;
};

#define PVA_NULL_SIZE UINT32_MAX

enum { PVA_NAME_MOST = 500, PVA_NAME_ROOM = PVA_NAME_MOST + sizeof "…" };

struct pva_cursor pva_cursor_of(const uint8_t *bytes, size_t available, bool big_endian);

uint8_t pva_read_u8(struct pva_cursor *cursor);
uint16_t pva_read_u16(struct pva_cursor *cursor);
uint32_t pva_read_u32(struct pva_cursor *cursor);

/* How many elements or bytes follow; PVA_NULL_SIZE for null. */
uint32_t pva_read_size(struct pva_cursor *cursor);

/* A size and so many bytes. */
struct pva_text pva_read_text(struct pva_cursor *cursor);

/* The same: a channel's name, up to PVA_NAME_MOST bytes of it, and its length. One that is cut ends in an ellipsis. */
size_t pva_read_name(struct pva_cursor *cursor, char name[PVA_NAME_ROOM]);

/* `bytes` bytes; NULL if there are fewer. */
const uint8_t *pva_read_bytes(struct pva_cursor *cursor, size_t bytes);

struct pva_status pva_read_status(struct pva_cursor *cursor);

/* Neither OK nor a warning. */
bool pva_status_failed(const struct pva_status *status);

#endif
