/* Complaints: collected in any order, written by position. */
#include "spec/read/complaint.h"

#include "spec/read/node.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 10000, MOST_COMPLAINTS = 50 /* that are printed */ };

static void add(struct complaints *all, unsigned line, unsigned column, const char *format, va_list args)
{
    if (all->count == MOST_KEPT) {
        all->more++;
        return;
    }
    struct pl_text text = {0};
    pl_text_addv(&text, format, args);
    void *list = all->list;
    pl_grow(&list, &all->capacity, all->count + 1, sizeof *all->list);
    all->list = list;
    all->list[all->count] = (struct complaint){line, column, all->count, pl_text_take(&text)};
    all->count++;
}

void pl_complain(struct complaints *all, const struct node *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(all, at ? at->line : 1, at ? at->column : 1, format, args);
    va_end(args);
}

void pl_complain_at(struct complaints *all, unsigned line, unsigned column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(all, line, column, format, args);
    va_end(args);
}

void pl_complain_inside(struct complaints *all, const struct node *scalar, size_t at, const char *format, ...)
{
    struct pl_text text = {0};
    va_list args;
    unsigned column = scalar->column + !scalar->plain;
    for (size_t i = 0; i < at; i++)
        column += ((unsigned char)scalar->text[i] & 0xC0) != 0x80;
    va_start(args, format);
    pl_text_addv(&text, format, args);
    va_end(args);
    if (scalar->in_place)
        pl_complain_at(all, scalar->line, column, "%s", pl_text(&text));
    else
        pl_complain(all, scalar, "%s (at character %zu)", pl_text(&text), at + 1);
    pl_text_release(&text);
}

size_t pl_complaint_count(const struct complaints *all)
{
    return all->count;
}

static int by_position(const void *a, const void *b)
{
    const struct complaint *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Lines stay lines, and a terminal does not obey what a file says. */
void pl_complaints_write(struct complaints *all, struct pl_text *out)
{
    if (all->count)
        qsort(all->list, all->count, sizeof *all->list, by_position);
    size_t written = 0, distinct = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct complaint *c = &all->list[i];
        /* Studies that share a line of defaults may find the same fault in it. */
        if (i && c->line == c[-1].line && c->column == c[-1].column && !strcmp(c->text, c[-1].text))
            continue;
        distinct++;
        if (written == MOST_COMPLAINTS)
            continue;
        written++;
        pl_escape_terminal(out, all->file);
        pl_text_addf(out, ":%u:%u: ", c->line, c->column);
        pl_escape_terminal(out, c->text);
        pl_text_add_char(out, '\n');
    }
    if (distinct + all->more > written) {
        pl_escape_terminal(out, all->file);
        pl_text_addf(out, ":1:1: ... and %zu more\n", distinct + all->more - written);
    }
    pl_complaints_release(all);
}

void pl_complaints_release(struct complaints *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->list[i].text);
    free(all->list);
    all->list = NULL;
    all->count = all->capacity = all->more = 0;
}
