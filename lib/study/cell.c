#include "study/cell.h"

#include <string.h>

const char *const pl_cell_names[PL_CELL_COUNT] = {PL_CELLS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_unit_names[PL_UNIT_COUNT] = {PL_UNITS(PL_WORD_ITEM, PL_WORD_ITEM)};

/* The kinds with a spread, in the order of their titles. */
static const struct {
    const char *name, *title;
    enum pl_spread spread;
    bool beside;
} spreads[] = {
    {"mean(std)", "mean(std)", PL_SPREAD_STD, false},
    {"mean+-std", "mean \u00b1 std", PL_SPREAD_STD, true},
    {"mean+-sem", "mean \u00b1 sem", PL_SPREAD_SEM, true},
    {"mean+-ci95", "mean \u00b1 ci95", PL_SPREAD_CI95, true},
};
enum { SPREADS = sizeof spreads / sizeof *spreads };

/* Are they the same when the text's blanks are left out and its ± is written +-? */
static bool spells(const char *text, const char *name)
{
    static const char sign[] = "\u00b1";
    for (; *name; name++) {
        text += strspn(text, " ");
        if (*name == '+' && !strncmp(text, sign, strlen(sign))) {
            text += strlen(sign);
            name++;
        } else if (*text++ != *name) {
            return false;
        }
    }
    return !text[strspn(text, " ")];
}

const char *pl_cell_kind(const char *text)
{
    for (size_t i = 0; i < PL_CELL_COUNT; i++)
        if (strchr(pl_cell_names[i], '+') ? spells(text, pl_cell_names[i]) : !strcmp(text, pl_cell_names[i]))
            return pl_cell_names[i];
    return NULL;
}

enum pl_spread pl_cell_spread(const char *cell, bool *beside)
{
    *beside = false;
    for (size_t i = 0; i < SPREADS; i++)
        if (!strcmp(spreads[i].name, cell ? cell : pl_cell_names[0])) {
            *beside = spreads[i].beside;
            return spreads[i].spread;
        }
    return PL_SPREAD_NONE;
}

const char *pl_cell_title(const char *cell)
{
    for (size_t i = 0; i < SPREADS; i++)
        if (!strcmp(spreads[i].name, cell))
            return spreads[i].title;
    return cell;
}

bool pl_cell_is_mean(const char *cell)
{
    bool beside;
    return !cell || !strcmp(cell, "mean") || pl_cell_spread(cell, &beside) != PL_SPREAD_NONE;
}
