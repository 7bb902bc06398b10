/* mongodb_document.h
 * What MongoDB's messages say of what they ask, and of its success, as far as their first bytes have it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MONGODB_DOCUMENT_H
#define LATENCY_MONGODB_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes what a command's document asks (OPERATION_ROOM bytes): its name, the database, the collection, as far as they
 * are there. Returns whether it asks the server to wait for something to happen, for so long. */
bool mongodb_command(const uint8_t *at, const uint8_t *end, char *operation);

/* Whether a document says that a command has failed; then `status` (STATUS_ROOM bytes) has the error's number. */
bool mongodb_has_failed(const uint8_t *at, const uint8_t *end, char *status);

#endif
