/* HTML as it is written here: markup that this program makes, and texts of others between it, which are escaped. */
#ifndef PL_PRINT_HTML_H
#define PL_PRINT_HTML_H

#include "base/base.h"

/* Appends markup, text, markup, text, ...: every second argument, beginning with the second, is a text of others and is
 * escaped. NULL is empty. pl_html(out, "<td>", name, "</td>") */
#define pl_html(out, ...)                                                                                              \
    pl_html_parts((out), (const char *const[]){__VA_ARGS__},                                                           \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
void pl_html_parts(struct pl_text *out, const char *const *parts, size_t count);

#endif
