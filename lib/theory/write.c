#include "theory/theory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1.5e-06" as "1.5\cdot10^{-6}". */
static void write_tex(long double value, int digits, struct pl_text *out)
{
    char text[40];
    snprintf(text, sizeof text, "%.*Lg", digits, value);
    char *e = strchr(text, 'e');
    if (e)
        *e = '\0';
    pl_text_add(out, text);
    if (e)
        pl_text_addf(out, "\\cdot10^{%ld}", strtol(e + 1, NULL, 10));
}

void pl_theory_write(long double ln, bool tex, struct pl_text *out)
{
    long double log10 = ln / logl(10);
    if (isnan(ln))
        pl_text_add(out, tex ? "\\text{--}" : "-");
    else if (isinf(ln))
        pl_text_add(out, ln < 0 ? "0" : tex ? "\\infty" : "inf");
    else if (fabsl(log10) < 300 && tex)
        write_tex(expl(ln), 6, out);
    else if (fabsl(log10) < 300)
        pl_text_addf(out, "%.6Lg", expl(ln));
    else if (!tex)
        pl_text_addf(out, "10^%.7Lg", log10);
    else {
        pl_text_add(out, "10^{");
        write_tex(log10, 7, out);
        pl_text_add_char(out, '}');
    }
}
