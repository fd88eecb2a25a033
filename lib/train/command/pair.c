/* Pairs of words and values: name=0.5, name: 0.5, name 0.5; positions, units, times, brackets. */
#include "train/command/scan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SPACED_WORDS_MOST = 3 };

/* Adds what the words from one on name. */
static void add(struct pl_scan *s, size_t from, double value)
{
    struct pl_text name = {0};
    bool position = from + 1 == s->count && pl_word_is_position(s->words[from]);
    struct pl_word first = s->words[from];
    if (*s->tag && !position && !(first.length >= strlen(s->tag) && !strncasecmp(first.text, s->tag, strlen(s->tag))))
        pl_text_addf(&name, "%s_", s->tag);
    for (size_t i = from; i < s->count; i++) {
        pl_text_add(&name, i > from ? " " : "");
        pl_text_add_bytes(&name, s->words[i].text, s->words[i].length);
    }
    pl_scan_note_set(s, from);
    pl_line_add(s->line, pl_text(&name), name.length, value);
    s->measured = s->measured || (!position && pl_line_is_measure(pl_text(&name), name.length));
    pl_text_release(&name);
    s->metrics = s->metrics || !position;
    s->position = s->position || position;
    s->count = 0;
    s->too_many = false;
    s->after_pair = !position;
    s->after_position = position;
    s->after_comma = s->counted = false;
}

/* The words before a position are prose, but for those that introduce it; behind a pair ("best loss: 0.3 at epoch 5")
 * they spoil the line. */
static void state_position(struct pl_scan *s, double value)
{
    for (size_t i = 0; i + 1 < s->count; i++) {
        bool prose = !(pl_word_is_beginning(s->words[i]) || pl_word_is_other_set(s->words[i]) ||
                       pl_word_is_level(s->words[i]));
        s->prose = s->prose || prose;
        s->told = s->told || (prose && pl_line_is_measure(s->words[i].text, s->words[i].length));
        s->spoiled = s->spoiled || (prose && s->after_pair);
        s->level = s->level || pl_word_is_level(s->words[i]);
        if (pl_word_is_other_set(s->words[i]))
            pl_scan_tag(s, s->words[i]);
    }
    s->prose = s->prose || s->too_many;
    s->place = s->words[s->count - 1].text;
    s->behind = s->at;
    add(s, s->count - 1, value);
}

static void note_fraction(struct pl_scan *s, enum pl_spelling spelling)
{
    struct pl_word word = s->words[s->count - 1];
    if (spelling == PL_SPELLED_FRACTION && !pl_word_among(word, "epoch epoch_num"))
        s->line->step_in_epoch = s->batch = true;
}

/* Forgets the words: they name something that has no value here. */
static void pass_over(struct pl_scan *s, bool explicit)
{
    s->count = 0;
    s->too_many = false;
    s->after_pair = s->after_pair || explicit;
    s->after_comma = false;
}

/* ---- values ---- */

/* A percentage before a bar is not a metric: "train: 100%|####| 10/10". */
static bool is_bar(const struct pl_scan *s, enum pl_spelling spelling, const char *after)
{
    return spelling == PL_SPELLED_PERCENT && pl_scan_spaces(after, s->end) < s->end &&
           *pl_scan_spaces(after, s->end) == '|';
}

bool pl_scan_unit(struct pl_scan *s, double *value)
{
    const char *word = pl_scan_spaces(s->at, s->end), *stop = word;
    double seconds;
    while (stop < s->end && (isalpha((unsigned char)*stop) || *stop == '/'))
        stop++;
    const char *next = pl_scan_spaces(stop, s->end);
    bool name = next < s->end && (*next == '=' || *next == ':' ||
                                  (*next == '.' && next + 1 < s->end && isalpha((unsigned char)next[1])));
    if (stop == word || word == s->at || name || (stop < s->end && (isalnum((unsigned char)*stop) || *stop == '_')) ||
        !pl_word_is_unit((struct pl_word){word, (size_t)(stop - word)}, &seconds))
        return true;
    if (next < s->end && isdigit((unsigned char)*next))
        return true; /* it names what follows */
    s->at = stop;
    *value *= seconds;
    return seconds > 0;
}

