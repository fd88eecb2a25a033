#include "study/select.h"

#include <string.h>

const char *const pl_select_names[PL_SELECT_COUNT] = {PL_SELECTS(PL_WORD_ITEM, PL_WORD_ITEM)};

bool pl_select_find(const char *word, size_t length, enum pl_select *select)
{
    for (size_t i = 0; i < PL_SELECT_COUNT; i++)
        if (strlen(pl_select_names[i]) == length && !strncmp(pl_select_names[i], word, length)) {
            *select = (enum pl_select)i;
            return true;
        }
    return false;
}

bool pl_select_read(const char *text, enum pl_select *select, const char **metric)
{
    text += strspn(text, " ");
    *select = PL_SELECT_BEST;
    *metric = text;
    size_t word = strcspn(text, " ");
    if (!text[word])
        return word > 0;
    const char *rest = text + word + strspn(text + word, " ");
    if (!pl_select_find(text, word, select))
        return false;
    *metric = rest;
    return *rest && !strchr(rest, ' ');
}
