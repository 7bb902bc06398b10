/* postgresql.c
 * PostgreSQL's protocol 3: www.postgresql.org/docs/current/protocol-flow.html.
 *
 * A request is a Query; an Execute with the Parse, Bind, Describe and Close before it; what else a Sync or a Flush
 * ends; and a Sync alone, if all before it was answered. Answers come in their order. All that is in one file, for what
 * a message asks depends on what the messages before it have named.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "postgresql.h"

#include <string.h>

#include <wsutil/pint.h>
#include "../../../compat.h"

/* What the answer to a message of this type begins with. */
static uint16_t
kinds_of(char type)
{
    switch (type) {
    case 'P':
        return PARSED;
    case 'B':
        return BOUND;
    case 'C':
        return CLOSED;
    case 'S': /* of Describe */
        return DESCRIBED;
    case 'D':
        return DATA | NO_DATA;
    case 'R':
        return STARTED;
    default:
        return DATA;
    }
}

/* Of a request that is the first, or a later one, of those that a Sync ends. */
static uint64_t
looks_of_kinds(unsigned kinds, bool may_be_first, bool may_be_later)
{
    const unsigned looks = (may_be_first ? kinds : 0) | (may_be_later ? kinds << LATER : 0);
    return parser_looks((uint16_t)looks, NULL, 0);
}

/* The message asks, and ends. */
static void
ask(struct reading *reading, struct postgresql *own, const char *operation, unsigned note)
{
    const uint16_t kinds = kinds_of(own->first);
    uint64_t looks = 0;
    note |= own->group % 16U * NOTE_GROUP | (own->is_whole ? 0 : NOTE_AFTER_GAP);
    own->has_synced |= note & NOTE_LONE;
    if (note & NOTE_LONE) {
        looks = parser_looks(NOTHING, NULL, 0);
    } else if (own->is_whole && (note & ENDS) != ENDS_ENCRYPTION) {
        const bool may_be_first = !own->is_group || !own->has_asked, may_be_later = !own->is_group || own->has_asked;
        looks = looks_of_kinds(kinds, may_be_first, may_be_later);
        if (own->first != 'R')
            looks |= postgresql_looks_of_statement(operation);
    }
    reading_asks(reading, operation, note | looks);
    reading_flow(reading, true)->ends = true;
    own->has_asked = true;
    if (own->ids)
        reading_carries(reading, &own->ids->found);
}

/* A Sync has been sent: what follows is answered in any case. */
static void
end_group(struct postgresql *own)
{
    own->group++;
    own->is_group = true;
    own->has_asked = own->has_copied = false;
}

/* A text that ends with a NUL, or is cut; `at` is moved behind it. */
struct text {
    const uint8_t *bytes;
    size_t length;
    bool cut;
};

static struct text
read_text(const uint8_t **at, const uint8_t *end)
{
    struct text text = { .bytes = *at };
    const uint8_t *nul = memchr(*at, '\0', (size_t)(end - *at));
    text.cut = !nul;
    text.length = (size_t)((nul ? nul : end) - *at);
    *at = nul ? nul + 1 : end;
    return text;
}

static void
remember(struct reading *reading, struct sql_names *names, char *unnamed, const struct text *name, const char *text)
{
    if (name->length == 0)
        g_strlcpy(unnamed, text, OPERATION_ROOM);
    else if (!name->cut)
        sql_names_put(reading_scope(reading), names, name->bytes, name->length, text);
}

/* The statement's text; else what names it. */
static void
recall(const struct sql_names *names, const char *unnamed, const struct text *name, const char *command, char *text)
{
    const char *known = name->length == 0 ? unnamed : sql_names_find(names, name->bytes, name->length);
    char named[SQL_NAME_BYTES + 1] = "";
    memcpy(named, name->bytes, MIN(SQL_NAME_BYTES, name->length));
    if (known && *known)
        g_strlcpy(text, known, OPERATION_ROOM);
    else
        operation_of(command, named, text);
}

static void
take_parse(struct reading *reading, struct postgresql *own, const uint8_t *at, const uint8_t *end)
{
    char text[OPERATION_ROOM];
    const struct text name = read_text(&at, end), statement = read_text(&at, end);
    sql_operation(statement.bytes, statement.length, statement.cut, SQL_POSTGRESQL, text);
    remember(reading, &own->statements, own->unnamed, &name, text);
    if (own->first == 'P' && own->count == 1)
        operation_of("Parse", text, own->operation);
}

