/* GitHub's Markdown. */
#include "report/format_priv.h"

static const struct pl_style style = {
    .open = "| ",
    .between = " | ",
    .close = " |",
    .least = 3,
    .colons = true,
    .one_heading = true,
    .strong = {"**", "**"},
    .best = {"**", "**"},
    .alike = {"<u>", "</u>"},
    .item = "- ",
    .escape = pl_escape_markdown,
};

PL_SHEET_FORMAT(markdown, style)
