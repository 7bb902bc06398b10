/* tds_request.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tds_request.h"

#include <string.h>

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/operation.h"
#include "../sql/sql.h"

enum { TEXT_MOST = 512, HEADERS_LEAST = 22, HEADER_LEAST = 18, HEADER_TYPES = 3 };

/* Bytes that are read one after another; none are left where there are not so many. */
struct reader {
    const uint8_t *at, *end;
};

static bool
pass(struct reader *reader, size_t bytes)
{
    const bool is_there = (size_t)(reader->end - reader->at) >= bytes;
    reader->at = is_there ? reader->at + bytes : reader->end;
    return is_there;
}

static bool
take(struct reader *reader, size_t bytes, uint32_t *number)
{
    const uint8_t *at = reader->at;
    *number = 0;
    if (!pass(reader, bytes))
        return false;
    for (size_t i = 0; i < bytes; i++)
        *number |= (uint32_t)at[i] << (8 * i);
    return true;
}

/* Passes the headers of all that is asked from TDS 7.2 on (2.2.5.3). Returns whether they are there. */
static bool
pass_headers(struct reader *reader, uint32_t body_bytes)
{
    struct reader headers = *reader;
    uint32_t all, one, type;
    if (!take(&headers, 4, &all) || all < HEADERS_LEAST || all > body_bytes || !take(&headers, 4, &one) ||
        one < HEADER_LEAST - 10 || one > all - 4 || !take(&headers, 2, &type) || type == 0 || type > HEADER_TYPES)
        return false;
    pass(reader, all);
    return true;
}

/* Returns whether the text, of UTF-16, begins with letters, or what else a statement can. */
static bool
is_text(const uint8_t *bytes, size_t length)
{
    enum { TRIED = 8 };
    for (size_t i = 0; i + 1 < MIN(length, TRIED); i += 2)
        if (bytes[i + 1] != 0 || !(g_ascii_isprint((char)bytes[i]) || g_ascii_isspace((char)bytes[i])))
            return false;
    return length >= 2;
}

static struct reader
reader_of(const struct tds_packet *packet)
{
    return (struct reader){ packet->body, packet->body + packet->length };
}

static bool
is_login(const struct tds_packet *packet)
{
    enum { VERSION_AT = 4, VERSION = 8, OLDEST = 0x70, NEWEST = 0x74 };
    const uint32_t bytes = packet->length >= VERSION ? pletohu32(packet->body) : 0;
    return packet->length >= VERSION &&
           (bytes == packet->body_bytes || (!packet->is_last && bytes > packet->body_bytes)) &&
           packet->body[VERSION - 1] >= OLDEST && packet->body[VERSION - 1] <= NEWEST;
}

/* Calls by a number, or a name (2.2.6.6). */
enum { BY_NUMBER = 0xffff, EXECUTESQL = 10, NUMBERS = 15, NAME_MOST = 1046 / 2 };

static bool
is_call(struct reader reader)
{
    uint32_t name, number;
    if (!take(&reader, 2, &name))
        return false;
    if (name == BY_NUMBER)
        return take(&reader, 2, &number) && number > 0 && number <= NUMBERS;
    return name > 0 && name <= NAME_MOST && is_text(reader.at, MIN((size_t)(reader.end - reader.at), 2 * name));
}

/* What Sybase's clients say: a token, its length, and so on. */
enum { LANGUAGE = 0x21, DBRPC = 0xe6, DYNAMIC = 0xe7, LOGOUT = 0x71, LANGUAGE_AT = 6 };

static bool
is_tokens(const struct tds_packet *packet)
{
    const uint8_t *body = packet->body;
    if (packet->length < LANGUAGE_AT)
        return packet->length > 0 && body[0] == LOGOUT;
    if (body[0] == LANGUAGE)
        return pletohu32(body + 1) > 0 && (pletohu32(body + 1) <= packet->body_bytes || !packet->is_last) &&
               body[LANGUAGE_AT - 1] <= 1;
    return body[0] == DBRPC || body[0] == DYNAMIC;
}

bool
tds_can_ask(const struct tds_packet *packet)
{
    struct reader reader = reader_of(packet);
    uint32_t type;
    switch (packet->type) {
    case TDS_PRELOGIN:
        return tds_has_options(packet) || tds_has_tls(packet);
    case TDS_LOGIN:
        return is_login(packet);
    case TDS_BATCH:
        return pass_headers(&reader, packet->body_bytes) || is_text(reader.at, (size_t)(reader.end - reader.at));
    case TDS_RPC:
        pass_headers(&reader, packet->body_bytes);
        return is_call(reader);
    case TDS_TRANSACTION:
        return pass_headers(&reader, packet->body_bytes) && take(&reader, 2, &type) && type < 10;
    case TDS_TOKENS:
        return is_tokens(packet);
    case TDS_ATTENTION:
        return packet->body_bytes == 0 && packet->is_last;
    default:
        return packet->type == TDS_OLD_LOGIN || packet->type == TDS_BULK || packet->type == TDS_SSPI ||
               packet->type == TDS_TOKEN;
    }
}

