/* From bytes to the text that a terminal would show, and from that to what is read of it. */
#include "train/command/line.h"

#include <ctype.h>
#include <string.h>

char *pl_line_narrow(const char *text)
{
    static const struct {
        const char *bytes;
        char plain;
    } others[] = {{"\xE2\x94\x82", '|'},
                  {"\xE2\x94\x83", '|'},
                  {"\xE2\x95\x91", '|'},
                  {"\xE3\x80\x81", ','},
                  {"\xE3\x80\x82", '.'}};
    if (!strpbrk(text, "\xE2\xE3\xEF"))
        return NULL;
    struct pl_text out = {0};
    bool changed = false;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        unsigned code = c[0] == 0xEF && (c[1] == 0xBC || c[1] == 0xBD) && c[2] ? (c[1] - 0xBCu) * 64 + c[2] - 0x80u : 0;
        char plain = code >= 1 && code <= 94 ? (char)(code + 0x20) : '\0'; /* U+FF01 to U+FF5E */
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (!strncmp((const char *)c, others[i].bytes, 3))
                plain = others[i].plain;
        pl_text_add_char(&out, plain ? plain : (char)*c);
        c += plain ? 2 : 0;
        changed = changed || plain;
    }
    if (changed)
        return pl_text_take(&out);
    pl_text_release(&out);
    return NULL;
}

char *pl_line_printed(const char *text)
{
    const char *open = text + strspn(text, " "), *first = open + (*open == '[');
    size_t digits = strspn(first, "0123456789"), length = strlen(text);
    if (first == open || !digits || strncmp(first + digits, "] \"", 3) != 0 || text[length - 1] != '"')
        return NULL;
    struct pl_text out = {0};
    const char *c = first + digits + 3, *end = text + length - 1;
    for (; c < end && *c != '"'; c++) {
        c += *c == '\\' && c + 1 < end;
        pl_text_add_char(&out, *c);
    }
    if (c == end && out.length)
        return pl_text_take(&out);
    pl_text_release(&out);
    return NULL;
}

/* An escape sequence at text: its bytes (0: none). */
static size_t escape_length(const char *text, const char *end)
{
    const char *c = text + 1;
    if (*text != '\033')
        return 0;
    if (c < end && *c == '[') { /* colours and movements */
        c++;
        while (c < end && *c >= 0x20 && *c < 0x40)
            c++;
        return (size_t)((c < end ? c + 1 : c) - text);
    }
    if (c < end && (*c == ']' || *c == 'P')) { /* titles and links */
        while (c < end && *c != '\a' && !(*c == '\033' && c + 1 < end && c[1] == '\\'))
            c++;
        return (size_t)((c < end ? c + 1 + (*c == '\033') : c) - text);
    }
    return c < end ? 2 : 1;
}

/* Blanks that are not ASCII, and marks that nobody sees: their bytes; *blank tells which. */
static size_t unseen_length(const char *text, const char *end, bool *blank)
{
    static const struct {
        const char *bytes;
        bool blank;
    } marks[] = {{"\xC2\xA0", true},      {"\xE2\x80\xAF", true},  {"\xE2\x80\x89", true}, {"\xE2\x80\x87", true},
                 {"\xE3\x80\x80", true},  {"\xE2\x80\x82", true},  {"\xE2\x80\x83", true}, {"\xEF\xBB\xBF", false},
                 {"\xE2\x80\x8B", false}, {"\xE2\x80\x8E", false}, {"\xE2\x80\x8F", false}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i].bytes);
        if ((size_t)(end - text) >= length && !memcmp(text, marks[i].bytes, length)) {
            *blank = marks[i].blank;
            return length;
        }
    }
    return 0;
}

char *pl_line_clean(const char *bytes, size_t length)
{
    struct pl_text out = {0};
    while (length && isspace((unsigned char)bytes[length - 1]))
        length--;
    const char *end = bytes + length;
    for (const char *c = bytes; c < end; c++)
        if (*c == '\r')
            bytes = c + 1; /* a terminal overwrites what stands before it */
    pl_text_add(&out, "");
    for (const char *c = bytes; c < end;) {
        bool blank = false;
        size_t skip = escape_length(c, end);
        skip = skip ? skip : unseen_length(c, end, &blank);
        if (skip) {
            if (blank)
                pl_text_add_char(&out, ' ');
            c += skip;
            continue;
        }
        if (*c == '\b' && out.length)
            pl_text_cut(&out, out.length - 1);
        else if (*c != '\b')
            pl_text_add_char(&out, (unsigned char)*c >= ' ' || *c == '\t' ? *c : '?');
        c++;
    }
    size_t bad;
    while (!pl_utf8_valid(pl_text(&out), out.length, &bad))
        out.text[bad] = '?';
    while (out.length && isspace((unsigned char)out.text[out.length - 1]))
        pl_text_cut(&out, out.length - 1);
    return pl_text_take(&out);
}
