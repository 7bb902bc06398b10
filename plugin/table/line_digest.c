/* line_digest.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "line_digest.h"

#include <gcrypt.h>
#include <glib.h>

/* The library's handle; nothing else is needed of it. */
static gcry_md_hd_t
handle(struct line_digest *digest)
{
    return (gcry_md_hd_t)digest;
}

struct line_digest *
line_digest_new(void)
{
    gcry_md_hd_t digest = NULL;
    gcry_check_version(NULL);
    return gcry_md_open(&digest, GCRY_MD_SHA256, 0) == 0 ? (struct line_digest *)digest : NULL;
}

void
line_digest_free(struct line_digest *digest)
{
    gcry_md_close(handle(digest));
}

void
line_digest_add(struct line_digest *digest, const void *bytes, size_t length)
{
    gcry_md_write(handle(digest), bytes, length);
}

const char *
line_digest_text(struct line_digest *digest, char text[LINE_DIGEST_ROOM])
{
    const unsigned char *bytes = gcry_md_read(handle(digest), GCRY_MD_SHA256);
    for (unsigned i = 0; i < LINE_DIGEST_BYTES; i++)
        g_snprintf(text + (size_t)2 * i, 3, "%02x", bytes[i]);
    return text;
}
