/* http2_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2_fields.h"

#include <string.h>

#include "../http/http_ids.h"
#include "../http/http_waiting.h"

/* A field that has this name stands for one that the capture does not have: no real one may (RFC 9110 §5.6.2). */
static const char placeholder[] = "(";

enum { ENTRY_BYTES = 33, FIRST_TABLE_BYTES = 4096 }; /* RFC 7541 §4.1, with a name of one byte; RFC 9113 §6.5.2 */

static void *
allocate(size_t size, void *scope)
{
    return wmem_alloc(scope, size);
}

static void
release(void *memory, void *scope)
{
    if (memory)
        wmem_free(scope, memory);
}

static void *
allocate_zeroed(size_t count, size_t size, void *scope)
{
    return wmem_alloc0(scope, count * size);
}

static void *
reallocate(void *memory, size_t size, void *scope)
{
    return wmem_realloc(scope, memory, size);
}

nghttp2_mem
http2_memory(wmem_allocator_t *scope)
{
    return (nghttp2_mem){ scope, allocate, release, allocate_zeroed, reallocate };
}

/* What fits. */
static void
copy(char *text, size_t room, const struct http_field *field)
{
    size_t length = MIN(field->value_length, room - 1);
    memcpy(text, field->value, length);
    text[length] = '\0';
}

static bool
is_called(const struct http_field *field, const char *name)
{
    return field->name_length == strlen(name) && memcmp(field->name, name, field->name_length) == 0;
}

static int
read_grpc_status(const struct http_field *field)
{
    enum { LONGEST = 4 };
    char digits[LONGEST + 1];
    copy(digits, sizeof digits, field);
    return g_ascii_isdigit(digits[0]) ? (int)g_ascii_strtoull(digits, NULL, 10) : -1;
}

/* Also with a suffix or a parameter; gRPC-Web is framed in another way. */
static void
take_content_type(struct http2_fields *fields, const struct http_field *field)
{
    static const char grpc[] = "application/grpc";
    const size_t length = strlen(grpc);
    fields->has_content_type = true;
    fields->is_stream = http_type_is_stream(field->value, field->value_length);
    fields->is_grpc = field->value_length >= length && memcmp(field->value, grpc, length) == 0 &&
                      (field->value_length == length || field->value[length] == '+' || field->value[length] == ';');
}

void
http2_fields_take(struct http2_fields *fields, const struct http_field *field)
{
    if (is_called(field, placeholder))
        fields->has_unknown = true;
    else if (is_called(field, ":method"))
        copy(fields->method, sizeof fields->method, field);
    else if (is_called(field, ":path"))
        copy(fields->path, sizeof fields->path, field);
    else if (is_called(field, ":authority"))
        copy(fields->authority, sizeof fields->authority, field);
    else if (is_called(field, ":status"))
        copy(fields->status, sizeof fields->status, field);
    else if (is_called(field, "grpc-status"))
        fields->grpc_status = read_grpc_status(field);
    else if (is_called(field, "content-type"))
        take_content_type(fields, field);
    else if (is_called(field, "prefer"))
        fields->preferences |= http_preferences(field->value, field->value_length);
}

static void
close_inflater(struct http2_decoder *decoder)
{
    if (decoder->inflater)
        nghttp2_hd_inflate_del(decoder->inflater);
    decoder->inflater = NULL;
}

/* After one that cannot be read nothing is known of the table, either. */
static void
fail(struct http2_decoder *decoder)
{
    close_inflater(decoder);
    decoder->is_unknown = decoder->fields.has_unknown = true;
}

static void
inflate(struct http2_decoder *decoder, const uint8_t *bytes, size_t length, bool ends)
{
    for (;;) {
        nghttp2_nv field;
        int flags = 0;
        ssize_t taken = nghttp2_hd_inflate_hd2(decoder->inflater, &field, &flags, bytes, length, ends);
        if (taken < 0) {
            fail(decoder);
            return;
        }
        bytes += taken;
        length -= (size_t)taken;
        if (flags & NGHTTP2_HD_INFLATE_EMIT) {
            http2_fields_take(&decoder->fields,
                              &(struct http_field){ field.name, field.namelen, field.value, field.valuelen });
            if (decoder->ids)
                http_find_ids(field.name, field.namelen, field.value, field.valuelen, decoder->ids->more,
                              &decoder->ids->found);
        } else if (flags & NGHTTP2_HD_INFLATE_FINAL || length == 0) {
            break;
        }
    }
    if (ends)
        nghttp2_hd_inflate_end_headers(decoder->inflater);
}

