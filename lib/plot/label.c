/* Names and values as labels of a figure. */
#include "base/escape.h"
#include "plot/ticks.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The length of the character that text begins with, or 0 where it is none of UTF-8 or a control character of it. */
static size_t character(const char *text)
{
    unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];
    size_t length = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2, bad;
    if (strnlen(text, length) < length || !pl_utf8_valid(text, length, &bad) || (c == 0xc2 && next < 0xa0))
        return 0;
    return length;
}

/* What turns the direction of writing: it would turn what stands behind the text as well. */
static bool turns(const char *text)
{
    uint32_t code;
    return pl_utf8_read(text, strnlen(text, 4), &code) &&
           ((code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0x200E ||
            code == 0x200F || code == 0x61C);
}

void pl_label_text(struct pl_text *out, const char *text, bool plain)
{
    for (size_t length; *text; text += length ? length : 1) {
        unsigned char c = (unsigned char)*text;
        uint32_t code;
        length = character(text);
        if (c < ' ' || c == 0x7f) { /* its picture: U+2400 and following */
            pl_text_addf(out, "\xe2\x90%c", c == 0x7f ? 0xa1 : 0x80 + c);
            continue;
        }
        if (turns(text)) {
            pl_utf8_read(text, strnlen(text, 4), &code);
            pl_text_addf(out, plain ? "\\u{%x}" : "\\\\u\\{%x\\}", (unsigned)code);
            continue;
        }
        if (!plain && strchr("_^@&~{}\\", *text))
            pl_text_add_char(out, '\\');
        pl_text_add_bytes(out, length ? text : "\xef\xbf\xbd", length ? length : 3);
    }
}

void pl_label_cut(struct pl_text *out, const char *label, size_t most)
{
    size_t shown = 0;
    const char *c = label;
    for (; *c && (pl_ticks_width(label) <= most || shown < most - 1); c++) {
        shown += ((unsigned char)*c & 0xc0) != 0x80 && !(*c == '\\' && c[1]);
        pl_text_add_char(out, *c);
        while (((unsigned char)c[1] & 0xc0) == 0x80 || (*c == '\\' && c[1]))
            pl_text_add_char(out, *++c);
    }
    pl_text_add(out, *c ? "…" : "");
}

void pl_label_unmarked(struct pl_text *out, const char *label, bool plain)
{
    for (; *label; label++) {
        if (!plain && *label == '\\' && label[1])
            label++;
        else if (!plain && strchr("{}^_", *label))
            continue;
        pl_text_add_char(out, *label);
    }
}

void pl_label_latex(struct pl_text *out, const char *label)
{
    struct pl_text chunk = {0};
    while (*label) {
        bool shifted = (*label == '^' || *label == '_') && label[1] == '{';
        if (*label == '\\' && label[1])
            label++;
        if (!shifted && *label != '\n') {
            pl_text_add_char(&chunk, *label++);
            continue;
        }
        pl_escape_latex(out, pl_text(&chunk));
        pl_text_clear(&chunk);
        if (!shifted) { /* another line */
            pl_text_add_char(out, *label++);
            continue;
        }
        pl_text_addf(out, "$%c{", *label);
        for (label += 2; *label && *label != '}'; label++)
            if (!strncmp(label, "−", strlen("−"))) {
                pl_text_add_char(out, '-');
                label += strlen("−") - 1;
            } else {
                pl_text_add_char(out, *label);
            }
        pl_text_add(out, "}$");
        label += *label == '}';
    }
    pl_escape_latex(out, pl_text(&chunk));
    pl_text_release(&chunk);
}

void pl_label_quote(struct pl_text *script, const char *text)
{
    bool escaped = false; /* gnuplot reads digits behind an escape as belonging to it, whatever their number */
    pl_text_add_char(script, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        escaped = (escaped && isdigit(c)) || !(c >= 0x80 || c == ' ' || isalnum(c) || strchr("()+,-./:;<=>[]", c));
        if (escaped)
            pl_text_addf(script, "\\%03o", c);
        else
            pl_text_add_char(script, *text);
    }
    pl_text_add_char(script, '"');
}

static const char *greek(const char *name, size_t length)
{
    static const char *const letters[][2] = {
        {"lambda", "λ"}, {"epsilon", "ε"}, {"beta", "β"},  {"eta", "η"}, {"theta", "θ"}, {"alpha", "α"},
        {"gamma", "γ"},  {"delta", "δ"},   {"kappa", "κ"}, {"rho", "ρ"}, {"mu", "μ"},    {"sigma", "σ"},
    };
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strlen(letters[i][0]) == length && !strncmp(letters[i][0], name, length))
            return letters[i][1];
    return NULL;
}

