/* lazy_wiretap.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lazy_wiretap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static struct wiretap loaded;
static bool is_loaded;

const struct wiretap *
wiretap(void)
{
    if (is_loaded)
        return &loaded;
    void *library = dlopen(LIBWIRETAP, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) loaded.name = library ? (__typeof__(name) *)dlsym(library, #name) : NULL;
    WIRETAP_CALLS(FIND)
#define LACKS(name) || !loaded.name
    if (!library WIRETAP_CALLS(LACKS)) {
        fprintf(stderr, "Wireshark's library of capture files cannot be loaded: %s.\n", dlerror());
        exit(EXIT_FAILURE);
    }
    is_loaded = true;
    loaded.wtap_init(false);
    return &loaded;
}

void
wiretap_end(void)
{
    if (is_loaded)
        loaded.wtap_cleanup();
}
