/* fastcgi_record.h
 * What records of FastCGI look like: the FastCGI Specification 1.0 (Open Market, 29 April 1996), 3.3 and 8.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FASTCGI_RECORD_H
#define LATENCY_FASTCGI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fastcgi_type {
    FASTCGI_BEGIN_REQUEST = 1,
    FASTCGI_ABORT_REQUEST,
    FASTCGI_END_REQUEST,
    FASTCGI_PARAMS,
    FASTCGI_STDIN,
    FASTCGI_STDOUT,
    FASTCGI_STDERR,
    FASTCGI_DATA,
    FASTCGI_GET_VALUES,
    FASTCGI_GET_VALUES_RESULT,
    FASTCGI_UNKNOWN_TYPE
};

enum fastcgi_role { FASTCGI_RESPONDER = 1, FASTCGI_AUTHORIZER, FASTCGI_FILTER };

/* Bytes of a header; and of what a request begins and ends with, behind that. */
enum { FASTCGI_HEADER = 8, FASTCGI_BODY = 8 };

struct fastcgi_record {
    enum fastcgi_type type;
    uint16_t id; /* of the request; 0: it is about the application */
    uint16_t length;
    uint8_t padding;
};

/* Reads a header. Returns whether that side can send such a record. */
bool fastcgi_record_read(const uint8_t header[static FASTCGI_HEADER], bool from_client, struct fastcgi_record *record);

/* For struct parser. */
bool fastcgi_recognise(const uint8_t *bytes, size_t length);
bool fastcgi_recognise_answer(const uint8_t *bytes, size_t length);
bool fastcgi_may_begin(const uint8_t *bytes, size_t length);
bool fastcgi_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client);
bool fastcgi_resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client);
size_t fastcgi_find(const uint8_t *bytes, size_t length);

#endif
