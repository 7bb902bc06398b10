/* parsers.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "parsers.h"

#include "../request/operation.h"

#define PARSER_ADDRESS(name) &parser_##name,
const struct parser *const parsers[PARSERS] = { PROTOCOLS(NO_PROTOCOL, PARSER_ADDRESS) };
#undef PARSER_ADDRESS

static bool
read_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    if (operation_read_tls(bytes, length, writer))
        return true;
    for (unsigned i = 0; i < PARSERS; i++)
        if (parsers[i]->operation && parsers[i]->operation(bytes, length, writer))
            return true;
    return operation_read_ssh(bytes, length, writer);
}

size_t
operation_read(const uint8_t *bytes, size_t captured, char *text)
{
    enum { LOOKED_AT = 512 };
    struct operation_writer writer = { .text = text };
    if (captured > 0)
        read_operation(bytes, MIN(captured, LOOKED_AT), &writer);
    return operation_finish(&writer);
}