void pl_label_name(struct pl_text *out, const char *name, bool plain)
{
    size_t stem = strcspn(name, "0123456789_");
    const char *rest = name + stem, *letter = greek(name, stem);
    if (letter && !rest[strspn(rest, "0123456789")]) {
        pl_text_add(out, letter);
        if (*rest)
            pl_text_addf(out, plain ? "%s" : "_{%s}", rest);
        return;
    }
    struct pl_text spaced = {0};
    for (; *name; name++)
        pl_text_add_char(&spaced, *name == '_' ? ' ' : *name);
    pl_label_text(out, pl_text(&spaced), plain);
    pl_text_release(&spaced);
}

void pl_label_number(struct pl_text *out, double value, bool plain)
{
    char spelling[PL_NUMBER_SIZE];
    if (isinf(value)) {
        pl_text_add(out, value > 0 ? "∞" : "−∞");
        return;
    }
    double size = fabs(value);
    int power = size > 0 ? (int)floor(log10(size) + 1e-12) : 0;
    double mantissa = round(value / pow(10, power) * 1e6) / 1e6;
    /* Rounded digits would give two settings one label. */
    bool exact = fabs(mantissa * pow(10, power) - value) <= 1e-14 * size;
    if (plain || !exact || (power > -4 && power < (mantissa == 1 ? 4 : 5))) {
        pl_number_write(value, spelling);
        pl_text_add(out, spelling);
        return;
    }
    pl_number_write(mantissa, spelling);
    if (strcmp(spelling, "1"))
        pl_text_addf(out, "%s%s·", spelling[0] == '-' ? "−" : "", spelling + (spelling[0] == '-'));
    pl_text_addf(out, "10^{%s%d}", power < 0 ? "−" : "", abs(power));
}

void pl_label_known(struct pl_text *out, const struct pl_labels *labels, const char *name, bool plain)
{
    const char *text = pl_labels_find(labels, name);
    if (text)
        pl_label_text(out, text, plain);
    else
        pl_label_name(out, name, plain);
}

/* Whether the labels have a text for a value. */
static bool add_known(struct pl_text *out, const struct pl_labels *labels, const struct pl_value *value, bool plain)
{
    struct pl_text word = {0};
    if (!value || !labels->count)
        return false;
    pl_value_write(value, &word);
    const char *text = pl_labels_find(labels, pl_text(&word));
    pl_text_release(&word);
    if (text)
        pl_label_text(out, text, plain);
    return text;
}

void pl_label_value(struct pl_text *out, const struct pl_labels *labels, const struct pl_value *value, bool plain)
{
    struct pl_text word = {0};
    if (add_known(out, labels, value, plain))
        return;
    if (!value) {
        pl_text_add(out, "–");
    } else if (value->type == PL_REAL) {
        pl_label_number(out, value->real, plain);
    } else if (value->type == PL_INTEGER && llabs(value->integer) < 1LL << 53) {
        pl_label_number(out, (double)value->integer, plain);
    } else {
        pl_value_write(value, &word);
        pl_label_text(out, pl_text(&word), plain);
    }
    pl_text_release(&word);
}

void pl_label_heading(struct pl_text *out, const struct pl_results *results, const struct pl_labels *labels,
                      const struct pl_headings *headings, size_t index, bool plain)
{
    bool first = true;
    for (size_t k = 0; k < headings->width; k++) {
        const struct pl_value *value = pl_results_value(results, headings->keys[k],
                                                        headings->ranks[index * headings->width + k]);
        if (!value)
            continue;
        pl_text_add(out, first ? "" : ", ");
        if (value->type != PL_STRING) {
            pl_label_known(out, labels, pl_results_key_name(results, headings->keys[k]), plain);
            pl_text_add(out, " = ");
        }
        struct pl_text brief = {0};
        if (add_known(out, labels, value, plain))
            ;
        else if (pl_results_shorten(results, headings->keys[k], headings->ranks[index * headings->width + k], &brief))
            pl_label_text(out, pl_text(&brief), plain);
        else
            pl_label_value(out, labels, value, plain);
        pl_text_release(&brief);
        first = false;
    }
}
