/* sql.c
 * PostgreSQL: www.postgresql.org/docs/current/sql-syntax-lexical.html. MySQL:
 * dev.mysql.com/doc/refman/8.4/en/literals.html, comments.html; mariadb.com/kb/en/comment-syntax.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sql.h"

#include <string.h>

#include <glib.h>

#include "../../request/operation.h"

enum { TEXT_MOST = 512 };

struct scanner {
    const uint8_t *at, *end;
    bool is_mysql, is_tsql;
    size_t written;
    char text[TEXT_MOST + 1];
};

static bool
is_name(uint8_t byte)
{
    return g_ascii_isalnum(byte) || byte == '_' || byte == '$' || byte >= 0x80;
}

static bool
starts_with(const struct scanner *scanner, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(scanner->end - scanner->at) >= length && memcmp(scanner->at, text, length) == 0;
}

static void
put(struct scanner *scanner, char byte)
{
    if (scanner->written < TEXT_MOST)
        scanner->text[scanner->written++] = byte;
}

static void
put_space(struct scanner *scanner)
{
    if (scanner->written > 0 && scanner->text[scanner->written - 1] != ' ')
        put(scanner, ' ');
}

/* Behind the first of these bytes; the end if there is none. */
static void
pass(struct scanner *scanner, const char *text)
{
    while (scanner->at < scanner->end && !starts_with(scanner, text))
        scanner->at++;
    scanner->at += MIN(strlen(text), (size_t)(scanner->end - scanner->at));
}

/* Behind the quote that ends what begins here; a doubled one does not. */
static void
pass_quoted(struct scanner *scanner, bool has_escapes)
{
    const uint8_t quote = *scanner->at++;
    for (; scanner->at < scanner->end; scanner->at++) {
        if (has_escapes && *scanner->at == '\\') {
            scanner->at += scanner->at + 1 < scanner->end;
        } else if (*scanner->at == quote) {
            if (scanner->at + 1 == scanner->end || scanner->at[1] != quote) {
                scanner->at++;
                return;
            }
            scanner->at++;
        }
    }
}

static void
take_literal(struct scanner *scanner)
{
    /* E'', B'', X'', N'': the letter is a part of it */
    const size_t n = scanner->written;
    const bool has_prefix =
        n > 0 && strchr("eEbBxXnN", scanner->text[n - 1]) && (n == 1 || !is_name((uint8_t)scanner->text[n - 2]));
    const bool has_escapes = scanner->is_mysql || (has_prefix && g_ascii_toupper(scanner->text[n - 1]) == 'E');
    scanner->written -= has_prefix;
    pass_quoted(scanner, has_escapes);
    put(scanner, '?');
}

/* $tag$…$tag$; $1 is a parameter, and stays. */
static void
take_dollar(struct scanner *scanner)
{
    char tag[64];
    size_t length = 1;
    while (length < (size_t)(scanner->end - scanner->at) && length < sizeof tag - 2 && is_name(scanner->at[length]) &&
           scanner->at[length] != '$')
        length++;
    bool is_tag =
        length < (size_t)(scanner->end - scanner->at) && scanner->at[length] == '$' && !g_ascii_isdigit(scanner->at[1]);
    if (is_tag) {
        memcpy(tag, scanner->at, length + 1);
        tag[length + 1] = '\0';
        scanner->at += length + 1;
        pass(scanner, tag);
        put(scanner, '?');
        return;
    }
    for (; length > 0; length--)
        put(scanner, (char)*scanner->at++);
}

/* A number's, not the operator's: no operand stands before it. */
static void
drop_sign(struct scanner *scanner)
{
    size_t before = scanner->written;
    if (before == 0 || !strchr("-+", scanner->text[before - 1]))
        return;
    for (before--; before > 0 && scanner->text[before - 1] == ' ';)
        before--;
    if (before > 0 && strchr("(,=<>+-*/%", scanner->text[before - 1]))
        scanner->written--;
}