/* "1 day, 2:30:00": what Python makes of a long time. Passes over it. */
static bool is_days(struct pl_scan *s)
{
    const char *word = pl_scan_spaces(s->at, s->end);
    size_t length = s->end - word > 3 && !strncmp(word, "day", 3) ? 3 + (word[3] == 's') : 0;
    if (!length || word + length >= s->end || word[length] != ',')
        return false;
    double value;
    const char *clock = pl_scan_spaces(word + length + 1, s->end), *after;
    if (pl_line_value(clock, s->end, &value, &after) != PL_SPELLED_CLOCK)
        return false;
    s->at = after;
    return true;
}

/* Loss 6.9 (6.95) of one batch: the second is the average of all so far, which comes to that of the epoch. */
static void take_average(struct pl_scan *s, double *value)
{
    const char *open = pl_scan_spaces(s->at, s->end), *after;
    double average;
    if (open == s->end || *open != '(' ||
        pl_line_value(pl_scan_spaces(open + 1, s->end), s->end, &average, &after) != PL_SPELLED_NUMBER)
        return;
    after = pl_scan_spaces(after, s->end);
    if (after < s->end && *after == ')' && isfinite(average)) {
        *value = average;
        s->at = after + 1;
    }
}

/* A position, whose value is spelled so. */
static void take_position(struct pl_scan *s, enum pl_spelling spelling, double value, struct pl_word spelled,
                          bool explicit)
{
    bool epoch = pl_word_among(s->words[s->count - 1], "epoch epoch_num");
    bool whole = strspn(spelled.text, "0123456789") >= spelled.length;
    if (spelling == PL_SPELLED_DURATION) {
        pass_over(s, explicit); /* Step: 20ms, what one took */
    } else if (s->position && spelling == PL_SPELLED_NUMBER && !whole && !epoch) {
        s->line->odd = true; /* iter 100 | step 1.0e-01: a length */
        pass_over(s, explicit);
    } else if (spelling == PL_SPELLED_NUMBER || spelling == PL_SPELLED_PERCENT || spelling == PL_SPELLED_FRACTION) {
        note_fraction(s, spelling);
        state_position(s, value);
        s->line->odd = s->line->odd || (s->told && explicit && !whole && spelling == PL_SPELLED_NUMBER);
    } else {
        s->line->odd = s->line->odd || spelling == PL_SPELLED_ODD ||
                       (spelling == PL_SPELLED_CLOCK && memchr(spelled.text, ':', spelled.length)); /* step:9:loss:1 */
        s->spoiled = true;
        pass_over(s, explicit);
    }
}

/* The metric that the words from one on name, with what stands at s->at. explicit: behind = or :. Returns false, and
 * takes nothing, where no value stands. */
static bool take_value(struct pl_scan *s, size_t from, bool explicit)
{
    double value;
    const char *after, *start = s->at, *close = NULL;
    if (start < s->end && (*start == '"' || *start == '\'')) {
        close = memchr(start + 1, *start, (size_t)(s->end - start - 1));
        start += close != NULL;
    } else if (start < s->end && *start == '(' && explicit) {
        close = pl_scan_matching(s, start);
        start += close != NULL;
    }
    enum pl_spelling spelling = pl_line_value(start, close ? close : s->end, &value, &after);
    bool position = pl_word_is_position(s->words[s->count - 1]);
    if (spelling == PL_SPELLED_NOT || (close && after != close)) {
        struct pl_word name = s->words[s->count - 1];
        const char *call = s->at + strspn(s->at, "abcdefghijklmnopqrstuvwxyz._"); /* tensor([0.1, 0.2]) */
        s->line->odd = s->line->odd || (explicit && call > s->at && s->end - call > 2 && !memcmp(call, "([", 2) &&
                                        pl_line_is_measure(name.text, name.length));
        return false;
    }
    s->at = close ? close + 1 : after;
    if (is_bar(s, spelling, after)) {
        pl_scan_end_field(s, true);
        return true;
    }
    bool number = spelling == PL_SPELLED_NUMBER || spelling == PL_SPELLED_PERCENT || spelling == PL_SPELLED_DURATION;
    if (position) {
        take_position(s, spelling, value, (struct pl_word){start, (size_t)(after - start)}, explicit);
    } else if (explicit && s->in_sentence) {
        s->line->odd = s->spoiled = true; /* Accuracy on the 10000 test images: 54 % */
        pass_over(s, explicit);
    } else if (number && is_days(s)) {
        pass_over(s, explicit);
    } else if (number && pl_scan_unit(s, &value)) {
        s->explicit = s->explicit || explicit;
        s->spaced = s->spaced || !explicit;
        bool whole = strspn(start, "0123456789") >= (size_t)(after - start), measured = s->measured;
        if (s->batch && pl_line_is_measure(s->words[s->count - 1].text, s->words[s->count - 1].length))
            take_average(s, &value);
        s->short_number = after - start <= 3 && whole;
        s->measured = false;
        add(s, from, value);
        s->counted = s->measured && whole && !explicit;
        s->measured = s->measured || measured;
    } else {
        struct pl_word last = s->words[s->count - 1];
        bool known = pl_line_is_measure(last.text, last.length) || pl_word_is_set(last);
        bool batch = spelling == PL_SPELLED_FRACTION && pl_word_among(last, "batch batches minibatch");
        s->batch = s->batch || batch;
        bool odd = spelling == PL_SPELLED_ODD || (spelling == PL_SPELLED_FRACTION && !batch) || number ||
                   (spelling == PL_SPELLED_CLOCK && known); /* loss=1d5 */
        s->line->odd = s->line->odd || (odd && (explicit || known));
        pass_over(s, explicit);
    }
    return true;
}

