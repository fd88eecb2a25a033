/* Lines of texts that stand under each other, captions and notes. */
#include "print/print.h"

#include <stdlib.h>
#include <string.h>

static void add_repeated(struct pl_text *out, char c, size_t count)
{
    while (count--)
        pl_text_add_char(out, c);
}

static void add_padded(struct pl_text *out, const char *text, size_t width, bool right)
{
    size_t taken = pl_text_width(text), space = width > taken ? width - taken : 0;
    if (right)
        add_repeated(out, ' ', space);
    pl_text_add(out, text);
    if (!right)
        add_repeated(out, ' ', space);
}

static void end_line(const struct pl_style *style, size_t start, struct pl_text *out)
{
    pl_text_add(out, pl_style_part(style->close));
    while (out->length > start && out->text[out->length - 1] == ' ')
        pl_text_cut(out, out->length - 1);
    pl_text_add_char(out, '\n');
}

void pl_print_line(const struct pl_style *style, const char *const *texts, const size_t *widths, const bool *right,
                   size_t count, struct pl_text *out)
{
    size_t start = out->length;
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, pl_style_part(i ? style->between : style->open));
        add_padded(out, texts[i] ? texts[i] : "", widths[i], right[i]);
    }
    end_line(style, start, out);
}

void pl_print_rule(const struct pl_style *style, const size_t *widths, const bool *right, size_t count,
                   struct pl_text *out)
{
    size_t start = out->length;
    for (size_t i = 0; i < count; i++) {
        bool colon = style->colons && right[i];
        pl_text_add(out, pl_style_part(i ? style->between : style->open));
        add_repeated(out, '-', widths[i] - colon);
        pl_text_add(out, colon ? ":" : "");
    }
    end_line(style, start, out);
}

void pl_print_caption(const struct pl_style *style, const char *caption, struct pl_text *out)
{
    pl_text_add(out, pl_style_part(style->strong[0]));
    style->escape(out, caption);
    pl_text_addf(out, "%s\n\n", pl_style_part(style->strong[1]));
}

void pl_print_notes(const struct pl_style *style, const struct pl_text *notes, struct pl_text *out)
{
    for (const char *line = pl_text(notes); *line;) {
        size_t length = strcspn(line, "\n");
        char *note = pl_copy_bytes(line, length);
        pl_text_add(out, pl_style_part(style->item));
        style->escape(out, note);
        pl_text_add_char(out, '\n');
        free(note);
        line += length + (line[length] == '\n');
    }
}