bool
tds_is_certain(const struct tds_packet *packet)
{
    struct reader reader = reader_of(packet);
    if (packet->kind != TDS_IS_PACKET || !tds_can_ask(packet))
        return false;
    return packet->type == TDS_LOGIN || tds_has_options(packet) ||
           ((packet->type == TDS_BATCH || packet->type == TDS_RPC || packet->type == TDS_TRANSACTION) &&
            pass_headers(&reader, packet->body_bytes) && reader.at < reader.end);
}

/* Writes the text, of UTF-16, a byte for each unit; what is not ASCII becomes one that is no ASCII either. Returns how
 * many there are. */
static size_t
narrow(struct reader text, uint8_t bytes[static TEXT_MOST])
{
    size_t n = 0;
    for (; text.end - text.at > 1 && n < TEXT_MOST; text.at += 2)
        bytes[n++] = text.at[1] == 0 && text.at[0] < 0x80 ? text.at[0] : 0x80;
    return n;
}

/* Writes a statement, of which `whole` bytes were said. */
static void
put_statement(struct reader text, size_t whole, const char *prefix, char *operation)
{
    uint8_t bytes[TEXT_MOST];
    char statement[OPERATION_ROOM];
    const size_t length = (size_t)(text.end - text.at);
    sql_operation(bytes, narrow(text, bytes), length < whole, SQL_TSQL, statement);
    if (*prefix)
        operation_of(prefix, statement, operation);
    else
        g_strlcpy(operation, statement, OPERATION_ROOM);
}

/* Reads a parameter of a call; true, and its text, if it has one of UTF-16, be it NULL. */
static bool
take_parameter(struct reader *reader, struct reader *text, size_t *whole)
{
    enum { INT4 = 0x38, INTN = 0x26, NTEXT = 0x63, NVARCHAR = 0xe7, NCHAR = 0xef };
    enum { COLLATION = 5, IS_NULL = 0xffff, IN_PARTS = 0xffff, PARTS_BYTES = 8 };
    uint32_t name, type, most = 0, bytes = 0;
    *text = (struct reader){ reader->end, reader->end };
    *whole = 0;
    if (!take(reader, 1, &name) || !pass(reader, 2 * (size_t)name + 1) || !take(reader, 1, &type))
        return false;
    switch (type) {
    case INT4:
        pass(reader, 4);
        return false;
    case INTN:
        if (take(reader, 1, &most) && take(reader, 1, &bytes))
            pass(reader, bytes);
        return false;
    case NTEXT:
        if (!take(reader, 4, &most) || !pass(reader, COLLATION) || !take(reader, 4, &bytes))
            return false;
        break;
    case NVARCHAR:
    case NCHAR:
        if (!take(reader, 2, &most) || !pass(reader, COLLATION))
            return false;
        if (most == IN_PARTS ? !(pass(reader, PARTS_BYTES) && take(reader, 4, &bytes)) : !take(reader, 2, &bytes))
            return false;
        bytes = most != IN_PARTS && bytes == IS_NULL ? 0 : bytes;
        break;
    default:
        pass(reader, (size_t)(reader->end - reader->at));
        return false;
    }
    *text = (struct reader){ reader->at, reader->at + MIN((size_t)(reader->end - reader->at), bytes) };
    *whole = bytes;
    pass(reader, bytes);
    return true;
}

/* What SQL Server has numbers for, and which of the call's texts, from 1, is a statement; 0: none is. */
static const struct procedure {
    const char *name;
    uint8_t statement;
    bool prepares;
} procedures[NUMBERS] = {
    { "sp_cursor", 0, false },        { "sp_cursoropen", 1, false },     { "sp_cursorprepare", 2, true },
    { "sp_cursorexecute", 0, false }, { "sp_cursorprepexec", 2, false }, { "sp_cursorunprepare", 0, false },
    { "sp_cursorfetch", 0, false },   { "sp_cursoroption", 0, false },   { "sp_cursorclose", 0, false },
    { "sp_executesql", 1, false },    { "sp_prepare", 2, true },         { "sp_execute", 0, false },
    { "sp_prepexec", 2, false },      { "sp_prepexecrpc", 0, false },    { "sp_unprepare", 0, false },
};

