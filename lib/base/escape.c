#include "base/escape.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a terminal must not get ---- */

struct range {
    uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

/* Controls, what turns the direction of writing, and what takes no place or a blank one. U+FE0E and U+FE0F, which
 * choose how an emoji looks, are let through. */
static bool is_hidden(uint32_t code)
{
    static const struct range hidden[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},
        {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
        {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFE00, 0xFE0D},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
        {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    };
    return is_in(hidden, sizeof hidden / sizeof *hidden, code);
}

/* A character as the escapers see it. */
struct character {
    const char *bytes;
    size_t length;
    uint32_t code; /* of a byte that is no UTF-8: the byte */
    bool shown;    /* it goes out as it is; otherwise by its number */
};

static struct character read_character(const char *text)
{
    struct character c = {.bytes = text};
    c.length = pl_utf8_read(text, strnlen(text, 4), &c.code);
    c.shown = c.length && !is_hidden(c.code);
    if (!c.length) {
        c.length = 1;
        c.code = (unsigned char)*text;
    }
    return c;
}

/* What stands behind the backslash of a character that is not shown. */
static void add_number(struct pl_text *out, const struct character *c, const char *open, const char *close)
{
    if (c->code == '\n' || c->code == '\t' || c->code == '\r')
        pl_text_add_char(out, c->code == '\n' ? 'n' : c->code == '\t' ? 't' : 'r');
    else if (c->length == 1)
        pl_text_addf(out, "x%02x", (unsigned)c->code);
    else
        pl_text_addf(out, "u%s%x%s", open, (unsigned)c->code, close);
}

static void add_for_terminal(struct pl_text *out, const char *text, bool lines)
{
    while (*text) {
        struct character c = read_character(text);
        if (c.shown || (lines && (c.code == '\n' || c.code == '\t'))) {
            pl_text_add_bytes(out, c.bytes, c.length);
        } else {
            pl_text_add_char(out, '\\');
            add_number(out, &c, "{", "}");
        }
        text += c.length;
    }
}

void pl_escape_terminal(struct pl_text *out, const char *text)
{
    add_for_terminal(out, text, false);
}

void pl_escape_lines(struct pl_text *out, const char *text)
{
    add_for_terminal(out, text, true);
}

/* ---- data ---- */

void pl_escape_csv(struct pl_text *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        pl_text_add(out, text);
        return;
    }
    pl_text_add_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            pl_text_add_char(out, '"');
        pl_text_add_char(out, *text);
    }
    pl_text_add_char(out, '"');
}

void pl_escape_json(struct pl_text *out, const char *text)
{
    struct pl_text clean = {0};
    for (size_t length; *text; text += length) {
        uint32_t code;
        length = pl_utf8_read(text, strnlen(text, 4), &code);
        pl_text_add_bytes(&clean, length ? text : "\xEF\xBF\xBD", length ? length : 3);
        length = length ? length : 1;
    }
    pl_text_add_json(out, pl_text(&clean));
    pl_text_release(&clean);
}

/* ---- documents ---- */

/* A blank that a document would drop: at an end, or behind another. */
static bool is_lost_blank(const char *text, const char *start)
{
    return *text == ' ' && (text == start || text[-1] == ' ' || !text[1]);
}

/* What begins a list or a rule where a line begins. */
static bool begins_block(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (digits)
        return (text[digits] == '.' || text[digits] == ')') && (text[digits + 1] == ' ' || !text[digits + 1]);
    return (*text == '-' && (text[1] == '-' || text[1] == ' ')) || (*text == '+' && text[1] == ' ');
}

void pl_escape_markdown(struct pl_text *out, const char *text)
{
    const char *start = text, *guard = NULL;
    if (begins_block(text))
        guard = text + strspn(text, "0123456789"); /* a digit takes no backslash, what follows it does */
    while (*text) {
        struct character c = read_character(text);
        if (c.code == '\n' && c.length == 1) {
            pl_text_add(out, "<br>");
        } else if (!c.shown) {
            pl_text_add(out, "\\\\");
            add_number(out, &c, "{", "}");
        } else if (is_lost_blank(text, start)) {
            pl_text_add(out, "&nbsp;");
        } else {
            bool entity = *text == '&' && (isalnum((unsigned char)text[1]) || text[1] == '#');
            if (text == guard || entity || (c.length == 1 && strchr("|\\`*_[]<>~#$", *text)))
                pl_text_add_char(out, '\\');
            pl_text_add_bytes(out, c.bytes, c.length);
        }
        text += c.length;
    }
}