/* As many placeholders as a table can have fields: none that was there before is taken for one that was added later.
 * Of a larger table more fields can be referred to: that fails. */
static void
fill_unknown(struct http2_decoder *decoder)
{
    uint8_t block[FIRST_TABLE_BYTES / ENTRY_BYTES * 4];
    for (size_t i = 0; i < sizeof block; i += 4) {
        /* a literal field to be added, its name and its value: RFC 7541 §6.2.1 */
        block[i] = 0x40;
        block[i + 1] = 1;
        block[i + 2] = (uint8_t)placeholder[0];
        block[i + 3] = 0;
    }
    const struct http2_fields fields = decoder->fields;
    inflate(decoder, block, sizeof block, true);
    decoder->fields = fields;
}

static bool
open_inflater(struct http2_decoder *decoder, nghttp2_mem *memory)
{
    if (decoder->inflater)
        return true;
    if (nghttp2_hd_inflate_new2(&decoder->inflater, memory) != 0) {
        decoder->inflater = NULL;
        return false;
    }
    /* What the other side has allowed need not be known: a block that changes the size says so. */
    nghttp2_hd_inflate_change_table_size(decoder->inflater, HTTP2_TABLE_BYTES);
    if (decoder->is_unknown)
        fill_unknown(decoder);
    return decoder->inflater;
}

void
http2_decoder_begin(struct http2_decoder *decoder)
{
    decoder->fields = (struct http2_fields){ .grpc_status = -1 };
    if (decoder->ids)
        decoder->ids->found = (struct found_ids){ 0 };
}

void
http2_decoder_take(struct http2_decoder *decoder, nghttp2_mem *memory, const uint8_t *bytes, size_t length, bool ends)
{
    static const uint8_t nothing[1];
    /* The rest of a block that cannot be read. */
    if (!decoder->inflater && decoder->fields.has_unknown)
        return;
    if (!open_inflater(decoder, memory)) {
        decoder->fields.has_unknown = true;
        return;
    }
    inflate(decoder, length > 0 ? bytes : nothing, length, ends);
}

void
http2_decoder_free(struct http2_decoder *decoder)
{
    close_inflater(decoder);
}

void
http2_decoder_lose(struct http2_decoder *decoder)
{
    close_inflater(decoder);
    decoder->is_unknown = true;
}

/* "/" Service-Name "/" method; also what is not known. */
static bool
may_be_call(const char *path)
{
    const char *method = *path ? strchr(path + 1, '/') : NULL;
    return !*path || (method && !strpbrk(method + 1, "/?"));
}

bool
http2_may_be_grpc(const struct http2_fields *fields)
{
    return fields->has_unknown && !fields->has_content_type && may_be_call(fields->path) &&
           (!*fields->method || strcmp(fields->method, "POST") == 0);
}

void
http2_operation(const struct http2_fields *fields, bool pushed, char *text)
{
    char method[HTTP2_METHOD_ROOM + 8];
    const char *target = strcmp(fields->method, "CONNECT") == 0 && !*fields->path ? fields->authority : fields->path;
    g_snprintf(method, sizeof method, "%s%s", pushed ? "PUSH " : "", fields->method);
    text[0] = '\0';
    /* of gRPC only the path is said */
    if (http2_may_be_grpc(fields))
        return;
    if (fields->is_grpc && *fields->path)
        operation_of(fields->path, "", text);
    else if (*fields->method && *target)
        operation_of(method, target, text);
}

const char *
http2_grpc_status_name(int status)
{
    static const char *const names[] = {
        "OK",        "CANCELLED",       "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
        "NOT_FOUND", "ALREADY_EXISTS",  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED",   "OUT_OF_RANGE",    "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
        "DATA_LOSS", "UNAUTHENTICATED",
    };
    return status >= 0 && status < (int)G_N_ELEMENTS(names) ? names[status] : "unknown";
}
