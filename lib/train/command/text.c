/* Pairs in lines of text: name=0.5, name: 0.5, and name 0.5 where the line states a position or the name is that of
 * something measured. A line is read only if what stands beside its pairs cannot change their meaning: numbers, times,
 * bars, brackets, and words that a separator parts from the pairs. Words that run into a pair make it prose. */
#include "train/command/scan.h"
#include "train/command/section.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- tokens ---- */

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || strchr("_./@%#'&+-~^$\\", c) || (unsigned char)c >= 0x80;
}

/* Is a word of a kind followed by a number, whatever stands between: loss is 0.5, loss -> 0.5, loss: (0.5, 0.6)? Words
 * but "is" and "was" between them make it a tale. */
static bool tells(const char *text, const char *end, bool (*is_kind)(const char *, size_t))
{
    while (text < end) {
        const char *word = text;
        while (text < end && (isalnum((unsigned char)*text) || strchr("_@/", *text)))
            text++;
        if (text == word) {
            text++;
            continue;
        }
        if (isdigit((unsigned char)*word) || !is_kind(word, (size_t)(text - word)))
            continue;
        const char *next = text;
        for (size_t n = 1; n;) {
            next += strcspn(next, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,;|");
            n = !strncmp(next, "is ", 3) ? 3 : !strncmp(next, "was ", 4) ? 4 : 0;
            next += n;
        }
        if (next < end && isdigit((unsigned char)*next))
            return true;
    }
    return false;
}

/* Does a parenthesis or bracket belong to a name that goes on to its = or : behind it? "time (ms): 5", "mAP[0.5]=3" */
static bool closes_name(struct pl_scan *s, const char *open)
{
    const char *close = pl_scan_matching(s, open), *word = open;
    if (!close || close - open > 16 || memchr(open, '=', (size_t)(close - open)))
        return false;
    const char *next = pl_scan_spaces(close + 1, s->end);
    size_t letters = strspn(open + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_% ");
    if (*open == '(' && (isalpha((unsigned char)open[1]) || open[1] == '%') && open + 1 + letters == close &&
        next > close + 1 && next < s->end && isdigit((unsigned char)*next)) { /* loss (train) 0.5 */
        while (word > s->text && word[-1] == ' ')
            word--;
        const char *stop = word;
        while (word > s->text && is_word_char(word[-1]))
            word--;
        return pl_line_is_measure(word, (size_t)(stop - word));
    }
    return next < s->end && (*next == ':' || *next == '=') && !(next + 1 < s->end && next[1] == '=');
}

/* Epoch3, epoch_3, Epoch3/10, up to stop: leaves the number to be taken as that of a position. */
static bool take_glued(struct pl_scan *s, const char *stop)
{
    const char *digits = s->at + 5;
    if (stop - s->at < 6 || strncasecmp(s->at, "epoch", 5) != 0)
        return false;
    digits += *digits == '-' || *digits == '_';
    const char *after = digits + strspn(digits, "0123456789");
    if (after < stop && *after == '/')
        after += 1 + strspn(after + 1, "0123456789");
    if (after == digits || after != stop)
        return false;
    pl_scan_push(s, s->at, 5);
    s->at = digits;
    return true;
}

/* Metrics(epoch=4, loss=0.2), OrderedDict([('epoch', 4), ('loss', 0.2)]): what is between the parentheses. */
static bool tells_result(const char *text, const char *end)
{
    char *plain = pl_copy_bytes(text, (size_t)(end - text));
    for (char *c = plain; (c = strpbrk(c, "'\"")); c++)
        if (c[1] == ',')
            c[1] = ' ';
    end = plain + strlen(plain);
    bool result = tells(plain, end, pl_line_is_position) && tells(plain, end, pl_line_is_measure);
    free(plain);
    return result;
}

static void take_word(struct pl_scan *s)
{
    const char *start = s->at, *stop = start;
    bool arrow;
    while (stop < s->end && is_word_char(*stop) && !pl_line_picture(stop, s->end, &arrow) &&
           !(*stop == '-' && stop + 1 < s->end && (stop[1] == '>' || stop[1] == ' ' || stop[1] == '-')))
        stop++;
    if (s->end - stop > 2 && !memcmp(stop, "://", 3)) {
        while (stop < s->end && !isspace((unsigned char)*stop))
            stop++;
        pl_scan_push(s, start, (size_t)(stop - start));
        s->at = stop;
        return;
    }
    if (stop == start) {
        s->at++;
        return;
    }
    if (take_glued(s, stop))
        return;
    bool sentence = stop[-1] == '.' && (stop == s->end || *stop == ' ') &&
                    !pl_word_is_qualifier((struct pl_word){start, (size_t)(stop - 1 - start)}); /* Avg. loss */
    const char *name_end = stop;
    while (name_end > start && strchr(".'-/", name_end[-1]))
        name_end--;
    struct pl_word word = {start, (size_t)(name_end - start)};
    if (stop < s->end && (*stop == '(' || *stop == '[') && stop == name_end && !pl_word_is_position(word)) {
        const char *close = pl_scan_matching(s, stop);
        if (closes_name(s, stop)) {
            word.length = (size_t)(close + 1 - start);
            stop = close + 1;
        } else if (*stop == '(') { /* Adam(lr=0.1), Conv2d(3, 64): not for us */
            pl_scan_push(s, start, word.length);
            s->at = close ? close + 1 : s->end;
            s->line->odd = s->line->odd || ((s->metrics || s->position) && pl_line_is_measure(start, word.length)) ||
                           tells_result(stop + 1, s->at);
            bool glued = s->after_pair;
            pl_scan_end_field(s, true);
            s->after_pair = glued;
            return;
        }
    }
    if (word.length)
        pl_scan_push(s, word.text, word.length);
    s->at = stop;
    if (sentence)
        pl_scan_end_field(s, true);
}

/* A quoted name before = or :; other quoted texts are words. */
static bool take_quoted(struct pl_scan *s)
{
    char quote = *s->at;
    const char *close = memchr(s->at + 1, quote, (size_t)(s->end - s->at - 1));
    if (!close || close == s->at + 1)
        return false;
    pl_scan_push(s, s->at + 1, (size_t)(close - s->at - 1));
    s->at = close + 1;
    return true;
}

/* `max_epochs=2` in backquotes is code, unless it is a name and what it has follows. */
static bool take_code(struct pl_scan *s)
{
    const char *close = memchr(s->at + 1, '`', (size_t)(s->end - s->at - 1));
    const char *next = close ? pl_scan_spaces(close + 1, s->end) : s->end;
    if (next < s->end && strchr(":=", *next))
        return take_quoted(s);
    if (!close)
        return false;
    pl_scan_push(s, s->at, (size_t)(close + 1 - s->at));
    s->at = close + 1;
    return true;
}

/* A run of - and =, with > at its end an arrow. Returns false for a single sign that is something else. */
static bool take_run(struct pl_scan *s)
{
    const char *stop = s->at, *head = s->at;
    while (head < s->end && (*head == '-' || *head == '='))
        head++;
    bool arrow = head < s->end && *head == '>';
    while (stop < s->end && (arrow ? stop < head : *stop == *s->at))
        stop++;
    bool dash = *s->at == '-' && (s->at + 1 == s->end || s->at[1] == ' ');
    s->options = s->options || (stop - s->at == 2 && *s->at == '-' && stop < s->end && isalpha((unsigned char)*stop));
    if (!arrow && !dash && stop - s->at < 2 && !(*s->at == '=' && !s->count))
        return false;
    s->spoiled = s->spoiled || (arrow && s->metrics && (s->after_pair || s->count));
    const struct pl_word *last = s->count ? &s->words[s->count - 1] : NULL;
    const char *next = pl_scan_spaces(s->at + (stop - s->at) + arrow, s->end);
    if (arrow && last && next < s->end && isdigit((unsigned char)*next) && pl_line_is_measure(last->text, last->length))
        s->line->odd = true; /* loss -> 0.5 */
    pl_scan_end_field(s, true);
    s->at = stop + arrow;
    return true;
}

static bool begins_number(const struct pl_scan *s)
{
    const char *c = s->at;
    double value;
    const char *after;
    c += c + 1 < s->end && (*c == '-' || *c == '+' || *c == '.');
    if (isdigit((unsigned char)*c))
        return true;
    if (!s->count || !strchr("nNiItTaAfF-+", *s->at)) /* loss nan, loss tensor(0.5) */
        return false;
    enum pl_spelling spelling = pl_line_value(s->at, s->end, &value, &after);
    return spelling == PL_SPELLED_NUMBER && (after == s->end || !is_word_char(*after)) &&
           !(pl_scan_spaces(after, s->end) < s->end && strchr(":=", *pl_scan_spaces(after, s->end)));
}

/* AM, PM, UTC or CET behind a time of day, which name nothing. */
static void pass_zone(struct pl_scan *s)
{
    for (int i = 0; i < 2; i++) {
        const char *word = pl_scan_spaces(s->at, s->end), *stop = word;
        while (stop < s->end && (isalpha((unsigned char)*stop) || *stop == '.'))
            stop++;
        struct pl_word zone = {word, (size_t)(stop - word)};
        const char *next = pl_scan_spaces(stop, s->end);
        bool named = next + 1 < s->end && strchr("=:", *next) &&
                     isdigit((unsigned char)pl_scan_spaces(next + 1, s->end)[0]); /* 10:00 am=3 */
        if (word == s->at || named || !(pl_word_among(zone, "am pm a.m. p.m.") || pl_word_is_zone(zone)))
            return;
        s->at = stop;
    }
}

/* A number that nothing names. */
static void pass_number(struct pl_scan *s)
{
    double value;
    const char *after;
    enum pl_spelling spelling = pl_line_value(s->at, s->end, &value, &after);
    if (s->after_pair && s->short_number && strspn(s->at, "0123456789") == 3)
        s->spoiled = true; /* loss=1 234,5: thousands parted by a blank */
    const char *slash = pl_scan_spaces(after, s->end);
    s->batch = s->batch || spelling == PL_SPELLED_FRACTION ||
               (spelling == PL_SPELLED_NUMBER && slash < s->end && *slash == '/' &&
                isdigit((unsigned char)*pl_scan_spaces(slash + 1, s->end))); /* [ 10/ 600] */
    s->bare = s->bare || (s->position && spelling == PL_SPELLED_NUMBER && memchr(s->at, '.', (size_t)(after - s->at)));
    const char *before = s->at;
    while (before > s->text && before[-1] == ' ')
        before--;
    if (s->after_pair && s->measured && before > s->text && isdigit((unsigned char)before[-1]) &&
        spelling == PL_SPELLED_NUMBER && memchr(s->at, '.', (size_t)(after - s->at)))
        s->line->odd = true, s->spoiled = s->spoiled || s->counted; /* loss: 0.5 0.6; loss 100 0.5 */
    bool clock = spelling == PL_SPELLED_CLOCK && memchr(s->at, ':', (size_t)(after - s->at));
    s->at = after > s->at ? after : s->at + 1;
    if (spelling == PL_SPELLED_NUMBER)
        pl_scan_unit(s, &value);
    if (clock)
        pass_zone(s);
    const char *set = pl_scan_spaces(s->at, s->end);
    size_t length = set < s->end && *set == '(' ? strcspn(set + 1, ")") : 0;
    if (s->metrics && length && pl_word_is_set((struct pl_word){set + 1, length}))
        s->line->odd = true; /* loss: 0.3 (train) 0.4 (val) */
}

/* Epoch(val) [3][20/79]: the set that a position is of, between its name and its number. */
static bool take_set(struct pl_scan *s)
{
    const char *close = pl_scan_matching(s, s->at), *next = close ? pl_scan_spaces(close + 1, s->end) : s->end;
    if (*s->at != '(' || !s->count || !pl_word_is_position(s->words[s->count - 1]) || next == s->end || *next != '[')
        return false;
    struct pl_word set = {s->at + 1, (size_t)(close - s->at - 1)};
    if (!pl_word_is_qualifier(set))
        return false;
    if (pl_word_is_other_set(set))
        pl_scan_tag(s, set);
    s->at = next;
    const char *batches = pl_scan_matching(s, next);
    if (*s->tag && batches && !pl_word_among(s->words[s->count - 1], "epoch")) {
        s->at = batches + 1; /* Iter(val) [500/500]: so many batches of that set, which is no place in training */
        s->count = 0;
        s->line->within = s->batch = true;
    }
    return true;
}

/* name=, without a blank: as loggers put it behind a text that they have padded. */
static bool begins_pair(const char *text, const char *end)
{
    const char *stop = text;
    while (stop < end && (isalnum((unsigned char)*stop) || strchr("_./@-", *stop)))
        stop++;
    return stop > text && stop < end && *stop == '=';
}

/* dice [0.8, 0.9]: something measured, and several numbers. */
static bool tells_list(struct pl_scan *s)
{
    const struct pl_word *last = s->count ? &s->words[s->count - 1] : NULL;
    const char *close = last && pl_line_is_measure(last->text, last->length) ? pl_scan_matching(s, s->at) : NULL;
    size_t length = close ? (size_t)(close - s->at - 1) : 0;
    return length && isdigit((unsigned char)s->at[1]) && strspn(s->at + 1, "0123456789.,eE+- ") >= length &&
           memchr(s->at, '.', length);
}

static void take_token(struct pl_scan *s)
{
    char c = *s->at;
    bool arrow;
    if ((c == ':' || c == '=') && s->after_position && s->told)
        s->line->odd = s->line->odd || isdigit((unsigned char)pl_scan_spaces(s->at + 1, s->end)[0]);
    size_t drawn = pl_line_picture(s->at, s->end, &arrow), blanks = strspn(s->at, " ");
    const char *before = s->at;
    while (before > s->text && before[-1] == ' ')
        before--;
    if (c == '=' && s->metrics && before > s->text && before[-1] == ']' &&
        isdigit((unsigned char)pl_scan_spaces(s->at + 1, s->end)[0]))
        s->spoiled = true; /* [ IoU=0.50 | maxDets=100 ] = 0.371 */
    if (drawn) {
        s->spoiled = s->spoiled || (arrow && s->metrics) || (drawn == 2 && s->count); /* mean ± std: 0.9 ± 0.1 */
        pl_scan_end_field(s, true);
        s->at += drawn;
    } else if ((c == '-' || c == '=') && take_run(s)) {
        return;
    } else if (c == '=' || (c == ':' && s->count && s->at + 1 < s->end && s->at[1] == '=')) {
        s->at += c == ':';
        pl_scan_equals(s);
    } else if (c == ':' && s->count) {
        pl_scan_colon(s);
    } else if (isdigit((unsigned char)c) && pl_front_ordinal(s)) {
        return;
    } else if (begins_number(s)) {
        if (s->count)
            pl_scan_spaced(s);
        else
            pass_number(s);
    } else if (((c == '"' || c == '\'') && take_quoted(s)) || (c == '`' && take_code(s))) {
        return;
    } else if (c == '[' && tells_list(s)) {
        s->line->odd = true;
        pl_scan_end_field(s, true);
        s->at++;
    } else if ((c == '[' || c == '(') && (pl_scan_bracket(s) || take_set(s))) {
        return;
    } else if (c == '(' && s->count && closes_name(s, s->at)) {
        const char *close = pl_scan_matching(s, s->at);
        pl_scan_push(s, s->at, (size_t)(close + 1 - s->at));
        s->at = close + 1;
    } else if (c == '#' && s->count && pl_word_is_position(s->words[s->count - 1])) {
        s->at++;
    } else if (blanks > 2 && s->count && !s->metrics && !s->position && begins_pair(s->at + blanks, s->end)) {
        pl_scan_end_field(s, true);
    } else if (c == '%' || c == ' ' || c == '+') {
        s->at++;
    } else if (is_word_char(c) && !strchr("./#'&-~^$", c)) {
        take_word(s);
    } else {
        if ((c == '>' || c == '<') && s->in_sentence && s->at + 1 < s->end && s->at[1] == '=')
            s->spoiled = true; /* improved by 0.1 >= min_delta = 0.0 */
        pl_scan_end_field(s, c != ',');
        s->at++;
    }
}

/* ---- judging the line ---- */

/* Takes back what was read from one pair on. */
static void take_back(struct pl_line *line, size_t first)
{
    while (line->count > first)
        free(line->pairs[--line->count].name);
}

static int by_name(const void *a, const void *b)
{
    const struct pl_line_pair *x = a, *y = b;
    int order = strcasecmp(x->name, y->name);
    return order ? order : strcmp(x->name, y->name);
}

/* Does the line state a metric twice, with different values? Nobody knows then which of them it is. alike: also one
 * whose names differ in case. positions: only of those: "best epoch 5" beside "epoch 7" leaves none. */
static bool has_twins(const struct pl_scan *s, bool alike, bool positions)
{
    size_t count = 0;
    struct pl_line_pair *pairs = pl_new((s->line->count - s->first + 1) * sizeof *pairs);
    bool twins = false;
    for (size_t i = s->first; i < s->line->count; i++)
        if (!positions || pl_line_is_position(s->line->pairs[i].name, strlen(s->line->pairs[i].name)))
            pairs[count++] = s->line->pairs[i];
    qsort(pairs, count, sizeof *pairs, by_name);
    for (size_t i = 1; i < count && !twins; i++)
        twins = (alike || !strcmp(pairs[i - 1].name, pairs[i].name)) && !strcasecmp(pairs[i - 1].name, pairs[i].name) &&
                pairs[i - 1].value != pairs[i].value && !(isnan(pairs[i - 1].value) && isnan(pairs[i].value));
    free(pairs);
    return twins;
}

/* Is something measured followed by a bar and a number: accuracy | 0.7 | 0.8? */
static bool tells_cells(const char *text, const char *end)
{
    for (const char *bar = text; (bar = memchr(bar, '|', (size_t)(end - bar))); bar++) {
        const char *stop = bar, *next = pl_scan_spaces(bar + 1, end);
        while (stop > text && stop[-1] == ' ')
            stop--;
        const char *word = stop;
        while (word > text && (isalnum((unsigned char)word[-1]) || strchr("_@/-", word[-1])))
            word--;
        if (next < end && isdigit((unsigned char)*next) && pl_line_is_measure(word, (size_t)(stop - word)))
            return true;
    }
    return false;
}

/* Validating epoch 3. */
static bool begins_section(const struct pl_scan *s)
{
    struct pl_word set;
    if (!s->position || s->place < s->text || s->place >= s->end ||
        !pl_section_beside(s->text, s->place, s->behind, s->end, &set))
        return false;
    s->line->section = set.text;
    s->line->section_length = set.length;
    return true;
}

void pl_line_words(const char *text, const char *end, const struct pl_word *set, struct pl_line *line)
{
    struct pl_scan s = {.text = text, .at = text, .end = end, .line = line, .first = line->count};
    if (set && set->length)
        pl_scan_tag(&s, *set);
    while (s.at < end)
        take_token(&s);
    pl_scan_end_field(&s, true);
    free(s.closes);
    bool alike = line->count > s.first + 1 && has_twins(&s, true, false);
    pl_scan_name_sets(&s, alike);
    bool twins = alike && has_twins(&s, false, false);
    s.spoiled = s.spoiled || twins || (alike && has_twins(&s, true, true));
    s.prose = s.prose || (s.logger && !s.level && !pl_scan_is_logged(&s, end));
    double batch = pl_front_batch(text, end), leading = pl_front_epoch(text, end);
    if (!isnan(batch)) {
        take_back(line, s.first);
        pl_line_add(line, "step", 4, batch);
        return;
    }
    if (s.metrics && !s.position && !isnan(leading))
        pl_line_add(line, "epoch", 5, leading);
    line->numbered = s.metrics && !s.position && isnan(leading) && pl_front_is_numbered(&s);
    line->odd = line->odd || (s.position && !s.metrics && tells(text, end, pl_line_is_measure)) ||
                (s.position && !s.metrics && s.bare && !s.prose) || (!s.metrics && tells_cells(text, end)) ||
                (twins && s.position);
    bool prose = s.spaced && !s.position && !s.measured; /* Using 4 workers */
    if (s.metrics && (s.spoiled || prose || s.options)) {
        line->odd = line->odd || ((s.explicit || s.measured) && !s.options);
        take_back(line, s.first);
    } else if (!s.metrics && begins_section(&s)) {
        return;
    } else if (!s.metrics && (s.spoiled || (s.prose && !s.first))) {
        take_back(line, s.first); /* it is about an epoch, and does not begin one */
    }
}