static void add_for_html(struct pl_text *out, const char *text, bool lines)
{
    while (*text) {
        struct character c = read_character(text);
        if (!c.shown && !(lines && (c.code == '\n' || c.code == '\t'))) {
            pl_text_add_char(out, '\\');
            add_number(out, &c, "{", "}");
        } else if (c.length == 1 && strchr("&<>\"'", *text)) {
            pl_text_addf(out, "&#%u;", (unsigned)c.code);
        } else {
            pl_text_add_bytes(out, c.bytes, c.length);
        }
        text += c.length;
    }
}

void pl_escape_html(struct pl_text *out, const char *text)
{
    add_for_html(out, text, false);
}

void pl_escape_html_lines(struct pl_text *out, const char *text)
{
    add_for_html(out, text, true);
}

struct sign {
    uint32_t code;
    const char *latex;
};

/* What stands for a character of ASCII, NULL where it stands for itself. Brackets and stars are the optional arguments
 * of the \\ before them, unless they are in braces. */
static const char *latex_ascii(uint32_t code)
{
    static const char *const words[128] = {
        ['\\'] = "\\textbackslash{}",
        ['~'] = "\\textasciitilde{}",
        ['^'] = "\\textasciicircum{}",
        ['<'] = "\\textless{}",
        ['>'] = "\\textgreater{}",
        ['|'] = "\\textbar{}",
        ['"'] = "{''}",
        ['`'] = "\\`{}",
        ['['] = "{[}",
        [']'] = "{]}",
        ['*'] = "{*}",
        ['&'] = "\\&",
        ['%'] = "\\%",
        ['$'] = "\\$",
        ['#'] = "\\#",
        ['_'] = "\\_",
        ['{'] = "\\{",
        ['}'] = "\\}",
    };
    return code < 128 ? words[code] : NULL;
}

/* Greek letters and the signs of mathematics, in math mode; those that Latin has too take its letter. */
static const char *latex_math(uint32_t code)
{
    static const char *const capital[] = {"\\mathrm{A}", "\\mathrm{B}", "\\Gamma",     "\\Delta",     "\\mathrm{E}",
                                          "\\mathrm{Z}", "\\mathrm{H}", "\\Theta",     "\\mathrm{I}", "\\mathrm{K}",
                                          "\\Lambda",    "\\mathrm{M}", "\\mathrm{N}", "\\Xi",        "\\mathrm{O}",
                                          "\\Pi",        "\\mathrm{P}", NULL,          "\\Sigma",     "\\mathrm{T}",
                                          "\\Upsilon",   "\\Phi",       "\\mathrm{X}", "\\Psi",       "\\Omega"};
    static const char *const small[] = {
        "\\alpha", "\\beta",   "\\gamma",   "\\delta",  "\\varepsilon", "\\zeta", "\\eta",  "\\theta", "\\iota",
        "\\kappa", "\\lambda", "\\mu",      "\\nu",     "\\xi",         "o",      "\\pi",   "\\rho",   "\\varsigma",
        "\\sigma", "\\tau",    "\\upsilon", "\\varphi", "\\chi",        "\\psi",  "\\omega"};
    /* clang-format off */
    static const struct sign signs[] = {
        {0xAC, "\\neg"}, {0xB0, "^{\\circ}"}, {0xB1, "\\pm"}, {0xB2, "^{2}"}, {0xB3, "^{3}"}, {0xB5, "\\mu"},
        {0xB7, "\\cdot"}, {0xB9, "^{1}"}, {0xD7, "\\times"}, {0xF7, "\\div"}, {0x3D1, "\\vartheta"}, {0x3D5, "\\phi"},
        {0x3D6, "\\varpi"}, {0x3F1, "\\varrho"}, {0x3F5, "\\epsilon"}, {0x2022, "\\bullet"}, {0x2032, "'"},
        {0x2190, "\\leftarrow"}, {0x2191, "\\uparrow"}, {0x2192, "\\rightarrow"}, {0x2193, "\\downarrow"},
        {0x2194, "\\leftrightarrow"}, {0x21D0, "\\Leftarrow"}, {0x21D2, "\\Rightarrow"}, {0x21D4, "\\Leftrightarrow"},
        {0x2200, "\\forall"}, {0x2202, "\\partial"}, {0x2203, "\\exists"}, {0x2205, "\\emptyset"}, {0x2207, "\\nabla"},
        {0x2208, "\\in"}, {0x2209, "\\notin"}, {0x220F, "\\prod"}, {0x2211, "\\sum"}, {0x2212, "-"},
        {0x221A, "\\surd"}, {0x221D, "\\propto"}, {0x221E, "\\infty"}, {0x2227, "\\wedge"}, {0x2228, "\\vee"},
        {0x2229, "\\cap"}, {0x222A, "\\cup"}, {0x222B, "\\int"}, {0x223C, "\\sim"}, {0x2248, "\\approx"},
        {0x2260, "\\neq"}, {0x2261, "\\equiv"}, {0x2264, "\\leq"}, {0x2265, "\\geq"}, {0x226A, "\\ll"},
        {0x226B, "\\gg"}, {0x2282, "\\subset"}, {0x2286, "\\subseteq"}, {0x22C5, "\\cdot"}};
    /* clang-format on */
    if (code >= 0x391 && code <= 0x3A9)
        return capital[code - 0x391];
    if (code >= 0x3B1 && code <= 0x3C9)
        return small[code - 0x3B1];
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].code == code)
            return signs[i].latex;
    return NULL;
}

