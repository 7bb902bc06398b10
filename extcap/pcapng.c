/* pcapng.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pcapng.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clocks.h"

enum {
    SECTION = 0x0a0d0d0a,
    INTERFACE = 1,
    STATISTICS = 5,
    PACKET = 6,

    OPT_END = 0,
    OPT_COMMENT = 1,
    SHB_OS = 3,
    SHB_USERAPPL = 4,
    IF_NAME = 2,
    IF_DESCRIPTION = 3,
    IF_TSRESOL = 9,
    EPB_FLAGS = 2,
    EPB_DROPCOUNT = 4,
    EPB_PACKETID = 5,
    EPB_PROCESS = 8, /* epb_processid_threadid, of draft-ietf-opsawg-pcapng since 2023 */
    ISB_IFRECV = 4,
    ISB_IFDROP = 5,
    FLAG_INBOUND = 1,
    FLAG_OUTBOUND = 2,
    LINKTYPE_ETH = 1,
    NANOSECONDS = 9,
    BUFFER_BYTES = 1 << 18,
    LARGEST_BLOCK = 4096, /* of those that are made here */
    TEXT_BYTES_LIMIT = 512,
    DELETE = 0x7f
};

enum { KNOWN_PROCESSES = 64, KNOWN_BYTES = 128 };

/* A process as the options of its records. */
struct known {
    struct process process;
    size_t used;
    unsigned char options[KNOWN_BYTES];
};

struct pcapng {
    int fd;
    int error;           /* errno of the write that failed, for good */
    off_t written;       /* whole blocks in the file, bytes */
    size_t used;         /* bytes in `buffer` */
    size_t block;        /* where in it the block that is being made begins */
    uint64_t writing_ns; /* to a pipe */
    bool is_pipe;
    struct known known[KNOWN_PROCESSES];
    unsigned char buffer[BUFFER_BYTES];
};

struct pcapng *
pcapng_open(int fd)
{
    struct pcapng *file = fd >= 0 ? calloc(1, sizeof(*file)) : NULL;
    if (!file)
        return NULL;
    file->fd = fd;
    struct stat status;
    file->is_pipe = !fstat(file->fd, &status) && S_ISFIFO(status.st_mode);
    return file;
}

static void
add(struct pcapng *file, const void *bytes, size_t length)
{
    static const unsigned char padding[3];
    const size_t pad = (4 - length % 4) % 4;
    memcpy(file->buffer + file->used, bytes, length);
    memcpy(file->buffer + file->used + length, padding, pad);
    file->used += length + pad;
}

static void
add_u32(struct pcapng *file, uint32_t value)
{
    add(file, &value, sizeof(value));
}

static void
add_time(struct pcapng *file, uint64_t time_ns)
{
    add_u32(file, (uint32_t)(time_ns >> 32));
    add_u32(file, (uint32_t)time_ns);
}

static void
add_option(struct pcapng *file, uint16_t code, const void *value, size_t length)
{
    const uint16_t head[] = { code, (uint16_t)length };
    add(file, head, sizeof(head));
    add(file, value, length);
}

static void
add_text(struct pcapng *file, uint16_t code, const char *text)
{
    const size_t length = strlen(text);
    add_option(file, code, text, length < TEXT_BYTES_LIMIT ? length : TEXT_BYTES_LIMIT);
}

static void
begin_block(struct pcapng *file, uint32_t type)
{
    if (BUFFER_BYTES - file->used < LARGEST_BLOCK)
        pcapng_flush(file);
    file->block = file->used;
    add_u32(file, type);
    add_u32(file, 0); /* its length, which end_block() knows */
}

static void
end_block(struct pcapng *file)
{
    add_u32(file, OPT_END);
    const uint32_t length = (uint32_t)(file->used - file->block + sizeof(length));
    add_u32(file, length);
    memcpy(file->buffer + file->block + sizeof(uint32_t), &length, sizeof(length));
}

void
pcapng_section(struct pcapng *file, const char *application, const char *comment)
{
    struct utsname system;
    char os[TEXT_BYTES_LIMIT];
    const int64_t unknown_length = -1;
    uname(&system);
    snprintf(os, sizeof(os), "%.64s %.128s %.64s", system.sysname, system.release, system.machine);
    begin_block(file, SECTION);
    add_u32(file, 0x1a2b3c4d);
    add_u32(file, 1); /* version 1.0 */
    add(file, &unknown_length, sizeof(unknown_length));
    if (comment)
        add_text(file, OPT_COMMENT, comment);
    add_text(file, SHB_OS, os);
    add_text(file, SHB_USERAPPL, application);
    end_block(file);
}

void
pcapng_interface(struct pcapng *file, const char *name, const char *description, uint32_t snap_bytes)
{
    const uint8_t resolution = NANOSECONDS;
    begin_block(file, INTERFACE);
    add_u32(file, LINKTYPE_ETH);
    add_u32(file, snap_bytes);
    add_text(file, IF_NAME, name);
    add_text(file, IF_DESCRIPTION, description);
    add_option(file, IF_TSRESOL, &resolution, sizeof(resolution));
    end_block(file);
}

