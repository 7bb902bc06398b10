/* parsers.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "parsers.h"

#include "../request/operation.h"

#define PARSER_ADDRESS(name) &parser_##name,
const struct parser *const parsers[PARSERS] = { PROTOCOLS(NO_PROTOCOL, PARSER_ADDRESS) };
#undef PARSER_ADDRESS

size_t
operation_read(const uint8_t *bytes, size_t captured, char *text)
{
    enum { LOOKED_AT = 512 };
    struct operation_writer writer = { .text = text };
    const size_t length = MIN(captured, LOOKED_AT);
    bool is_read = length == 0 || operation_read_tls(bytes, length, &writer);
    for (unsigned i = 0; i < PARSERS && !is_read; i++)
        is_read = parsers[i]->operation && parsers[i]->operation(bytes, length, &writer);
    if (!is_read)
        operation_read_ssh(bytes, length, &writer);
    return operation_finish(&writer);
}