static void
take_bind(struct reading *reading, struct postgresql *own, const uint8_t *at, const uint8_t *end)
{
    char text[OPERATION_ROOM];
    const struct text portal = read_text(&at, end), name = read_text(&at, end);
    recall(&own->statements, own->unnamed, &name, "EXECUTE", text);
    remember(reading, &own->portals, own->portal, &portal, text);
    if (own->first == 'B' && own->count == 1)
        operation_of("Bind", text, own->operation);
}

static void
take_execute(struct reading *reading, struct postgresql *own, const uint8_t *at, const uint8_t *end)
{
    char text[OPERATION_ROOM];
    const struct text portal = read_text(&at, end);
    recall(&own->portals, own->portal, &portal, "EXECUTE", text);
    ask(reading, own, text, ENDS_COMPLETE);
}

/* Describe and Close. */
static void
take_named(struct reading *reading, struct postgresql *own, char type, const uint8_t *at, const uint8_t *end)
{
    char text[OPERATION_ROOM];
    const bool is_statement = at < end && *at++ == 'S';
    struct sql_names *names = is_statement ? &own->statements : &own->portals;
    const struct text name = read_text(&at, end);
    recall(names, is_statement ? own->unnamed : own->portal, &name, "", text);
    if (own->first == type && own->count == 1)
        operation_of(type == 'D' ? "Describe" : "Close", text[0] == ' ' ? text + 1 : text, own->operation);
    if (type == 'D' && own->first == 'D' && own->count == 1 && is_statement)
        own->first = 'S';
    if (type == 'C' && name.length == 0)
        (is_statement ? own->unnamed : own->portal)[0] = '\0';
    else if (type == 'C')
        sql_names_drop(reading_scope(reading), names, name.bytes, name.length);
}

static void
take_sync(struct reading *reading, struct postgresql *own)
{
    if (own->count > 0)
        ask(reading, own, own->operation, ENDS_READY);
    else if (!own->has_copied && (!own->has_asked || reading_is_idle(reading)))
        ask(reading, own, "Sync", (unsigned)ENDS_READY | NOTE_LONE);
    end_group(own);
}

/* The server answers what it has; nothing else says where that ends. */
static void
take_flush(struct reading *reading, struct postgresql *own)
{
    static const char types[] = "PBDC";
    own->has_flushed |= own->count > 0;
    if (own->count == 0)
        return;
    const unsigned type = (unsigned)(strchr(types, own->last) - types);
    const bool is_counted = own->count <= NOTE_COUNTS / NOTE_COUNT;
    ask(reading, own, own->operation, is_counted ? (ENDS_PARSED + type) | own->count * NOTE_COUNT : ENDS_UNKNOWN);
}

static enum verdict
take_untyped(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length)
{
    enum { CODE = 8 };
    struct postgresql *own = postgresql_own(reading);
    if (length < CODE) {
        flow->block = CODE;
        return flow->is_cut ? PARSER_IS_LOST : PARSER_WANTS_MORE;
    }
    if (!postgresql_is_untyped(unit, length))
        return PARSER_IS_LOST;
    const uint32_t code = pntohu32(unit + 4);
    flow->skip = pntohu32(unit) - CODE;
    flow->ends = true;
    own->next[true] = flow->at + (int64_t)flow->skip;
    own->first = 'R';
    own->is_whole = true;
    own->awaits_encryption = code == SSL_REQUEST || code == GSSENC_REQUEST;
    if (own->awaits_encryption)
        ask(reading, own, code == SSL_REQUEST ? "SSLRequest" : "GSSENCRequest", ENDS_ENCRYPTION);
    else if (code != CANCEL_REQUEST)
        ask(reading, own, "startup", ENDS_READY);
    end_group(own);
    return PARSER_GOES_ON;
}

/* A message begins: if something is missing before it, what was said there is not known. */
static void
begin(struct postgresql *own, const struct flow *flow, size_t length)
{
    own->is_whole = flow->at - (int64_t)length == own->next[true];
    if (!own->is_whole) {
        own->unsure = (uint8_t)(1 + own->group++ % 16);
        own->is_group = false;
        own->unnamed[0] = own->portal[0] = '\0';
    }
    own->first = own->last = '\0';
    own->operation[0] = '\0';
    own->count = 0;
    if (own->ids)
        *own->ids = (struct sql_ids){ .end = 0 };
}

