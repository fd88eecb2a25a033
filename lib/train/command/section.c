/* Headings that say which set the lines below them are of: "val:" above indented lines, "Validation:" between those of
 * an epoch, "Eval begin...", "Epoch 1 - validation", "Iteration 100, Testing net (#0)". */
#include "train/command/section.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The set that a word of a heading tells of, for the names of metrics; of no length for the one that is trained on. */
static bool find_set(struct pl_word word, struct pl_word *set)
{
    *set = (struct pl_word){pl_word_among(word, "validating")   ? "validation"
                            : pl_word_among(word, "evaluating") ? "evaluation"
                                                                : word.text,
                            word.length};
    if (set->text != word.text)
        set->length = strlen(set->text);
    if (!pl_word_is_set(*set))
        return false;
    set->length = pl_word_is_other_set(*set) ? set->length : 0;
    return true;
}

/* The words of a text, without what stands in parentheses; SIZE_MAX: there are other things than words. */
static size_t words_of(const char *text, const char *end, struct pl_word *words, size_t most)
{
    size_t count = 0;
    while (text < end) {
        const char *word = text;
        while (text < end && isalpha((unsigned char)*text))
            text++;
        if (text > word) {
            if (count == most)
                return SIZE_MAX;
            words[count++] = (struct pl_word){word, (size_t)(text - word)};
        } else if (*text == '(' && memchr(text, ')', (size_t)(end - text))) {
            text = memchr(text, ')', (size_t)(end - text));
            text++;
        } else if (strchr(" \t-:.,=*#|>]", *text)) {
            text++;
        } else {
            return SIZE_MAX;
        }
    }
    return count;
}

static bool is_filling(struct pl_word word)
{
    return pl_word_among(word,
                         "begin begins beginning start starts starting started results result metrics phase set net "
                         "loop stage summary");
}

bool pl_section_beside(const char *before, const char *position, const char *after, const char *end,
                       struct pl_word *set)
{
    struct pl_word words[4];
    const char *from = position;
    while (from > before && (isalpha((unsigned char)from[-1]) || from[-1] == ' '))
        from--;
    size_t count = words_of(from, position, words, 2), more, found = 0;
    if (count == SIZE_MAX)
        return false;
    more = words_of(after, end, words + count, 2);
    if (more == SIZE_MAX)
        return false;
    for (size_t i = 0; i < count + more; i++) {
        struct pl_word other;
        if (find_set(words[i], &other)) {
            *set = other;
            found++;
        } else if (!is_filling(words[i]) && !(i < count && pl_word_is_level(words[i]))) {
            return false;
        }
    }
    return found == 1;
}

/* "Validation:" or "Eval begin...", alone on its line. */
static bool stands_alone(const char *text, struct pl_word *set)
{
    struct pl_word words[2];
    const char *end = text + strlen(text);
    size_t count = words_of(text, end, words, 2);
    if (count == SIZE_MAX || !count || !isalpha((unsigned char)text[strspn(text, " ")]) ||
        pl_word_among(words[0], "validating evaluating") || !find_set(words[0], set))
        return false;
    return count == 2 ? is_filling(words[1]) : end[-1] == ':' && !strpbrk(text, "-.,=*#|>]()");
}

static void keep(char **out, struct pl_word set)
{
    free(*out);
    *out = set.length ? pl_copy_bytes(set.text, set.length) : NULL;
}

bool pl_section_read(const char *text, struct pl_line_table *table)
{
    struct pl_word set, none = {NULL, 0};
    size_t indent = strspn(text, " ");
    if (table->set && indent <= table->indent)
        keep(&table->set, none);
    if (table->fresh && indent > table->indent)
        keep(&table->section, none); /* what is indented is of it, and nothing else */
    table->fresh = false;
    if (!stands_alone(text, &set))
        return false;
    bool colon = text[strlen(text) - 1] == ':' && !strchr(text + indent, ' ');
    struct pl_word name = {text + indent, strcspn(text + indent, ": ")};
    if (colon)
        keep(&table->set, name);
    table->fresh = colon;
    table->indent = indent;
    table->trains = table->trains || !set.length;
    keep(&table->section, table->trains || table->stated ? set : none);
    return colon;
}

bool pl_section_ends(const struct pl_line_table *table, const struct pl_line *line)
{
    bool stated = false, epoch = false;
    for (size_t i = 0; i < line->count; i++) {
        struct pl_word name = {line->pairs[i].name, strlen(line->pairs[i].name)};
        stated = stated || pl_word_is_position(name);
        epoch = epoch || pl_word_among(name, "epoch epoch_num");
    }
    return table->section && stated && (epoch || !table->headed || !line->step_in_epoch);
}

void pl_section_note(const struct pl_line *line, struct pl_line_table *table)
{
    bool epoch = !isnan(line->epoch), step = !isnan(line->step);
    if (line->section)
        keep(&table->section, (struct pl_word){line->section, line->section_length});
    else if (epoch || (step && !(table->headed && line->step_in_epoch)))
        keep(&table->section, (struct pl_word){NULL, 0});
    if (epoch)
        table->headed = !line->count;
    table->stated = table->stated || epoch;
}
