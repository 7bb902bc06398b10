/* process.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "process.h"

#include <string.h>

#include <glib.h>

struct process_table {
    wmem_allocator_t *scope;
    wmem_map_t *processes; /* by themselves */
};

bool
process_is_known(const struct process *process)
{
    return process->has_pid || process->tid || *process->name;
}

/* What a line says under a key; NULL if it is another's. */
static const char *
value_of(const char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 ? line + length : NULL;
}

/* False if no number up to 2^32 begins there. */
static bool
read_number(const char *text, uint32_t *number)
{
    char *end;
    if (!g_ascii_isdigit(*text))
        return false;
    uint64_t value = g_ascii_strtoull(text, &end, 10);
    if (value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static void
read_name(struct process *process, const char *text, size_t length)
{
    length = MIN(length, sizeof process->name - 1);
    memcpy(process->name, text, length);
    process->name[length] = '\0';
}

/* "30419169061793 (6) [ping] 11330 [tp] net:net_dev_start_xmit #1baa83c42ba1ffff8e95c3b67c00 (skb …)" */
static void
read_retis(struct process *process, const char *comment)
{
    const char *at = comment + strspn(comment, "0123456789");
    if (at == comment || strncmp(at, " (", 2) != 0)
        return;
    at += 2 + strspn(at + 2, "0123456789");
    if (strncmp(at, ") [", 3) != 0)
        return;
    const char *name = at + 3;
    const char *end = strstr(name, "] ");
    if (!end || !read_number(end + 2, &process->pid))
        return;
    process->has_pid = true;
    process->bystander = true;
    read_name(process, name, (size_t)(end - name));
}

/* Up to the end of the line, or to the next key on it. */
static size_t
name_length(const char *name)
{
    size_t length = strcspn(name, "\r\n");
    for (size_t i = 0; i < length; i++) {
        size_t word = strspn(name + i + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (name[i] == ' ' && word && strncmp(name + i + 1 + word, ": ", 2) == 0)
            return i;
    }
    return length;
}

static bool
read_key(struct process *process, const char *text)
{
    const char *value;
    if ((value = value_of(text, "PID: ")))
        return process->has_pid |= read_number(value, &process->pid);
    if ((value = value_of(text, "ThreadId: ")))
        return read_number(value, &process->tid);
    if ((value = value_of(text, "Cmd: ")))
        read_name(process, value, name_length(value));
    return value != NULL;
}

/* Other keys can follow on the line of "PID: ", and there only: a name could look like them. */
static void
read_line(struct process *process, const char *line)
{
    if (!read_key(process, line) || !value_of(line, "PID: "))
        return;
    for (const char *at = line; *at && *at != '\n'; at++)
        if (*at == ' ')
            read_key(process, at + 1);
}

void
process_read(struct process *process, const char *comment)
{
    read_retis(process, comment);
    read_line(process, comment);
    for (const char *end = strchr(comment, '\n'); end; end = strchr(end + 1, '\n'))
        read_line(process, end + 1);
}

uint64_t
tracking_read(const char *comment)
{
    struct process process = { 0 };
    read_retis(&process, comment);
    const char *mark = strstr(comment, " #");
    if (!process.has_pid || !mark)
        return 0;
    const char *id = mark + 2;
    uint64_t print = UINT64_C(0xCBF29CE484222325);
    size_t digits = strspn(id, "0123456789abcdefABCDEF");
    for (size_t i = 0; i < digits; i++)
        print = (print ^ (uint8_t)id[i]) * UINT64_C(0x100000001B3);
    return digits ? print | 1 : 0;
}

uint16_t
sample_read(const char *comment)
{
    uint32_t number;
    const char *text = value_of(comment, "Sample: 1/");
    return text && read_number(text, &number) && number <= UINT16_MAX ? (uint16_t)number : 0;
}

/* Keyed: who makes a capture chooses all of it. */
static unsigned
hash_process(const void *key)
{
    const struct process *process = key;
    const uint32_t ids[] = { process->pid, process->tid };
    return wmem_str_hash(process->name) ^ wmem_strong_hash((const uint8_t *)ids, sizeof ids);
}

static int
equal_processes(const void *a, const void *b)
{
    const struct process *x = a;
    const struct process *y = b;
    return x->pid == y->pid && x->tid == y->tid && x->has_pid == y->has_pid && x->bystander == y->bystander &&
           strcmp(x->name, y->name) == 0;
}

struct process_table *
process_table_new(wmem_allocator_t *scope)
{
    struct process_table *table = wmem_new(scope, struct process_table);
    table->scope = scope;
    table->processes = wmem_map_new(scope, hash_process, equal_processes);
    return table;
}

bool
process_table_is_empty(const struct process_table *table)
{
    return wmem_map_size(table->processes) == 0;
}

const struct process *
process_table_put(struct process_table *table, const struct process *process)
{
    struct process *known = wmem_map_lookup(table->processes, process);
    if (!known) {
        known = wmem_memdup(table->scope, process, sizeof *process);
        wmem_map_insert(table->processes, known, known);
    }
    return known;
}