/* [0.1, 0.2] at s->at: passes over it. */
static bool skip_numbers(struct pl_scan *s)
{
    const char *close = s->at < s->end && *s->at == '[' ? pl_scan_matching(s, s->at) : NULL;
    if (!close)
        return false;
    for (const char *c = s->at; c < close; c++)
        if (!strchr("[]0123456789.,eE+- naif", *c))
            return false;
    s->at = close + 1;
    s->line->odd = true;
    return true;
}

/* The number in brackets behind a position: Epoch [3/10], Epoch: [3][ 10/5005]. */
bool pl_scan_bracket(struct pl_scan *s)
{
    const char *inside = pl_scan_spaces(s->at, s->end), *after;
    double value;
    if (!s->count || !pl_word_is_position(s->words[s->count - 1]) || inside == s->end ||
        (*inside != '[' && *inside != '('))
        return false;
    enum pl_spelling spelling = pl_line_value(pl_scan_spaces(inside + 1, s->end), s->end, &value, &after);
    if (spelling != PL_SPELLED_NUMBER && spelling != PL_SPELLED_FRACTION)
        return false;
    s->at = after;
    note_fraction(s, spelling);
    state_position(s, value);
    return true;
}

/* name=value. Words before the name belong to it if they say which set it is of; others make it prose, unless they
 * follow a position. */
void pl_scan_equals(struct pl_scan *s)
{
    s->spoiled = s->spoiled || s->counted;
    s->at = pl_scan_spaces(s->at + 1, s->end);
    size_t from = s->count - 1;
    while (from && pl_word_is_qualifier(s->words[from - 1]))
        from--;
    size_t rest = from;
    while (rest && pl_word_is_level(s->words[rest - 1]))
        rest--;
    if (rest) {
        s->prose = true;
        s->spoiled = s->spoiled || !s->after_position;
    }
    memmove(s->words, s->words + from, (s->count - from) * sizeof *s->words);
    s->count -= from;
    if (pl_scan_bracket(s) || take_value(s, 0, true))
        return;
    struct pl_word name = s->words[s->count - 1];
    if (pl_word_is_position(name))
        s->spoiled = true;
    if (s->at < s->end && (unsigned char)*s->at >= 0x80) /* digits of another script */
        s->line->odd = s->line->odd || pl_line_is_measure(name.text, name.length);
    bool list = skip_numbers(s);
    int depth = 0;
    char quote = '\0';
    for (; !list && s->at < s->end; s->at++) { /* phase=train: a word that is no number */
        if (quote || *s->at == '"' || *s->at == '\'') {
            quote = quote ? (*s->at == quote ? '\0' : quote) : *s->at;
            continue;
        }
        depth += (*s->at == '[' || *s->at == '(' || *s->at == '{') - (*s->at == ']' || *s->at == ')' || *s->at == '}');
        if (depth < 0 || (!depth && strchr(" \t,;|", *s->at)))
            break;
    }
    pass_over(s, true);
}

/* [ 10/196] at at: a batch of so many. */
static bool states_batch(const char *at, const char *end)
{
    const char *batch = pl_scan_spaces(at + 1, end);
    size_t length = 0;
    while (batch + length < end && isdigit((unsigned char)batch[length]))
        length++;
    return length && batch + length < end && batch[length] == '/';
}

