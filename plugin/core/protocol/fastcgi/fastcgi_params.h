/* fastcgi_params.h
 * What a request of FastCGI asks for: the names and values of its parameters, which are those of CGI (the FastCGI
 * Specification 1.0, 3.4 and 5.2; RFC 3875 §4.1).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FASTCGI_PARAMS_H
#define LATENCY_FASTCGI_PARAMS_H

#include "../../request/id_texts.h"
#include "../../request/operation.h"

/* Longer names are nobody's that is looked for, and of a longer value only so much is. */
enum { FASTCGI_NAME_MOST = 64, FASTCGI_VALUE_MOST = OPERATION_LONGEST + 1 };

struct fastcgi_text {
    uint8_t bytes[FASTCGI_VALUE_MOST];
    uint32_t whole; /* its length; 0: there is none */
};

/* Reads them as they come; zero before the first. */
struct fastcgi_params {
    uint8_t lengths[8];
    uint8_t n_lengths; /* bytes of these that are there */
    uint32_t name_left, value_left;
    uint32_t name_length;
    char name[FASTCGI_NAME_MOST + 1];
    struct fastcgi_text value;
    struct fastcgi_text method, target;
    bool has_uri;         /* and the target is it: what the client of the web server has asked for */
    const char *id_names; /* of fields of HTTP whose values are ids; NULL: nobody wants ids */
    struct found_ids ids;
};

/* Takes the next bytes. */
void fastcgi_params_take(struct fastcgi_params *params, const uint8_t *bytes, size_t length);

/* Writes what is asked for into `text` (OPERATION_ROOM bytes); "" if it is not known. */
void fastcgi_params_operation(const struct fastcgi_params *params, char *text);

#endif
