/* dns_message.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dns_message.h"

#include <string.h>

#include <glib.h>

enum { OPCODE_QUERY = 0, OPCODE_STATUS = 2, OPCODE_NOTIFY = 4, OPCODE_UPDATE = 5 };
enum { RCODE_NOERROR = 0, RCODE_NXDOMAIN = 3 };
enum { FLAG_RESPONSE = 0x8000, FLAG_TRUNCATED = 0x0200, FLAG_RESERVED = 0x0040 };
enum { LABEL_LONGEST = 63, NAME_LONGEST = 255, TYPE_ROOM = 12 };

/* At the end of a list of types without a name. */
static const struct {
    uint16_t type;
    const char *name;
} types[] = {
    { 1, "A" },       { 2, "NS" },     { 5, "CNAME" },  { 6, "SOA" },    { 12, "PTR" },     { 13, "HINFO" },
    { 15, "MX" },     { 16, "TXT" },   { 28, "AAAA" },  { 29, "LOC" },   { 33, "SRV" },     { 35, "NAPTR" },
    { 37, "CERT" },   { 39, "DNAME" }, { 43, "DS" },    { 44, "SSHFP" }, { 46, "RRSIG" },   { 47, "NSEC" },
    { 48, "DNSKEY" }, { 50, "NSEC3" }, { 52, "TLSA" },  { 59, "CDS" },   { 60, "CDNSKEY" }, { 64, "SVCB" },
    { 65, "HTTPS" },  { 99, "SPF" },   { 251, "IXFR" }, { 252, "AXFR" }, { 255, "ANY" },    { 257, "CAA" },
};

static uint16_t
number(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

const char *
dns_rcode_name(uint8_t rcode)
{
    static const char *const names[] = { "NOERROR",  "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED",
                                         "YXDOMAIN", "YXRRSET", "NXRRSET",  "NOTAUTH",  "NOTZONE" };
    return rcode < G_N_ELEMENTS(names) ? names[rcode] : "";
}

bool
dns_rcode_is_error(uint8_t rcode)
{
    return rcode != RCODE_NOERROR && rcode != RCODE_NXDOMAIN;
}

static const char *
type_name(uint16_t type, char text[TYPE_ROOM])
{
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (types[i].type == type)
            return types[i].name;
    g_snprintf(text, TYPE_ROOM, "TYPE%u", type);
    return text;
}

/* Adds a label. Upper case says nothing: resolvers mix it to be sure of who answers (draft-vixie-dnsext-dns0x20). */
static void
append_label(char *name, size_t *at, const uint8_t *label, size_t length)
{
    for (size_t i = 0; i < length; i++)
        name[(*at)++] = g_ascii_isgraph(label[i]) ? g_ascii_tolower((char)label[i]) : '.';
    name[(*at)++] = '.';
}

/* The question's name, which nothing compresses, with a dot behind each label. `end`: behind it. */
static enum dns_reading
read_name(const uint8_t *bytes, size_t length, size_t *end, char name[NAME_LONGEST + 1])
{
    size_t at = DNS_HEADER_BYTES, written = 0;
    while (at < length && bytes[at] != 0) {
        size_t label = bytes[at];
        if (label > LABEL_LONGEST || written + label + 1 > NAME_LONGEST)
            return DNS_IS_NONE;
        if (at + 1 + label > length)
            return DNS_IS_CUT;
        append_label(name, &written, bytes + at + 1, label);
        at += 1 + label;
    }
    if (at >= length)
        return DNS_IS_CUT;
    name[written] = '\0';
    *end = at + 1;
    return DNS_IS_READ;
}

static enum dns_reading
read_question(const uint8_t *bytes, size_t length, struct dns_message *message)
{
    char name[NAME_LONGEST + 1], type[TYPE_ROOM];
    size_t end;
    const enum dns_reading read = read_name(bytes, length, &end, name);
    if (read != DNS_IS_READ)
        return read;
    if (end + 4 > length)
        return DNS_IS_CUT;
    size_t written = strlen(name);
    if (written > 1)
        name[written - 1] = '\0';
    operation_of(type_name(number(bytes + end), type), written > 0 ? name : ".", message->operation);
    message->question_end = end + 4;
    return DNS_IS_READ;
}

enum dns_reading
dns_message_read(const uint8_t *bytes, size_t length, struct dns_message *message)
{
    if (length < DNS_HEADER_BYTES)
        return DNS_IS_CUT;
    const uint16_t flags = number(bytes + 2), questions = number(bytes + 4);
    *message = (struct dns_message){
        .id = number(bytes),
        .opcode = (uint8_t)(flags >> 11 & 15),
        .rcode = flags & 15,
        .is_response = flags & FLAG_RESPONSE,
        .is_truncated = flags & FLAG_TRUNCATED,
    };
    bool is_known = message->opcode == OPCODE_QUERY || message->opcode == OPCODE_STATUS ||
                    message->opcode == OPCODE_NOTIFY || message->opcode == OPCODE_UPDATE;
    bool asks_wrongly = !message->is_response && (questions != 1 || message->rcode != 0);
    if (!is_known || flags & FLAG_RESERVED || questions > 1 || asks_wrongly)
        return DNS_IS_NONE;
    return questions == 0 ? DNS_IS_READ : read_question(bytes, length, message);
}