static void
take_number(struct scanner *scanner)
{
    bool is_hex = starts_with(scanner, "0x") || starts_with(scanner, "0X");
    for (scanner->at++; scanner->at < scanner->end; scanner->at++) {
        bool has_sign =
            !is_hex && g_ascii_toupper((char)scanner->at[-1]) == 'E' && (*scanner->at == '-' || *scanner->at == '+');
        if (!is_name(*scanner->at) && *scanner->at != '.' && !has_sign)
            break;
    }
    drop_sign(scanner);
    put(scanner, '?');
}

static void
take_name(struct scanner *scanner)
{
    while (scanner->at < scanner->end && is_name(*scanner->at))
        put(scanner, (char)*scanner->at++);
}

/* Comments of PostgreSQL nest. What MySQL, or MariaDB, alone executes is none. */
static void
pass_comment(struct scanner *scanner)
{
    unsigned depth = 0;
    const bool is_mariadb = starts_with(scanner, "/*M!");
    if (scanner->is_mysql && (is_mariadb || starts_with(scanner, "/*!"))) {
        for (scanner->at += is_mariadb ? 4 : 3; scanner->at < scanner->end && g_ascii_isdigit(*scanner->at);)
            scanner->at++;
        return;
    }
    do {
        bool opens = starts_with(scanner, "/*"), closes = starts_with(scanner, "*/");
        depth += opens && (depth == 0 || !scanner->is_mysql);
        depth -= closes;
        scanner->at += opens || closes ? 2 : 1;
    } while (depth > 0 && scanner->at < scanner->end);
    put_space(scanner);
}

static void
take_next(struct scanner *scanner)
{
    const uint8_t byte = *scanner->at;
    bool has_digit = scanner->at + 1 < scanner->end && g_ascii_isdigit(scanner->at[1]);
    bool has_line = starts_with(scanner, "--") || (scanner->is_mysql && byte == '#');
    if (g_ascii_isspace(byte)) {
        put_space(scanner);
        scanner->at++;
    } else if (has_line) {
        pass(scanner, "\n");
        put_space(scanner);
    } else if (starts_with(scanner, "/*")) {
        pass_comment(scanner);
    } else if (scanner->is_mysql && starts_with(scanner, "*/")) {
        scanner->at += 2;
    } else if (byte == '\'' || (byte == '"' && scanner->is_mysql)) {
        take_literal(scanner);
    } else if (byte == '"' || byte == '`' || (byte == '[' && scanner->is_tsql)) {
        const uint8_t *from = scanner->at;
        if (byte == '[')
            pass(scanner, "]");
        else
            pass_quoted(scanner, false);
        while (from < scanner->at)
            put(scanner, (char)*from++);
    } else if (g_ascii_isdigit(byte) || ((byte == '.' || (byte == '$' && scanner->is_tsql)) && has_digit)) {
        take_number(scanner);
    } else if (byte == '$' && !scanner->is_mysql) {
        take_dollar(scanner);
    } else if (is_name(byte)) {
        take_name(scanner);
    } else {
        put(scanner, (char)byte);
        scanner->at++;
    }
}

void
sql_operation(const uint8_t *text, size_t length, bool cut, enum sql_dialect dialect, char *operation)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    struct scanner scanner = { .at = text,
                               .end = text + MIN(length, TEXT_MOST),
                               .is_mysql = dialect == SQL_MYSQL,
                               .is_tsql = dialect == SQL_TSQL };
    while (scanner.at < scanner.end)
        take_next(&scanner);
    while (!cut && scanner.written > 0 && strchr("; ", scanner.text[scanner.written - 1]))
        scanner.written--;
    scanner.text[scanner.written] = '\0';
    const size_t written = operation_of(scanner.written > 0 || cut ? scanner.text : "empty query", "", operation);
    if (cut && written <= OPERATION_LONGEST)
        memcpy(operation + written, ellipsis, sizeof ellipsis);
}

void
sql_first_word(const char *statement, char *word, size_t room)
{
    size_t length = 0;
    while (length < room - 1 && g_ascii_isalpha(statement[length])) {
        word[length] = g_ascii_toupper(statement[length]);
        length++;
    }
    word[length] = '\0';
}
