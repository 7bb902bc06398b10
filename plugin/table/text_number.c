/* text_number.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double scales[] = { 1, 10, 100, 1000 };

/* Writes the digits of a number that was multiplied by a scale to the end of a text, with a point among them; returns
 * where they begin. */
static char *
write_digits(char *at, uint64_t scaled, unsigned decimals)
{
    *--at = '\0';
    for (unsigned i = 0; scaled > 0 || i <= decimals; i++, scaled /= 10) {
        if (i == decimals && i > 0)
            *--at = '.';
        *--at = (char)('0' + scaled % 10);
    }
    return at;
}

/* As printf() has it, for which it works with many digits: of tables with many rows that was the most. */
const char *
number_decimal(wmem_allocator_t *scope, double number, unsigned decimals)
{
    static const char *const formats[] = { "%.0f", "%.1f", "%.2f", "%.3f" };
    static const char *const below[] = { "<1", "<0.1", "<0.01", "<0.001" };
    const double most = 1e15, tie = 1e-3, scaled = number * scales[decimals], fraction = scaled - floor(scaled);
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    if (scaled > 0 && scaled < 0.5)
        return below[decimals];
    if (!(scaled >= 0 && scaled < most) || fabs(fraction - 0.5) < tie)
        return wmem_strdup(scope, g_ascii_formatd(text, sizeof text, formats[decimals], number));
    return wmem_strdup(scope, write_digits(text + sizeof text, (uint64_t)scaled + (fraction > 0.5), decimals));
}

const char *
number_grouped(wmem_allocator_t *scope, double number)
{
    const char *digits = number_decimal(scope, number, 0);
    const size_t length = strlen(digits);
    if (length <= 3)
        return digits;
    char *grouped = wmem_alloc(scope, length + length / 3 + 1), *at = grouped;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = '\0';
    return grouped;
}
