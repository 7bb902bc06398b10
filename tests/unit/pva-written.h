/* pva-written.h
 * Messages of pvAccess as tests write them, and a circuit that they are said on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_WRITTEN_H
#define LATENCY_PVA_WRITTEN_H

#include "core/ca/ca_channel.h"
#include "core/pva/pva_cursor.h"
#include "core/pva/pva_message.h"
#include "scene.h"

enum {
    WRITTEN_ROOM = 2000,
    CLIENT = 0,
    SERVER = PVA_FLAG_SERVER,
    BIG = PVA_FLAG_BIG_ENDIAN,
    CID = 7,
    SID = 70,
    IOID = 700
};

/* A message as it is written, or several. */
struct written {
    uint8_t bytes[WRITTEN_ROOM];
    size_t n;
    size_t size_at; /* of the size of the last */
    bool big_endian;
};

void put(struct written *written, uint64_t number, unsigned bytes);
void put_text(struct written *written, const char *text);
void put_header(struct written *written, unsigned flags, unsigned command, uint32_t size);

/* The last message's size becomes that of what stands behind its header. */
struct written finish(struct written written);

/* A message without a payload, to go on with; or a control message. */
struct written message(unsigned flags, unsigned command);

/* `order`: 0 or BIG. */
struct written ask_create(unsigned order, uint32_t cid, const char *name);

/* `reason`: NULL for a channel; else what goes with the error. */
struct written say_create(unsigned order, uint32_t cid, uint32_t sid, const char *reason);

/* About an operation. */
struct written ask(unsigned order, unsigned command, uint32_t ioid, unsigned subcommand);
struct written answer(unsigned order, unsigned command, uint32_t ioid, unsigned subcommand, unsigned status);

/* Two numbers are all that it has. */
struct written pair_of(unsigned flags, unsigned command, uint32_t first, uint32_t second);

/* From whom its header says. */
void say(struct scene *scene, const struct written *written);
void say_this(struct scene *scene, struct written written);

/* In two segments; with `gone` bytes between them that the capture does not have. */
void say_cut(struct scene *scene, const struct written *written, size_t at);
void say_without(struct scene *scene, const struct written *written, size_t at, size_t gone);

void open_circuit(struct scene *scene);

/* Both have said something, so that it is known where their messages begin. */
void open_begun(struct scene *scene);

/* With a channel "PV". */
void open_channel(struct scene *scene, unsigned order);

/* NULL for number 0. */
const struct ca_channel *channel(const struct scene *scene, uint32_t number);
const struct ca_exchange *exchange(const struct scene *scene, uint32_t number);

/* What the message `back` messages before the side's last is about. */
struct ca_subject about(const struct scene *scene, bool from_client, unsigned back);

/* Commands and places of all messages of the side, in their order: "GET@0, part@14". */
char *noted_text(const struct scene *scene, bool from_client);

/* From the update before, in nanoseconds, of the update with this number; -1 if that is not known. */
int64_t spacing(const struct scene *scene, uint32_t number);

#endif
