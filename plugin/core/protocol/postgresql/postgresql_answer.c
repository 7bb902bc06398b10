/* postgresql_answer.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "postgresql.h"

#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"

enum { AUTHENTICATION = HEADER + 4 }; /* such a message with its number */

static uint64_t
looks_of(const struct postgresql *own, uint8_t type)
{
    const unsigned kinds = type == '1'   ? PARSED
                           : type == '2' ? BOUND
                           : type == '3' ? CLOSED
                           : type == 't' ? DESCRIBED
                           : type == 'n' ? NO_DATA
                           : type == 'E' ? FIRST_KINDS
                           : type == 'R' ? STARTED
                                         : DATA;
    return parser_looks((uint16_t)(own->answer.is_ready ? kinds : kinds << LATER), NULL, 0);
}

/* False if nobody has asked. */
static bool
begin(struct reading *reading, struct flow *flow, struct postgresql *own, uint8_t type)
{
    /* it may be the rest of the answer before */
    if (!own->answer.is_placed && own->next[false] != 0)
        reading_repeats(reading);
    else if (own->answer.is_placed)
        reading_sees(reading, looks_of(own, type));
    own->answer.is_placed = true;
    const struct request *first = reading_to_answer(reading);
    own->answer.note = first ? (uint16_t)first->note : 0;
    own->answer.left = (uint8_t)((own->answer.note & NOTE_COUNTS) / NOTE_COUNT);
    own->answer.has_failed = false;
    flow->marks = 0;
    reading_answers(reading, "", false);
    return flow->has_message;
}

/* A response's first byte is that of what answers: notices, notifications and parameters before it, and what ends a
 * group of which all was answered, are unsolicited. */
static bool
is_unsolicited(struct reading *reading, const struct postgresql *own, uint8_t type)
{
    if (type != 'Z')
        return strchr("NASKcd", type);
    const struct request *first = reading_oldest(reading);
    /* it may have answered a Sync alone */
    if (own->has_synced && !reading_knows_next(reading))
        reading_loses_order(reading);
    return !first || !(first->note & NOTE_LONE);
}

/* SQLSTATE: the field C of those that an error has. */
static void
fail(struct reading *reading, struct postgresql *own, const uint8_t *at, const uint8_t *end)
{
    char status[STATUS_ROOM] = "ERROR";
    while (at < end && *at) {
        const uint8_t *nul = memchr(at, '\0', (size_t)(end - at));
        if (!nul)
            break;
        if (*at == 'C')
            g_strlcpy(status, (const char *)at + 1, sizeof status);
        at = nul + 1;
    }
    reading_says(reading, status, true);
    own->answer.has_failed = true;
}

/* What was executed, by its first word. */
static void
see_tag(struct reading *reading, const uint8_t *tag, size_t length)
{
    size_t word = 0;
    while (word < length && g_ascii_isalpha(tag[word]))
        word++;
    reading_sees(reading, parser_looks(0, tag, word));
}

static void
may_end(struct flow *flow)
{
    flow->marks |= MAY_END;
}

/* Whether the message is the last of what the request is answered by. */
static void
note_end(struct flow *flow, struct postgresql *own, uint8_t type)
{
    const bool completes = strchr("CIs", type);
    const char *last = NULL;
    switch ((enum ends)(own->answer.note & ENDS)) {
    case ENDS_UNKNOWN:
        flow->marks |= strchr("123tns", type) ? IS_EXTENDED : 0;
        if (completes)
            flow->marks |= flow->marks & IS_EXTENDED ? MAY_END : MAY_END | IS_AMBIGUOUS;
        return;
    case ENDS_COMPLETE:
        if (completes)
            may_end(flow);
        return;
    case ENDS_PARSED:
        last = "1";
        break;
    case ENDS_BOUND:
        last = "2";
        break;
    case ENDS_DESCRIBED:
        last = "Tn";
        break;
    case ENDS_CLOSED:
        last = "3";
        break;
    default:
        return;
    }
    if (strchr(last, type) && own->answer.left > 0 && --own->answer.left == 0)
        may_end(flow);
}

/* After an error the server skips what was sent before the Sync. Where it is not known what that was, nor is what is
 * answered next. */
static void
skip_failed(struct reading *reading, struct postgresql *own)
{
    const struct request *first;
    const unsigned group = own->answer.note & NOTE_GROUPS;
    if (!own->answer.note) {
        reading_loses_order(reading);
        return;
    }
    while ((first = reading_oldest(reading)) && (first->note & NOTE_GROUPS) == group)
        reading_answers_also(reading, "skipped", true);
    bool is_next = first && (first->note & NOTE_GROUPS) == (group + NOTE_GROUP) % (16 * NOTE_GROUP);
    if (is_next && first->note & NOTE_AFTER_GAP)
        reading_loses_order(reading);
}