static void
take_typed(struct reading *reading, struct postgresql *own, char type, const uint8_t *at, const uint8_t *end)
{
    struct flow *flow = reading_flow(reading, true);
    char text[OPERATION_ROOM];
    bool is_part = strchr("PBDC", type);
    if (!own->first)
        own->first = type;
    if (is_part) {
        own->count = (uint8_t)(own->last == type ? MIN(own->count + 1, UINT8_MAX) : 1);
        own->last = type;
    }
    switch (type) {
    case 'Q':
        sql_operation(at, (size_t)(end - at), end > at && end[-1] != '\0', SQL_POSTGRESQL, text);
        ask(reading, own, text, ENDS_READY);
        end_group(own);
        break;
    case 'F':
        ask(reading, own, "FunctionCall", ENDS_READY);
        end_group(own);
        break;
    case 'P':
        take_parse(reading, own, at, end);
        break;
    case 'B':
        take_bind(reading, own, at, end);
        break;
    case 'D':
    case 'C':
        take_named(reading, own, type, at, end);
        break;
    case 'E':
        take_execute(reading, own, at, end);
        break;
    case 'S':
        take_sync(reading, own);
        break;
    case 'H':
        take_flush(reading, own);
        break;
    case 'c':
    case 'f':
        own->has_copied = true;
        break;
    default:
        break;
    }
    flow->ends = !is_part;
}

static enum verdict
take_message(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length)
{
    struct postgresql *own = postgresql_own(reading);
    if (length < HEADER) {
        flow->block = HEADER;
        return flow->is_cut ? PARSER_IS_LOST : PARSER_WANTS_MORE;
    }
    if (!postgresql_is_message(true, unit, HEADER))
        return PARSER_IS_LOST;
    const uint32_t size = pntohu32(unit + 1);
    const uint32_t wanted = strchr("QPBEDC", unit[0]) ? MIN(1 + size, UNIT_BYTES) : HEADER;
    if (length < wanted && !flow->is_cut) {
        flow->block = wanted;
        return PARSER_WANTS_MORE;
    }
    if (flow->state == START)
        begin(own, flow, length);
    flow->state = WITHIN;
    flow->skip = 1 + (uint64_t)size - length;
    flow->block = HEADER;
    if (own->ids)
        sql_ids_take_end(reading, own->ids, own->ids->end);
    own->next[true] = flow->at + (int64_t)flow->skip;
    if (reading_wants_ids(reading) && strchr("QP", unit[0]))
        sql_ids_take(reading, &own->ids, unit + HEADER, length - HEADER, own->next[true]);
    take_typed(reading, own, (char)unit[0], unit + HEADER, unit + length);
    return PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    if (!from_client)
        return postgresql_take_answer(reading, flow, unit, length);
    /* RFC 8446 §5.1: a server has agreed to TLS, of which nothing was seen */
    if (flow->state == START && unit[0] == 0x16 && postgresql_own(reading)->awaits_encryption) {
        reading_gives_up_all(reading);
        return PARSER_IS_OVER;
    }
    return flow->state == START && unit[0] == '\0' ? take_untyped(reading, flow, unit, length)
                                                   : take_message(reading, flow, unit, length);
}

/* The end of a statement that is longer than a unit is known with the end of its message, at the latest. */
static void
end(struct reading *reading, bool from_client)
{
    if (!from_client || !reading_wants_ids(reading))
        return;
    struct postgresql *own = postgresql_own(reading);
    if (!own->ids || own->ids->end == 0)
        return;
    sql_ids_take_end(reading, own->ids, own->ids->end);
    reading_carries(reading, &own->ids->found);
}

static void
forget(struct reading *reading)
{
    struct postgresql *own = postgresql_own(reading);
    wmem_free(reading_scope(reading), own->ids);
    sql_names_free(reading_scope(reading), &own->statements);
    sql_names_free(reading_scope(reading), &own->portals);
    wmem_free(reading_scope(reading), own);
}

const struct parser parser_postgresql = { .protocol = PROTOCOL_POSTGRESQL,
                                          .block = 1,
                                          .least = HEADER + 1,
                                          .has_short = true,
                                          .recognise = postgresql_recognise,
                                          .recognise_answer = postgresql_recognise_answer,
                                          .tells_client = postgresql_tells_client,
                                          .may_begin = postgresql_may_begin,
                                          .agrees = postgresql_agrees,
                                          .is_certain = postgresql_is_certain,
                                          .take = take,
                                          .end = end,
                                          .find = postgresql_find,
                                          .ends_before = postgresql_ends_before,
                                          .forget = forget };