/* Writes the statement that a call carries; false if it is not there. */
static bool
put_carried(struct reader reader, const struct procedure *procedure, char *operation)
{
    enum { PARAMETERS_MOST = 8 };
    struct reader text;
    size_t whole;
    unsigned texts = 0;
    for (unsigned i = 0; i < PARAMETERS_MOST && reader.at < reader.end; i++) {
        if (!take_parameter(&reader, &text, &whole) || ++texts < procedure->statement)
            continue;
        put_statement(text, whole, procedure->prepares ? "Prepare" : "", operation);
        return true;
    }
    return false;
}

static void
put_call(struct reader reader, char *operation)
{
    enum { FLAGS = 2 };
    uint8_t bytes[TEXT_MOST];
    char name[OPERATION_ROOM];
    uint32_t length, number;
    const struct procedure *procedure = NULL;
    struct operation_writer writer = { .text = name };
    if (take(&reader, 2, &length) && length == BY_NUMBER && take(&reader, 2, &number) && number > 0 &&
        number <= NUMBERS) {
        procedure = &procedures[number - 1];
        operation_put_text(&writer, procedure->name);
    } else {
        const size_t there = MIN((size_t)(reader.end - reader.at), 2 * (size_t)length);
        operation_put(&writer, bytes, narrow((struct reader){ reader.at, reader.at + there }, bytes));
        pass(&reader, 2 * (size_t)length);
    }
    operation_finish(&writer);
    for (unsigned i = 0; i < NUMBERS && !procedure; i++)
        if (strcmp(procedures[i].name, name) == 0)
            procedure = &procedures[i];
    if (procedure && procedure->statement > 0 && pass(&reader, FLAGS) && put_carried(reader, procedure, operation))
        return;
    operation_of("EXEC", name, operation);
}

static void
put_transaction(struct reader reader, char *operation)
{
    static const char *const names[] = { [0] = "get DTC address", [1] = "propagate", [5] = "BEGIN", [6] = "promote",
                                         [7] = "COMMIT",          [8] = "ROLLBACK",  [9] = "SAVE" };
    uint32_t type;
    const bool is_known = take(&reader, 2, &type) && type < G_N_ELEMENTS(names) && names[type];
    operation_of(is_known ? names[type] : "transaction", "", operation);
}

/* Writes what Sybase's first token asks for. */
static void
put_tokens(const struct tds_packet *packet, char *operation)
{
    enum { NAME_AT = 4 };
    const uint8_t *body = packet->body;
    struct operation_writer writer = { .text = operation };
    if (packet->length > LANGUAGE_AT && body[0] == LANGUAGE) {
        const uint32_t whole = pletohu32(body + 1) - 1;
        const size_t length = MIN(packet->length - LANGUAGE_AT, whole);
        sql_operation(body + LANGUAGE_AT, length, length < whole, SQL_TSQL, operation);
        return;
    }
    if (packet->length > NAME_AT && body[0] == DBRPC) {
        operation_put_text(&writer, "EXEC ");
        operation_put(&writer, body + NAME_AT, MIN(packet->length - NAME_AT, body[NAME_AT - 1]));
    } else if (packet->length > 0) {
        operation_put_text(&writer, body[0] == LOGOUT ? "logout" : body[0] == DYNAMIC ? "dynamic" : "");
    }
    operation_finish(&writer);
}

void
tds_operation(const struct tds_packet *packet, char *operation)
{
    static const char *const names[] = {
        [TDS_OLD_LOGIN] = "login", [TDS_BULK] = "bulk load", [TDS_TOKEN] = "login",
        [TDS_LOGIN] = "login",     [TDS_SSPI] = "login",     [TDS_PRELOGIN] = "prelogin"
    };
    struct reader reader = reader_of(packet);
    const bool has_headers = pass_headers(&reader, packet->body_bytes);
    switch (packet->type) {
    case TDS_BATCH: {
        const size_t headers = has_headers ? pletohu32(packet->body) : 0;
        put_statement(reader, packet->body_bytes - headers + !packet->is_last, "", operation);
        break;
    }
    case TDS_RPC:
        put_call(reader, operation);
        break;
    case TDS_TRANSACTION:
        put_transaction(reader, operation);
        break;
    case TDS_TOKENS:
        put_tokens(packet, operation);
        break;
    default:
        operation_of(tds_has_tls(packet) ? "TLS handshake" : names[packet->type], "", operation);
        break;
    }
}
