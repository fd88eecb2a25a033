/* What a line's scan knows while it goes on: its brackets, and the words that wait for what follows them. */
#include "train/command/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where what closes every bracket of the text stands; 0: nowhere. All at once: searching from each of them would take
 * as long as their square. Those that are open are a stack, of which each knows the one below it. */
static void match_brackets(struct pl_scan *s)
{
    size_t length = (size_t)(s->end - s->text), tops[2] = {0};
    s->closes = pl_new((length + 1) * sizeof *s->closes);
    for (size_t i = 0; i < length; i++) {
        char c = s->text[i];
        size_t *top = &tops[c == '[' || c == ']'];
        if (c == '(' || c == '[') {
            s->closes[i] = *top;
            *top = i + 1;
        } else if ((c == ')' || c == ']') && *top) {
            size_t open = *top - 1;
            *top = s->closes[open];
            s->closes[open] = i;
        }
    }
    for (int kind = 0; kind < 2; kind++)
        for (size_t top = tops[kind]; top;) {
            size_t open = top - 1;
            top = s->closes[open];
            s->closes[open] = 0;
        }
}

const char *pl_scan_matching(struct pl_scan *s, const char *open)
{
    if (open == s->end || !strchr("([", *open))
        return NULL;
    if (!s->closes)
        match_brackets(s);
    size_t close = s->closes[open - s->text];
    return close ? s->text + close : NULL;
}

const char *pl_scan_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* ---- fields ---- */

void pl_scan_tag(struct pl_scan *s, struct pl_word set)
{
    size_t length = pl_word_is_other_set(set) ? set.length : 0;
    memcpy(s->tag, set.text, length);
    s->tag[length] = '\0';
}

/* Does a set alone stand between pairs: [val], val:, | val |? What follows is of it. */
static bool is_set_between(const struct pl_scan *s)
{
    if (!s->metrics || s->count != 1 || s->too_many || !pl_word_is_set(s->words[0]))
        return false;
    const char *behind = pl_scan_spaces(s->words[0].text + s->words[0].length, s->end);
    return behind < s->end && strchr(":]|(", *behind);
}

/* Best: and Best val: before pairs, which are not of the line's position then. */
static bool takes_best(struct pl_scan *s)
{
    const struct pl_word *best = NULL, *set = NULL;
    for (size_t i = 0; i < s->count; i++) {
        best = pl_word_among(s->words[i], "best") ? &s->words[i] : best;
        set = pl_word_is_other_set(s->words[i]) ? &s->words[i] : set;
    }
    if (!best || s->count > 3 || s->too_many)
        return false;
    const struct pl_word *last = &s->words[s->count - 1];
    const char *behind = pl_scan_spaces(last->text + last->length, s->end);
    if (behind == s->end || *behind != ':')
        return false;
    snprintf(s->tag, sizeof s->tag, "%.4s%s%.*s", best->text, set ? "_" : "", set ? (int)set->length : 0,
             set ? set->text : "");
    return true;
}

/* A field that can stand before a heading in a log: its level, who logs, or both. */
static void note_prose(struct pl_scan *s)
{
    size_t others = 0, stops = s->too_many;
    for (size_t i = 0; i < s->count; i++) {
        struct pl_word word = s->words[i];
        bool level = pl_word_is_level(word);
        s->level = s->level || level;
        others += !level;
        s->batch = s->batch || pl_word_among(word, "averaged"); /* Averaged stats: loss: 0.5 (0.6) */
        stops += pl_word_is_stop(word) || pl_word_is_qualifier(word) || pl_line_is_measure(word.text, word.length);
    }
    s->logger = s->logger || others == 1;
    s->prose = s->prose || stops || others > 1 || (others && (s->position || s->metrics));
}

/* Words that end here without having become a name. strong: by more than a comma. */
void pl_scan_end_field(struct pl_scan *s, bool strong)
{
    if (is_set_between(s)) {
        pl_scan_tag(s, s->words[0]);
    } else if (strong && takes_best(s)) {
        s->prose = true;
    } else if (s->count || s->too_many) {
        note_prose(s);
        s->spoiled = s->spoiled || s->after_pair || (s->after_comma && s->metrics);
        for (size_t i = 0; i < s->count && strong && !s->metrics && s->count <= 3; i++)
            if (pl_word_is_other_set(s->words[i]))
                pl_scan_tag(s, s->words[i]);
    }
    s->count = 0;
    s->too_many = false;
    s->after_pair = s->after_position = s->in_sentence = s->counted = false;
    s->after_comma = !strong;
}

void pl_scan_push(struct pl_scan *s, const char *text, size_t length)
{
    if (s->count == PL_SCAN_WORDS) {
        s->too_many = true;
        memmove(s->words, s->words + 1, (PL_SCAN_WORDS - 1) * sizeof *s->words);
        s->count--;
    }
    s->words[s->count++] = (struct pl_word){text, length};
}
