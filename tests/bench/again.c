/* again.c
 * A capture again and again, on standard output: later each time, and between other addresses, or of other clients and
 * the same servers, whose ports are below 1024.
 * Usage: again FILE TIMES [clients]    (pcap of this machine's byte order, Ethernet and IPv4)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_HEADER = 24, RECORD_HEADER = 16, ETHERNET_HEADER = 14, TYPE = 12, SOURCE = 12, DESTINATION = 16, PORTS = 20 };

static uint8_t *
read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*length);
    if (bytes && fread(bytes, 1, *length, file) != *length)
        return NULL;
    fclose(file);
    return bytes;
}

static bool keeps_servers;

/* The middle two bytes of the address of a port: which copy it is. */
static void
renumber(uint8_t *address, const uint8_t *port, uint32_t copy)
{
    enum { SERVERS = 1024 };
    if (keeps_servers && (port[0] << 8 | port[1]) < SERVERS)
        return;
    address[1] = (uint8_t)(copy >> 8);
    address[2] = (uint8_t)copy;
}

/* Makes each record so many seconds later; returns the seconds from the first to the last. */
static uint32_t
change(uint8_t *bytes, size_t length, uint32_t later_s, uint32_t copy)
{
    uint32_t first = 0, last = 0;
    for (size_t at = FILE_HEADER; at + RECORD_HEADER <= length;) {
        uint32_t seconds, captured;
        memcpy(&seconds, bytes + at, sizeof seconds);
        memcpy(&captured, bytes + at + 8, sizeof captured);
        seconds += later_s;
        memcpy(bytes + at, &seconds, sizeof seconds);
        first = first ? first : seconds;
        last = seconds;
        uint8_t *ip = bytes + at + RECORD_HEADER + ETHERNET_HEADER;
        if (captured >= ETHERNET_HEADER + PORTS + 4 && ip[TYPE - ETHERNET_HEADER] == 8) {
            renumber(ip + SOURCE, ip + PORTS, copy);
            renumber(ip + DESTINATION, ip + PORTS + 2, copy);
        }
        at += RECORD_HEADER + captured;
    }
    return last - first;
}

int
main(int argc, char **argv)
{
    size_t length = 0;
    keeps_servers = argc == 4 && strcmp(argv[3], "clients") == 0;
    uint8_t *bytes = argc == 3 || keeps_servers ? read_all(argv[1], &length) : NULL;
    if (!bytes || length < FILE_HEADER) {
        fprintf(stderr, "Usage: again FILE TIMES [clients]\n");
        return 2;
    }
    uint32_t span_s = change(bytes, length, 0, 0) + 1;
    fwrite(bytes, 1, FILE_HEADER, stdout);
    for (uint32_t copy = 0; copy < (uint32_t)atol(argv[2]); copy++) {
        if (fwrite(bytes + FILE_HEADER, 1, length - FILE_HEADER, stdout) != length - FILE_HEADER)
            return 1;
        change(bytes, length, span_s, copy + 1);
    }
    return 0;
}