/* Train: 12 [100/1251 (8%)]: the number of an epoch, as the batch in it follows. */
static bool states_epoch(const char *at, const char *end)
{
    const char *digits = at;
    while (at < end && isdigit((unsigned char)*at))
        at++;
    const char *batch = pl_scan_spaces(at, end);
    if (batch == end)
        return false;
    if (at == digits) /* Train: [3/300][100/1251] */
        return *batch == '[' && (at = memchr(batch, ']', (size_t)(end - batch))) && end - at > 2 && at[1] == '[' &&
               states_batch(batch, end) && states_batch(at + 1, end);
    return batch > at && *batch == '[' && states_batch(batch, end);
}

/* name: value, the name being all the words that wait; without a value the colon only separates. */
void pl_scan_colon(struct pl_scan *s)
{
    s->spoiled = s->spoiled || s->counted;
    bool glued = s->at + 1 < s->end && s->at[1] != ' ';
    struct pl_word last = s->words[s->count - 1];
    size_t from = 0;
    s->at = pl_scan_spaces(s->at + 1, s->end);
    if (pl_front_ordinal(s)) /* INFO: 1epoch:train:1-100batch: */
        return;
    while (from + 1 < s->count && (pl_word_is_level(s->words[from]) || pl_word_among(s->words[from], "and &")))
        from++;
    if (glued && pl_scan_place(s))
        return;
    if (glued && pl_word_is_place(last)) {
        pl_scan_end_field(s, true);
        return;
    }
    if (s->count == from + 1 && pl_word_is_qualifier(last) && states_epoch(s->at, s->end))
        pl_scan_push(s, "epoch", 5);
    if (pl_scan_bracket(s))
        return;
    if (pl_word_is_qualifier(last) && s->at < s->end && *s->at == '[' && states_batch(s->at, s->end))
        s->line->within = s->batch = true;
    if (!s->too_many && take_value(s, from, true))
        return;
    if (skip_numbers(s))
        pass_over(s, true);
    else
        pl_scan_end_field(s, true);
}

/* A number behind words, with only a blank between. */
void pl_scan_spaced(struct pl_scan *s)
{
    double value;
    const char *after;
    enum pl_spelling spelling = pl_line_value(s->at, s->end, &value, &after);
    const char *next = pl_scan_spaces(after, s->end);
    bool position = pl_word_is_position(s->words[s->count - 1]), prose = s->too_many || s->count > SPACED_WORDS_MOST;
    struct pl_word last = s->words[s->count - 1];
    bool named = next < s->end && (*next == ':' || (*next == '=' && !(next + 1 < s->end && strchr("=>-", next[1]))));
    bool rank = pl_word_among(last, "top") &&
                strspn(s->at, "0123456789") >= (size_t)(after - s->at); /* top 5 acc: 93 */
    if (pl_word_is_place(last) && memchr(last.text, '.', last.length) && spelling == PL_SPELLED_NUMBER) {
        s->at = after; /* main.py 200: where the line was printed */
        pl_scan_end_field(s, true);
        return;
    }
    if (!position && named && after - s->at > 2 && pl_line_is_measure(last.text, last.length) &&
        spelling == PL_SPELLED_NUMBER) {
        s->spoiled = s->line->odd = true; /* loss 1000: 0.5 */
    } else if (!position && (named || rank) && spelling == PL_SPELLED_NUMBER) {
        pl_scan_push(s, s->at, (size_t)(after - s->at)); /* top 1: 0.5 */
        s->at = after;
        return;
    }
    if (!position && pl_word_is_date(last) && spelling == PL_SPELLED_NUMBER && value >= 1 && value <= 2100 &&
        (value <= 31 || value >= 1900)) {
        s->at = after; /* Mon Jan  2 15:04:05 2026 */
        s->count--;
        s->count -= s->count && pl_word_is_weekday(s->words[s->count - 1]);
        return;
    }
    for (size_t i = 0; i < s->count; i++)
        prose = prose || pl_word_is_stop(s->words[i]);
    prose = prose || s->in_sentence;
    if (!position && prose && isalpha((unsigned char)*s->at)) { /* number of nan iterations: 0 */
        pl_scan_push(s, s->at, (size_t)(after - s->at));
        s->at = after;
        return;
    }
    if (!position && prose) {
        s->prose = s->in_sentence = true;
        s->spoiled = s->spoiled || s->after_pair;
        s->count = 0;
        s->too_many = false;
        s->at = after;
        return;
    }
    size_t from = 0;
    while (from + 1 < s->count && pl_word_is_level(s->words[from]))
        from++;
    take_value(s, from, false);
}
