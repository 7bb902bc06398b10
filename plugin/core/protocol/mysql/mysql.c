/* mysql.c
 * MySQL's protocol, which MariaDB speaks, too: dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html,
 * mariadb.com/kb/en/clientserver-protocol.
 *
 * A command is a request; so is the login, with the questions and answers of its authentication. Answers come in their
 * order; each packet has its number in the exchange, which a command begins with 0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mysql.h"

#include <stdio.h>
#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"

/* Commands whose bytes say more than their names. */
enum {
    QUERY = 0x03,
    PREPARE = 0x16,
    EXECUTE = 0x17,
    CLOSE = 0x19,
    RESET = 0x1a,
    FETCH = 0x1c,
    BULK_EXECUTE = 0xfa,
    STATEMENT_BYTES = 4
};

/* What the answer to a statement begins with, where its first word tells. */
static unsigned
kinds_of_statement(const char *operation)
{
    static const char *const without_rows[] = { "SET",  "BEGIN", "START", "COMMIT", "ROLLBACK",
                                                "DROP", "USE",   "DO",    "ALTER",  "TRUNCATE" };
    char word[10];
    sql_first_word(operation, word, sizeof word);
    if (strcmp(word, "SHOW") == 0)
        return KIND_RESULT;
    for (unsigned i = 0; i < G_N_ELEMENTS(without_rows); i++)
        if (strcmp(word, without_rows[i]) == 0)
            return KIND_OK;
    return 0;
}

static unsigned
kinds_of_answer(enum answer answer, const char *statement)
{
    switch (answer) {
    case ANSWER_LOGIN:
        return KIND_LOGIN;
    case ANSWER_ONE:
        return KIND_OK | KIND_EOF | KIND_TEXT;
    case ANSWER_PREPARED:
        return KIND_PREPARED;
    case ANSWER_RESULTS:
        return kinds_of_statement(statement);
    default:
        return 0;
    }
}

static void
ask(struct reading *reading, struct mysql *own, const char *operation, enum answer answer, uint8_t number)
{
    const uint64_t looks = parser_looks((uint16_t)kinds_of_answer(answer, operation), NULL, 0);
    own->note = (uint16_t)(answer | NOTE_NUMBER * (uint8_t)(number + 1));
    reading_asks(reading, operation, own->note | looks);
}

/* The statement's text, or its number. MariaDB's clients may have -1 for what they prepared last. */
static void
recall(const struct mysql *own, const uint8_t *number, const char *command, char *operation)
{
    const char *text =
        pletohu32(number) == UINT32_MAX ? own->prepared : sql_names_find(&own->statements, number, STATEMENT_BYTES);
    char shown[16];
    snprintf(shown, sizeof shown, "%u", pletohu32(number));
    if (!text || !*text)
        operation_of(*command ? command : "EXECUTE", shown, operation);
    else if (*command)
        operation_of(command, text, operation);
    else
        g_strlcpy(operation, text, OPERATION_ROOM);
}

static void
take_query(const uint8_t *at, const uint8_t *end, bool is_cut, char *operation)
{
    const uint8_t *text = mysql_query_text(at, end);
    if (text && (text < end || at == end || !is_cut))
        sql_operation(text, (size_t)(end - text), is_cut, SQL_MYSQL, operation);
    else
        operation_of("Query", "", operation);
}

/* What is asked; "" if it is only its command's name. */
static void
read_operation(struct mysql *own, const struct mysql_command *command, const uint8_t *at, const uint8_t *end,
               bool is_cut, char *operation)
{
    char text[OPERATION_ROOM];
    operation[0] = '\0';
    if (command->code == QUERY) {
        take_query(at, end, is_cut, operation);
    } else if (command->code == PREPARE) {
        sql_operation(at, (size_t)(end - at), is_cut, SQL_MYSQL, own->prepared);
        operation_of(command->name, own->prepared, operation);
    } else if (command->has_text) {
        const size_t bytes = MIN((size_t)(end - at), sizeof text - 1);
        memcpy(text, at, bytes);
        text[bytes] = '\0';
        operation_of(command->name, text, operation);
    } else if (end - at < STATEMENT_BYTES) {
        return;
    } else if (command->code == EXECUTE || command->code == BULK_EXECUTE) {
        recall(own, at, "", operation);
    } else if (command->code == FETCH || command->code == RESET) {
        recall(own, at, command->name, operation);
    }
}

/* The statement may go on in further packets. */
static SELDOM void
look_for_ids(struct reading *reading, struct mysql *own, const uint8_t *unit, size_t length)
{
    const uint8_t *at = unit + HEADER + 1, *end = unit + length;
    const uint8_t *text = unit[HEADER] == QUERY ? mysql_query_text(at, end) : unit[HEADER] == PREPARE ? at : NULL;
    if (own->ids)
        *own->ids = (struct sql_ids){ .end = 0 };
    if (text && text < end)
        sql_ids_take(reading, &own->ids, text, (size_t)(end - text), mysql_size(unit) == FULL ? INT64_MAX : own->next);
    if (own->ids)
        reading_carries(reading, &own->ids->found);
}