/* Who names a process may write lines of a comment's own into its name, or what a terminal obeys. */
static void
copy_name(char *printable, const char *name)
{
    size_t i = 0;
    for (; i < PROCESS_NAME_BYTES - 1 && name[i]; i++) {
        const unsigned char byte = (unsigned char)name[i];
        printable[i] = byte < ' ' || byte == DELETE ? '?' : name[i];
    }
    printable[i] = '\0';
}

/* ptcpdump's keys, which Wireshark 4.0 can show; it knows nothing of option 8. Of a few processes most records are. */
static void
add_process(struct pcapng *file, const struct process *process)
{
    struct known *known = &file->known[process->tid % KNOWN_PROCESSES];
    if (!known->used || memcmp(&known->process, process, sizeof(*process)) != 0) {
        char text[32 + PROCESS_NAME_BYTES], name[PROCESS_NAME_BYTES];
        const uint32_t ids[] = { process->pid, process->tid };
        const size_t begin = file->used;
        snprintf(text, sizeof(text), "PID: %u", process->pid);
        add_text(file, OPT_COMMENT, text);
        copy_name(name, process->name);
        snprintf(text, sizeof(text), "Cmd: %s", name);
        add_text(file, OPT_COMMENT, text);
        snprintf(text, sizeof(text), "ThreadId: %u", process->tid);
        add_text(file, OPT_COMMENT, text);
        add_option(file, EPB_PROCESS, ids, sizeof(ids));
        known->process = *process;
        known->used = file->used - begin;
        memcpy(known->options, file->buffer + begin, known->used);
        return;
    }
    add(file, known->options, known->used);
}

void
pcapng_packet(struct pcapng *file, const struct pcapng_packet *packet)
{
    const uint32_t flags = packet->sent ? FLAG_OUTBOUND : FLAG_INBOUND;
    begin_block(file, PACKET);
    add_u32(file, packet->interface);
    add_time(file, packet->time_ns);
    add_u32(file, packet->data_bytes);
    add_u32(file, packet->wire_bytes);
    add(file, packet->data, packet->data_bytes);
    if (packet->process)
        add_process(file, packet->process);
    for (size_t i = 0; i < sizeof(packet->comments) / sizeof(*packet->comments); i++)
        if (packet->comments[i] && *packet->comments[i])
            add_text(file, OPT_COMMENT, packet->comments[i]);
    add_option(file, EPB_FLAGS, &flags, sizeof(flags));
    if (packet->dropped)
        add_option(file, EPB_DROPCOUNT, &packet->dropped, sizeof(packet->dropped));
    add_option(file, EPB_PACKETID, &packet->id, sizeof(packet->id));
    end_block(file);
}

void
pcapng_statistics(struct pcapng *file, uint32_t interface, uint64_t time_ns, uint64_t received, uint64_t dropped)
{
    begin_block(file, STATISTICS);
    add_u32(file, interface);
    add_time(file, time_ns);
    add_option(file, ISB_IFRECV, &received, sizeof(received));
    add_option(file, ISB_IFDROP, &dropped, sizeof(dropped));
    end_block(file);
}

/* How many of the first `bytes` of the buffer are whole blocks. */
static size_t
whole_blocks(const struct pcapng *file, size_t bytes)
{
    size_t end = 0;
    while (end < bytes) {
        uint32_t length;
        memcpy(&length, file->buffer + end + sizeof(uint32_t), sizeof(length));
        if (length > bytes - end)
            break;
        end += length;
    }
    return end;
}

bool
pcapng_flush(struct pcapng *file)
{
    const uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);
    size_t done = 0;
    while (!file->error && done < file->used) {
        const ssize_t wrote = write(file->fd, file->buffer + done, file->used - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            file->error = errno;
    }
    if (file->error) {
        file->written += (off_t)whole_blocks(file, done);
        /* Of a pipe nothing can be taken back. */
        if (file->used && ftruncate(file->fd, file->written) == 0)
            lseek(file->fd, 0, SEEK_END);
    } else {
        file->written += (off_t)done;
    }
    file->used = 0;
    if (file->is_pipe)
        file->writing_ns += now_ns(CLOCK_MONOTONIC) - begin_ns;
    errno = file->error;
    return !file->error;
}

uint64_t
pcapng_writing_ns(const struct pcapng *file)
{
    return file->writing_ns;
}

bool
pcapng_wait(struct pcapng *file, int milliseconds)
{
    struct pollfd reader = { .fd = file->fd };
    return poll(&reader, 1, milliseconds) <= 0 || !(reader.revents & (POLLERR | POLLHUP));
}

bool
pcapng_close(struct pcapng *file)
{
    pcapng_flush(file);
    /* Some file systems (NFS) tell only now that the disk is full. */
    if (close(file->fd) && !file->error)
        file->error = errno;
    const int error = file->error;
    free(file);
    errno = error;
    return !error;
}