static void
end_group(struct reading *reading, struct flow *flow, struct postgresql *own)
{
    flow->ends = true;
    own->answer.is_ready = true;
    if (own->answer.has_failed)
        skip_failed(reading, own);
    else if ((own->answer.note & ENDS) == ENDS_UNKNOWN && own->has_flushed)
        reading_loses_order(reading);
}

/* An Authentication message, which begins with a number: all but two want a password or the like. */
static bool
asks_client(const uint8_t *unit, size_t length)
{
    enum { OK = 0, SASL_FINAL = 12 };
    const uint32_t number = length < AUTHENTICATION ? 1 : pntohu32(unit + HEADER);
    return number != OK && number != SASL_FINAL;
}

static void
take_part(struct reading *reading, struct flow *flow, struct postgresql *own, const uint8_t *unit, size_t length)
{
    const uint8_t type = unit[0], *body = unit + HEADER;
    own->answer.is_ready = false;
    flow->awaits_client = type == 'R' && asks_client(unit, length);
    switch (type) {
    case 'Z':
        end_group(reading, flow, own);
        break;
    case 'W': /* what is streamed answers nothing */
        flow->ends = true;
        break;
    case 'E':
        fail(reading, own, body, unit + length);
        flow->ends = (own->answer.note & ENDS) == ENDS_ENCRYPTION;
        may_end(flow);
        break;
    case 'C':
        if (!(flow->marks & HAS_TAG))
            see_tag(reading, body, length - HEADER);
        flow->marks |= HAS_TAG;
        note_end(flow, own, type);
        break;
    default:
        note_end(flow, own, type);
        break;
    }
    flow->may_end = flow->marks & MAY_END && !flow->ends;
}

/* One byte. */
static enum verdict
take_encryption(struct reading *reading, struct flow *flow, struct postgresql *own, uint8_t byte)
{
    const char status[] = { (char)byte, '\0' };
    reading_answers(reading, status, false);
    own->awaits_encryption = false;
    own->next[false] = flow->at;
    own->answer.is_placed = own->answer.is_ready = true;
    flow->ends = true;
    return byte == 'N' ? PARSER_GOES_ON : PARSER_IS_OVER;
}

/* Between two answers; `type`: of the message that is next. True if it begins one. */
static bool
take_first(struct reading *reading, struct flow *flow, struct postgresql *own, uint8_t type, size_t length)
{
    own->answer.is_placed &= flow->at - (int64_t)length == own->next[false];
    if (!is_unsolicited(reading, own, type))
        return begin(reading, flow, own, type);
    own->answer.is_placed |= type == 'Z';
    own->answer.is_ready = type == 'Z' || (own->answer.is_ready && own->answer.is_placed);
    return false;
}

enum verdict
postgresql_take_answer(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length)
{
    enum { TAG_BYTES = 32 };
    struct postgresql *own = postgresql_own(reading);
    if (flow->state == START && length == 1 && own->awaits_encryption && strchr("SNG", unit[0]))
        return take_encryption(reading, flow, own, unit[0]);
    if (length < HEADER) {
        flow->block = HEADER;
        return flow->is_cut ? PARSER_IS_LOST : PARSER_WANTS_MORE;
    }
    /* of what cannot be told from the next answer the place is lost */
    if (!postgresql_is_message(false, unit, HEADER) || (flow->marks & IS_AMBIGUOUS && strchr("TDCIGHE", unit[0])))
        return PARSER_IS_LOST;
    const uint32_t size = pntohu32(unit + 1);
    const uint32_t most = unit[0] == 'E'   ? UNIT_BYTES
                          : unit[0] == 'C' ? TAG_BYTES
                          : unit[0] == 'R' ? AUTHENTICATION
                                           : HEADER + 1;
    const uint32_t wanted = strchr("ECZR", unit[0]) ? MIN(1 + size, most) : HEADER;
    if (length < wanted && !flow->is_cut) {
        flow->block = wanted;
        return PARSER_WANTS_MORE;
    }
    flow->skip = 1 + (uint64_t)size - length;
    flow->block = HEADER;
    flow->ends = flow->state == START && !take_first(reading, flow, own, unit[0], length);
    own->next[false] = flow->at + (int64_t)flow->skip;
    if (flow->ends)
        return PARSER_GOES_ON;
    flow->state = WITHIN;
    take_part(reading, flow, own, unit, length);
    return PARSER_GOES_ON;
}
