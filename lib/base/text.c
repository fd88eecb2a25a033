#include "base/text.h"

#include "base/memory.h"
#include "base/number.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pl_text(const struct pl_text *t)
{
    return t->text ? t->text : "";
}

static void reserve(struct pl_text *t, size_t more)
{
    void *block = t->text;
    pl_grow(&block, &t->capacity, t->length + more + 1, 1);
    t->text = block;
}

void pl_text_add_bytes(struct pl_text *t, const char *bytes, size_t count)
{
    reserve(t, count);
    if (count)
        memcpy(t->text + t->length, bytes, count);
    t->length += count;
    t->text[t->length] = '\0';
}

void pl_text_add(struct pl_text *t, const char *more)
{
    pl_text_add_bytes(t, more, strlen(more));
}

void pl_text_add_char(struct pl_text *t, char c)
{
    pl_text_add_bytes(t, &c, 1);
}

void pl_text_addv(struct pl_text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    reserve(t, 60);
    size_t room = t->capacity - t->length;
    int need = vsnprintf(t->text + t->length, room, format, args);
    if (need >= 0 && (size_t)need >= room) {
        reserve(t, (size_t)need);
        vsnprintf(t->text + t->length, (size_t)need + 1, format, again);
    }
    va_end(again);
    if (need > 0)
        t->length += (size_t)need;
}

void pl_text_addf(struct pl_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pl_text_addv(t, format, args);
    va_end(args);
}

void pl_text_add_number(struct pl_text *t, double value)
{
    char spelling[PL_NUMBER_SIZE];
    pl_text_add_bytes(t, spelling, pl_number_write(value, spelling));
}

void pl_text_add_word(struct pl_text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%={}";
    if (*word && strspn(word, plain) == strlen(word)) {
        pl_text_add(t, word);
        return;
    }
    pl_text_add_char(t, '\'');
    for (; *word; word++)
        if (*word == '\'')
            pl_text_add(t, "'\\''");
        else
            pl_text_add_char(t, *word);
    pl_text_add_char(t, '\'');
}

void pl_text_add_json(struct pl_text *t, const char *text)
{
    pl_text_add_char(t, '"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        switch (*c) {
        case '"':
            pl_text_add(t, "\\\"");
            break;
        case '\\':
            pl_text_add(t, "\\\\");
            break;
        case '\n':
            pl_text_add(t, "\\n");
            break;
        case '\t':
            pl_text_add(t, "\\t");
            break;
        case '\r':
            pl_text_add(t, "\\r");
            break;
        default:
            if (*c < 0x20)
                pl_text_addf(t, "\\u%04x", *c);
            else
                pl_text_add_char(t, (char)*c);
        }
    }
    pl_text_add_char(t, '"');
}

void pl_text_cut(struct pl_text *t, size_t length)
{
    if (length < t->length) {
        t->length = length;
        t->text[length] = '\0';
    }
}

void pl_text_clear(struct pl_text *t)
{
    pl_text_cut(t, 0);
}

char *pl_text_take(struct pl_text *t)
{
    char *taken = t->text ? t->text : pl_copy("");
    *t = (struct pl_text){0};
    return taken;
}

void pl_text_release(struct pl_text *t)
{
    free(t->text);
    *t = (struct pl_text){0};
}

const char *pl_next_word(const char *list, size_t *length)
{
    if (!list)
        return NULL;
    list += strspn(list, " ");
    *length = strcspn(list, " ");
    return *length ? list : NULL;
}

bool pl_has_word(const char *list, const char *word)
{
    size_t length, wanted = strlen(word);
    for (const char *w = list; (w = pl_next_word(w, &length)); w += length)
        if (length == wanted && !memcmp(w, word, length))
            return true;
    return false;
}

size_t pl_edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t m = strnlen(a, LONGEST), n = strnlen(b, LONGEST);
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 1; i <= m; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            size_t best = last[j - 1] + (ca != cb);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && cb == tolower((unsigned char)a[i - 2]) &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

const char *pl_nearest(const char *word, const char *const *candidates, size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    size_t limit = length <= 3 ? 2 : (length + 2) / 3 + 1; /* exclusive */
    for (size_t i = 0; i < count; i++) {
        size_t distance = pl_edit_distance(word, candidates[i]);
        if (distance < limit) {
            limit = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

size_t pl_utf8_read(const char *bytes, size_t left, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)bytes;
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (!left)
        return 0;
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC0 ? 2 : 0;
    if (!n || n > left || s[0] > 0xF4)
        return 0;
    *code = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3F);
    }
    if (n > 1 && (*code < smallest[n] || *code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000)))
        return 0;
    return n;
}

bool pl_utf8_valid(const char *bytes, size_t length, size_t *bad_offset)
{
    for (size_t i = 0; i < length;) {
        uint32_t code;
        size_t n = pl_utf8_read(bytes + i, length - i, &code);
        if (!n) {
            if (bad_offset)
                *bad_offset = i;
            return false;
        }
        i += n;
    }
    return true;
}

static size_t columns(uint32_t code)
{
    if ((code >= 0x300 && code < 0x370) || (code >= 0x200B && code <= 0x200F) || (code >= 0xFE00 && code <= 0xFE0F) ||
        (code >= 0x1AB0 && code <= 0x1AFF) || (code >= 0x1DC0 && code <= 0x1DFF) || (code >= 0x20D0 && code <= 0x20FF))
        return 0;
    bool wide = (code >= 0x1100 && code < 0x1160) || (code >= 0x2E80 && code < 0xA4D0) ||
                (code >= 0xAC00 && code < 0xD7A4) || (code >= 0xF900 && code < 0xFB00) ||
                (code >= 0xFF00 && code < 0xFF61) || (code >= 0x1F300 && code < 0x1FA00);
    return wide ? 2 : 1;
}

size_t pl_text_width(const char *text)
{
    size_t width = 0, left = strlen(text);
    while (left) {
        uint32_t code = 0;
        size_t n = pl_utf8_read(text, left, &code);
        width += n ? columns(code) : 1;
        n = n ? n : 1;
        text += n;
        left -= n;
    }
    return width;
}
