#include "print/html.h"

void pl_html_parts(struct pl_text *out, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i] && i % 2)
            pl_escape_html(out, parts[i]);
        else if (parts[i])
            pl_text_add(out, parts[i]);
    }
}
