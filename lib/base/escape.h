/* Text of somebody else on its way into a terminal or a document: names, values, titles, logs and reasons come from
 * specs, programs and databases that anyone may have written. Each function appends text, changed so that its reader
 * shows the text and obeys none of it. Invalid UTF-8 is welcome everywhere.
 *
 * What a terminal would obey, hide or reorder is shown by its number: a byte that is no UTF-8 and C0, DEL as \x1b, C1,
 * bidirectional controls, characters without width, line separators as \u{202e}; newline, tab and carriage return as
 * \n, \t, \r. Markdown, LaTeX and HTML show these in the same way: a browser would reorder them as well. */
#ifndef PL_BASE_ESCAPE_H
#define PL_BASE_ESCAPE_H

#include "base/text.h"

/* One line for a terminal. */
void pl_escape_terminal(struct pl_text *out, const char *text);
/* The same of text that has lines: newlines and tabs stay. */
void pl_escape_lines(struct pl_text *out, const char *text);

/* A field of CSV (RFC 4180): in quotes where it needs them, its bytes as they are. */
void pl_escape_csv(struct pl_text *out, const char *text);
/* A quoted string of JSON; bytes that are no UTF-8 become U+FFFD. */
void pl_escape_json(struct pl_text *out, const char *text);

/* Text within a line or table cell of GitHub's Markdown. A newline becomes <br>, blanks at the ends and doubled ones
 * stay. */
void pl_escape_markdown(struct pl_text *out, const char *text);

/* Text within an element of HTML or SVG, or within a quoted value of an attribute. */
void pl_escape_html(struct pl_text *out, const char *text);
/* The same of text that has lines, as for <pre>: newlines and tabs stay. */
void pl_escape_html_lines(struct pl_text *out, const char *text);

/* Text for LaTeX, in paragraphs, cells and captions. Greek letters and common signs become math, European letters stand
 * as they are; other characters, which pdfLaTeX does not know, become \poulachar{CHARACTERS}{U+XXXX ...}. Where an
 * answer has such, PL_LATEX_CHARACTERS must stand before it: pl_latex_has_characters tells. */
void pl_escape_latex(struct pl_text *out, const char *text);
bool pl_latex_has_characters(const char *latex);
#define PL_LATEX_CHARACTERS                                                                                            \
    "% Has characters that pdfLaTeX lacks (it prints their numbers): use XeLaTeX or LuaLaTeX, and a font that has "    \
    "them.\n"                                                                                                          \
    "\\providecommand{\\poulachar}[2]{\\ifdefined\\Umathcode#1\\else[#2]\\fi}\n"

#endif
