/* Names of one line that are of several sets: "train loss 0.3 acc 0.9, val loss 0.4 acc 0.8" has two accuracies. */
#include "train/command/scan.h"
#include "train/metric.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

size_t pl_scan_set_length(const char *name, size_t length)
{
    size_t n = 0;
    while (n < length && isalpha((unsigned char)name[n]))
        n++;
    return pl_word_is_set((struct pl_word){name, n}) ? n : 0;
}

void pl_scan_note_set(struct pl_scan *s, size_t from)
{
    struct pl_word first = s->words[from];
    size_t length = pl_scan_set_length(first.text, first.length);
    bool spaced = length == first.length && s->count > from + 1;
    if (!length || (length == first.length && !spaced)) /* "val 0.4": the set itself is what was measured */
        return;
    if (s->mark_count < PL_SCAN_MARKS)
        s->marks[s->mark_count] = (struct pl_scan_mark){s->line->count, {first.text, length}, spaced};
    s->mark_count++;
}

/* Is the whole line of one set, whose name stands in a word of its own before its first metric: val Loss: 0.4 Acc: 0.8?
 */
static bool is_of_one_set(const struct pl_scan *s)
{
    size_t first = s->first;
    while (first < s->line->count &&
           pl_line_is_position(s->line->pairs[first].name, strlen(s->line->pairs[first].name)))
        first++;
    bool one = s->marks[0].spaced && s->marks[0].pair == first;
    for (size_t i = 1; i < s->mark_count; i++)
        one = one && s->marks[i].set.length == s->marks[0].set.length &&
              !strncasecmp(s->marks[i].set.text, s->marks[0].set.text, s->marks[0].set.length);
    return one;
}

void pl_scan_name_sets(struct pl_scan *s, bool twins)
{
    if (!s->mark_count || s->mark_count > PL_SCAN_MARKS || !(twins || is_of_one_set(s)))
        return;
    size_t mark = 0;
    for (size_t i = s->marks[0].pair; i < s->line->count; i++) {
        const char *name = s->line->pairs[i].name;
        size_t length = strlen(name), first = strcspn(name, "_");
        while (mark + 1 < s->mark_count && s->marks[mark + 1].pair <= i)
            mark++;
        struct pl_word set = s->marks[mark].set;
        bool own = pl_scan_set_length(name, length) || (!twins && pl_word_is_qualifier((struct pl_word){name, first}));
        if (own || pl_line_is_position(name, length) || !(twins || pl_line_is_measure(name, length)))
            continue;
        pl_line_prefix(&s->line->pairs[i], set);
    }
}

void pl_line_prefix(struct pl_line_pair *pair, struct pl_word set)
{
    struct pl_text whole = {0};
    size_t length = strlen(pair->name);
    pl_text_addf(&whole, "%.*s_%s", (int)set.length, set.text, pair->name);
    if (set.length && !pl_line_is_position(pair->name, length) && strncasecmp(pair->name, set.text, set.length) != 0 &&
        whole.length <= PL_METRIC_NAME_MOST) {
        free(pair->name);
        pair->name = pl_copy(pl_text(&whole));
    }
    pl_text_release(&whole);
}

struct pl_word pl_line_set_before(const char *text, const char *end)
{
    struct pl_word found = {text, 0};
    size_t since = 0;
    for (const char *c = text; c < end;) {
        const char *word = c;
        while (c < end && (isalnum((unsigned char)*c) || strchr("_./", *c)))
            c++;
        if (c == word) {
            c++;
            continue;
        }
        since++;
        if (pl_word_is_set((struct pl_word){word, (size_t)(c - word)})) {
            found = (struct pl_word){word, (size_t)(c - word)};
            since = 0;
        }
    }
    bool other = since < 3 && pl_word_is_other_set(found);
    return other ? found : (struct pl_word){text, 0};
}
