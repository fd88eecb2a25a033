/* Text for a terminal. */
#include "report/format_priv.h"

static const struct pl_style style = {
    .open = "",
    .between = "  ",
    .close = "",
    .strong = {"", ""},
    .best = {"", "*"},
    .alike = {"", "~"},
    .item = "",
    .escape = pl_escape_terminal,
};

PL_SHEET_FORMAT(text, style)
