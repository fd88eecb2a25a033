#include "sweep/protocol/cursor.h"

#include <math.h>
#include <stdlib.h>

const char *const pl_axis_names[PL_AXIS_COUNT] = {"epoch", "step"};

/* ---- writing ---- */

void pl_bits_write(const double *values, size_t count, struct pl_text *out)
{
    static const char digits[] = "0123456789abcdef";
    char text[16 * 64];
    while (count) {
        size_t n = count < 64 ? count : 64;
        for (size_t i = 0; i < n; i++) {
            uint64_t bits;
            memcpy(&bits, &values[i], sizeof bits);
            for (int d = 15; d >= 0; d--, bits >>= 4)
                text[16 * i + (size_t)d] = digits[bits & 15];
        }
        pl_text_add_bytes(out, text, 16 * n);
        values += n;
        count -= n;
    }
}

bool pl_bits_read(const char *text, size_t count, double *values)
{
    unsigned bad = 0;
    for (size_t i = 0; i < count; i++, text += 16) {
        uint64_t bits = 0;
        for (int d = 0; d < 16; d++) {
            unsigned c = (unsigned char)text[d];
            unsigned decimal = c - '0', letter = c - 'a';
            bad |= decimal > 9 && letter > 5;
            bits = bits << 4 | (decimal <= 9 ? decimal : letter + 10) % 16;
        }
        memcpy(&values[i], &bits, sizeof bits);
    }
    return !bad;
}

static void add_integer(struct pl_text *out, int64_t value)
{
    char text[24], *c = text + sizeof text;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--c = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--c = '-';
    pl_text_add_bytes(out, c, (size_t)(text + sizeof text - c));
}

void pl_add_field(struct pl_text *out, const char *prefix, int64_t value)
{
    pl_text_add(out, prefix);
    add_integer(out, value);
}

void pl_add_foreign(struct pl_text *out, const char *prefix, const char *text)
{
    size_t bad;
    pl_text_add(out, prefix);
    if (pl_utf8_valid(text, strlen(text), &bad)) {
        pl_text_add_json(out, text);
        return;
    }
    char *copy = pl_copy(text);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    pl_text_add_json(out, copy);
    free(copy);
}

/* ---- reading ---- */

bool pl_cursor_integer(struct pl_cursor *c, int64_t *value)
{
    bool negative = *c->at == '-';
    uint64_t number = 0, most = (uint64_t)INT64_MAX + negative;
    c->at += negative;
    if (*c->at < '0' || *c->at > '9')
        return false;
    for (; *c->at >= '0' && *c->at <= '9'; c->at++) {
        unsigned d = (unsigned)(*c->at - '0');
        if (number > (most - d) / 10)
            return false;
        number = 10 * number + d;
    }
    *value = negative ? (int64_t)-number : (int64_t)number;
    return true;
}

bool pl_cursor_real(struct pl_cursor *c, double *value)
{
    char *after;
    *value = strtod(c->at, &after);
    bool any = after > c->at && isfinite(*value);
    c->at = after;
    return any;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What stands behind a backslash: those escapes that pl_text_add_json writes. */
static bool take_escape(struct pl_cursor *c, char *out)
{
    static const char from[] = "\"\\ntr", to[] = "\"\\\n\t\r";
    const char *found = *c->at ? strchr(from, *c->at) : NULL;
    if (found) {
        *out = to[found - from];
        c->at++;
        return true;
    }
    if (!pl_cursor_skip(c, "u00") || c->end - c->at < 2 || digit(c->at[0]) < 0 || digit(c->at[1]) < 0)
        return false;
    *out = (char)(digit(c->at[0]) << 4 | digit(c->at[1]));
    c->at += 2;
    return *out != '\0' && !(*out & 0x80);
}

char *pl_cursor_string(struct pl_cursor *c)
{
    if (!pl_cursor_skip(c, "\""))
        return NULL;
    char *start = c->at, *out = start;
    while (c->at < c->end && *c->at != '"') {
        char plain = *c->at++;
        if (plain == '\0' || (plain == '\\' && !take_escape(c, &plain)))
            return NULL;
        *out++ = plain;
    }
    if (!pl_cursor_skip(c, "\""))
        return NULL;
    *out = '\0';
    return start;
}

bool pl_cursor_word(struct pl_cursor *c, const char *const *words, int count, int *index)
{
    const char *word = pl_cursor_string(c);
    for (int i = 0; word && i < count; i++)
        if (!strcmp(word, words[i])) {
            *index = i;
            return true;
        }
    return false;
}