/* Letters that LaTeX reads with every font encoding that is usual, OT1 as well: those of Latin-1 and Latin Extended-A
 * but for some. Typographic quotes and dashes likewise. */
static bool is_latex_letter(uint32_t code)
{
    static const struct range letters[] = {
        {0xA1, 0xA1},     {0xBF, 0xBF},     {0xC0, 0xCF},    {0xD1, 0xD6},   {0xD8, 0xDD},   {0xDF, 0xEF},
        {0xF1, 0xF6},     {0xF8, 0xFD},     {0xFF, 0x103},   {0x106, 0x10F}, {0x112, 0x117}, {0x11A, 0x121},
        {0x124, 0x125},   {0x128, 0x12D},   {0x130, 0x131},  {0x134, 0x135}, {0x139, 0x13A}, {0x141, 0x144},
        {0x147, 0x148},   {0x14C, 0x155},   {0x158, 0x161},  {0x164, 0x165}, {0x168, 0x171}, {0x174, 0x17E},
        {0x2013, 0x2014}, {0x2018, 0x2019}, {0x201C, 0x201D}};
    return is_in(letters, sizeof letters / sizeof *letters, code);
}

static bool is_foreign(const struct character *c)
{
    return c->shown && c->code >= 0x80 && !latex_math(c->code) && !is_latex_letter(c->code);
}

/* Characters that pdfLaTeX does not know, as many as stand together. Returns what follows them. */
static const char *add_characters(struct pl_text *out, const char *text)
{
    struct pl_text numbers = {0};
    const char *start = text;
    struct character c;
    while (*text && (c = read_character(text), is_foreign(&c))) {
        pl_text_addf(&numbers, "%sU+%04X", numbers.length ? " " : "", (unsigned)c.code);
        text += c.length;
    }
    pl_text_add(out, "\\poulachar{");
    pl_text_add_bytes(out, start, (size_t)(text - start));
    pl_text_addf(out, "}{%s}", pl_text(&numbers));
    pl_text_release(&numbers);
    return text;
}

/* Two of these would become one sign of another kind: --, '', ,, and ?`, !`. */
static bool joins_next(const char *text)
{
    return strchr("-',", *text) && text[1] == *text;
}

void pl_escape_latex(struct pl_text *out, const char *text)
{
    const char *start = text;
    while (*text) {
        struct character c = read_character(text);
        const char *word = latex_ascii(c.code), *math = c.shown ? latex_math(c.code) : NULL;
        if (is_foreign(&c)) {
            text = add_characters(out, text);
            continue;
        }
        if (!c.shown) {
            pl_text_add(out, "\\textbackslash{}");
            add_number(out, &c, "\\{", "\\}");
        } else if (is_lost_blank(text, start)) {
            pl_text_add(out, "\\mbox{ }");
        } else if (word) {
            pl_text_add(out, word);
        } else if (math) {
            pl_text_addf(out, "\\ensuremath{%s}", math);
        } else {
            pl_text_add_bytes(out, c.bytes, c.length);
            pl_text_add(out, joins_next(text) ? "{}" : "");
        }
        text += c.length;
    }
}

bool pl_latex_has_characters(const char *latex)
{
    return strstr(latex, "\\poulachar{") != NULL;
}
