/* interrupt.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

/* What a signal's handler may write to. */
static volatile sig_atomic_t has_come;

static void
note(int number)
{
    (void)number;
    has_come = 1;
}

void
interrupt_catch(void)
{
    /* Without SA_RESTART a read that waits for a pipe ends, too. */
    struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool
interrupt_has_come(void)
{
    return has_come;
}