static void
take_command(struct reading *reading, struct mysql *own, const uint8_t *unit, size_t length)
{
    const uint8_t *at = unit + HEADER + 1, *end = unit + length;
    const struct mysql_command *command = mysql_command(unit[HEADER], mysql_size(unit));
    char operation[OPERATION_ROOM];
    if (command->code == CLOSE && end - at >= STATEMENT_BYTES)
        sql_names_drop(reading_scope(reading), &own->statements, at, STATEMENT_BYTES);
    if (command->answer == ANSWER_NONE)
        return;
    read_operation(own, command, at, end, length < HEADER + (size_t)mysql_size(unit), operation);
    ask(reading, own, *operation ? operation : command->name, command->answer, unit[3]);
    if (reading_wants_ids(reading))
        look_for_ids(reading, own, unit, length);
}

/* A client that does not say CLIENT_DEPRECATE_EOF gets EOFs; one that does may not be understood. */
static enum verdict
take_login(struct reading *reading, struct flow *flow, struct mysql *own, const uint8_t *unit)
{
    const uint32_t flags = pletohu32(unit + HEADER);
    if (mysql_size(unit) == SSL_REQUEST_BYTES && flags & CLIENT_SSL)
        return PARSER_IS_OVER;
    own->is_compressed = flags & (CLIENT_COMPRESS | CLIENT_ZSTD);
    own->eofs = flags & CLIENT_DEPRECATE_EOF ? EOFS_UNKNOWN : EOFS_SENT;
    ask(reading, own, "login", ANSWER_LOGIN, unit[3]);
    flow->ends = true;
    return PARSER_GOES_ON;
}

/* The rest of what is longer than a packet; a file; what the server's questions are answered by. */
static void
take_rest(struct reading *reading, struct flow *flow, struct mysql *own, const uint8_t *unit)
{
    const bool is_full = mysql_size(unit) == FULL;
    if (flow->state == WITHIN && !is_full && flow->has_message) {
        own->note = (uint16_t)((own->note & ANSWERS) | NOTE_NUMBER * (uint8_t)(unit[3] + 1));
        reading_notes(reading, (flow->message.note & ~(uint64_t)UINT16_MAX) | own->note);
    }
    flow->state = WITHIN;
    flow->ends = !is_full;
}

static enum verdict
take_request(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length)
{
    struct mysql *own = mysql_own(reading);
    if (length < HEADER)
        return PARSER_IS_LOST;
    if (flow->state == START && flow->at - (int64_t)length != own->next)
        own->may_wrap = false;
    const uint32_t size = mysql_size(unit);
    const bool is_login = unit[3] != 0 && !own->is_begun;
    const bool is_rest = flow->state == WITHIN || own->may_wrap || (unit[3] != 0 && !is_login);
    const uint32_t wanted = is_rest ? HEADER : MIN(HEADER + size, UNIT_BYTES);
    if (length < wanted && !flow->is_cut) {
        flow->block = wanted;
        return PARSER_WANTS_MORE;
    }
    if (!is_rest && (is_login ? !mysql_is_login(unit, length) || length < HEADER + SSL_REQUEST_BYTES
                              : length == HEADER || !mysql_command(unit[HEADER], size)))
        return PARSER_IS_LOST;
    flow->skip = HEADER + (uint64_t)size - length;
    flow->block = HEADER;
    own->next = flow->at + (int64_t)flow->skip;
    own->is_begun = true;
    own->may_wrap = unit[3] == UINT8_MAX && size > 0;
    if (is_login)
        return take_login(reading, flow, own, unit);
    if (is_rest) {
        take_rest(reading, flow, own, unit);
        return PARSER_GOES_ON;
    }
    take_command(reading, own, unit, length);
    flow->state = WITHIN;
    flow->ends = size < FULL;
    return PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    return from_client ? take_request(reading, flow, unit, length) : mysql_take_answer(reading, flow, unit, length);
}

/* The end of a statement that is longer than a unit is known with the end of its message. */
static void
end(struct reading *reading, bool from_client)
{
    if (!from_client || !reading_wants_ids(reading))
        return;
    struct mysql *own = mysql_own(reading);
    if (!own->ids || own->ids->end == 0)
        return;
    sql_ids_take_end(reading, own->ids, reading_flow(reading, true)->at);
    reading_carries(reading, &own->ids->found);
}

static void
forget(struct reading *reading)
{
    struct mysql *own = mysql_own(reading);
    wmem_free(reading_scope(reading), own->ids);
    sql_names_free(reading_scope(reading), &own->statements);
    wmem_free(reading_scope(reading), own);
}

static bool
resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client)
{
    (void)whole;
    return mysql_resumes(bytes, length, from_client);
}

/* The greeting and the login: a command is a number and a byte, and there are other protocols. */
static bool
tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    *from_client = mysql_is_login(bytes, length);
    return length > HEADER && HEADER + (uint64_t)mysql_size(bytes) == whole &&
           (*from_client || mysql_recognise_greeting(bytes, length));
}

const struct parser parser_mysql = { .protocol = PROTOCOL_MYSQL,
                                     .block = HEADER,
                                     .least = HEADER + 1,
                                     .has_short = true,
                                     .recognise = mysql_recognise,
                                     .recognise_answer = mysql_recognise_answer,
                                     .agrees = mysql_agrees,
                                     .is_certain = mysql_is_certain,
                                     .tells_client = tells_client,
                                     .may_begin = mysql_may_begin,
                                     .take = take,
                                     .end = end,
                                     .recognise_greeting = mysql_recognise_greeting,
                                     .resumes = resumes,
                                     .find = mysql_find,
                                     .ends_before = mysql_ends_before,
                                     .operation = mysql_operation,
                                     .forget = forget };
