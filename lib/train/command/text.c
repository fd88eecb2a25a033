/* Pairs in lines of text: name=0.5, name: 0.5, and name 0.5 where the line states a position or the name is that of
 * something measured. A line is read only if what stands beside its pairs cannot change their meaning: numbers, times,
 * bars, brackets, and words that a separator parts from the pairs. Words that run into a pair make it prose. */
#include "train/command/vocabulary.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MOST = 6, SPACED_WORDS_MOST = 3, TAG_MOST = PL_WORD_MOST };

struct scan {
    const char *at, *end;
    struct pl_line *line;
    size_t first;                    /* of the line's pairs that was read here */
    struct pl_word words[WORDS_MOST];   /* that wait for what follows them */
    size_t count;
    bool too_many;                   /* words waited */
    bool after_pair, after_position; /* nothing stands between it and here */
    bool after_comma;
    bool in_sentence;                /* since the last separator, there are words and numbers that are no pair */
    bool metrics;                    /* a metric was read */
    bool position;                   /* a position was stated */
    bool prose;                      /* there are words that are no names */
    bool spoiled;                    /* they run into pairs */
    bool short_number;               /* the last value has at most three digits and no point */
    bool options;                    /* --lr=0.1: it tells of a command line */
    bool explicit, measured, spaced; /* kinds of metrics read: by = or :, of a known name, by a blank only */
    char tag[TAG_MOST + 1];          /* "valid" before the pairs: the metrics of that set */
};

static const char *matching(const char *open, const char *end)
{
    char close = *open == '(' ? ')' : ']';
    int depth = 0;
    for (const char *c = open; c < end; c++) {
        depth += (*c == *open) - (*c == close);
        if (!depth)
            return c;
    }
    return NULL;
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* ---- fields ---- */

/* Words that end here without having become a name. strong: by more than a comma. */
static void end_field(struct scan *s, bool strong)
{
    if (s->count || s->too_many) {
        bool start = s->count == 1 && pl_word_is_level(s->words[0]);
        s->prose = s->prose || !start;
        s->spoiled = s->spoiled || s->after_pair || (s->after_comma && s->metrics);
        for (size_t i = 0; i < s->count && strong && !s->metrics && s->count <= 3; i++)
            if (pl_word_is_other_set(s->words[i]) && s->words[i].length <= TAG_MOST) {
                memcpy(s->tag, s->words[i].text, s->words[i].length);
                s->tag[s->words[i].length] = '\0';
            }
    }
    s->count = 0;
    s->too_many = false;
    s->after_pair = s->after_position = s->in_sentence = false;
    s->after_comma = !strong;
}

static void push_word(struct scan *s, const char *text, size_t length)
{
    if (s->count == WORDS_MOST) {
        s->too_many = true;
        memmove(s->words, s->words + 1, (WORDS_MOST - 1) * sizeof *s->words);
        s->count--;
    }
    s->words[s->count++] = (struct pl_word){text, length};
}

/* Adds what the words from one on name. */
static void add(struct scan *s, size_t from, double value)
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
    pl_line_add(s->line, pl_text(&name), name.length, value);
    s->measured = s->measured || (!position && pl_line_is_measure(pl_text(&name), name.length));
    pl_text_release(&name);
    s->metrics = s->metrics || !position;
    s->position = s->position || position;
    s->count = 0;
    s->too_many = false;
    s->after_pair = !position;
    s->after_position = position;
    s->after_comma = false;
}

/* The words before a position are prose, but for those that introduce it; behind a pair ("best loss: 0.3 at epoch 5") they
 * spoil the line. */
static void state_position(struct scan *s, double value)
{
    for (size_t i = 0; i + 1 < s->count; i++) {
        bool prose = !(pl_word_is_beginning(s->words[i]) || pl_word_is_other_set(s->words[i]) || pl_word_is_level(s->words[i]));
        s->prose = s->prose || prose;
        s->spoiled = s->spoiled || (prose && s->after_pair);
        if (pl_word_is_other_set(s->words[i])) {
            memcpy(s->tag, s->words[i].text, s->words[i].length);
            s->tag[s->words[i].length] = '\0';
        }
    }
    s->prose = s->prose || s->too_many;
    add(s, s->count - 1, value);
}

static void note_fraction(struct scan *s, enum pl_spelling spelling)
{
    struct pl_word word = s->words[s->count - 1];
    if (spelling == PL_SPELLED_FRACTION && !pl_word_among(word, "epoch"))
        s->line->step_in_epoch = true;
}

/* Forgets the words: they name something that has no value here. */
static void pass_over(struct scan *s, bool explicit)
{
    s->count = 0;
    s->too_many = false;
    s->after_pair = s->after_pair || explicit;
    s->after_comma = false;
}

/* ---- values ---- */

/* A percentage before a bar is not a metric: "train: 100%|####| 10/10". */
static bool is_bar(const struct scan *s, enum pl_spelling spelling, const char *after)
{
    return spelling == PL_SPELLED_PERCENT && skip_spaces(after, s->end) < s->end && *skip_spaces(after, s->end) == '|';
}

/* A unit behind a value, after a blank. Returns false if the value is no plain number with it. */
static bool take_unit(struct scan *s, double *value)
{
    const char *word = skip_spaces(s->at, s->end), *stop = word;
    double seconds;
    while (stop < s->end && (isalpha((unsigned char)*stop) || *stop == '/'))
        stop++;
    const char *next = skip_spaces(stop, s->end);
    bool name = next < s->end && (*next == '=' || *next == ':');
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
static bool is_days(struct scan *s)
{
    const char *word = skip_spaces(s->at, s->end);
    size_t length = s->end - word > 3 && !strncmp(word, "day", 3) ? 3 + (word[3] == 's') : 0;
    if (!length || word + length >= s->end || word[length] != ',')
        return false;
    double value;
    const char *clock = skip_spaces(word + length + 1, s->end), *after;
    if (pl_line_value(clock, s->end, &value, &after) != PL_SPELLED_CLOCK)
        return false;
    s->at = after;
    return true;
}

/* The metric that the words from one on name, with what stands at s->at. explicit: behind = or :. Returns false, and takes
 * nothing, where no value stands. */
static bool take_value(struct scan *s, size_t from, bool explicit)
{
    double value;
    const char *after, *start = s->at, *close = NULL;
    if (start < s->end && (*start == '"' || *start == '\'')) {
        close = memchr(start + 1, *start, (size_t)(s->end - start - 1));
        start += close != NULL;
    } else if (start < s->end && *start == '(' && explicit) {
        close = matching(start, s->end);
        start += close != NULL;
    }
    enum pl_spelling spelling = pl_line_value(start, close ? close : s->end, &value, &after);
    bool position = pl_word_is_position(s->words[s->count - 1]);
    if (spelling == PL_SPELLED_NOT || (close && after != close))
        return false;
    s->at = close ? close + 1 : after;
    if (is_bar(s, spelling, after)) {
        end_field(s, true);
        return true;
    }
    bool number = spelling == PL_SPELLED_NUMBER || spelling == PL_SPELLED_PERCENT || spelling == PL_SPELLED_DURATION;
    if (position && (number || spelling == PL_SPELLED_FRACTION)) {
        note_fraction(s, spelling);
        state_position(s, value);
    } else if (position) {
        s->line->odd = s->line->odd || spelling == PL_SPELLED_ODD;
        s->spoiled = true;
        pass_over(s, explicit);
    } else if (explicit && s->in_sentence) {
        s->line->odd = s->spoiled = true; /* Accuracy on the 10000 test images: 54 % */
        pass_over(s, explicit);
    } else if (number && is_days(s)) {
        pass_over(s, explicit);
    } else if (number && take_unit(s, &value)) {
        s->explicit = s->explicit || explicit;
        s->spaced = s->spaced || !explicit;
        s->short_number = after - start <= 3 && strspn(start, "0123456789") >= (size_t)(after - start);
        add(s, from, value);
    } else {
        bool known = pl_line_is_measure(s->words[s->count - 1].text, s->words[s->count - 1].length);
        bool odd = spelling == PL_SPELLED_ODD || spelling == PL_SPELLED_FRACTION || number ||
                   (spelling == PL_SPELLED_CLOCK && known); /* loss=1d5 */
        s->line->odd = s->line->odd || (odd && (explicit || known));
        pass_over(s, explicit);
    }
    return true;
}

/* [0.1, 0.2] at s->at: passes over it. */
static bool skip_numbers(struct scan *s)
{
    const char *close = s->at < s->end && *s->at == '[' ? matching(s->at, s->end) : NULL;
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
static bool take_bracket(struct scan *s)
{
    const char *inside = skip_spaces(s->at, s->end), *after;
    double value;
    if (!s->count || !pl_word_is_position(s->words[s->count - 1]) || inside == s->end || (*inside != '[' && *inside != '('))
        return false;
    enum pl_spelling spelling = pl_line_value(skip_spaces(inside + 1, s->end), s->end, &value, &after);
    if (spelling != PL_SPELLED_NUMBER && spelling != PL_SPELLED_FRACTION)
        return false;
    s->at = after;
    note_fraction(s, spelling);
    state_position(s, value);
    return true;
}

/* name=value. Words before the name belong to it if they say which set it is of; others make it prose, unless they
 * follow a position. */
static void take_equals(struct scan *s)
{
    s->at = skip_spaces(s->at + 1, s->end);
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
    if (take_bracket(s) || take_value(s, 0, true))
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

/* name: value, the name being all the words that wait; without a value the colon only separates. */
static void take_colon(struct scan *s)
{
    bool glued = s->at + 1 < s->end && s->at[1] != ' ';
    struct pl_word last = s->words[s->count - 1];
    size_t from = 0;
    s->at = skip_spaces(s->at + 1, s->end);
    while (from + 1 < s->count && (pl_word_is_level(s->words[from]) || pl_word_among(s->words[from], "and &")))
        from++;
    if (glued && pl_word_is_place(last)) {
        end_field(s, true);
        return;
    }
    if (take_bracket(s))
        return;
    if (!s->too_many && take_value(s, from, true))
        return;
    if (skip_numbers(s))
        pass_over(s, true);
    else
        end_field(s, true);
}

/* A number behind words, with only a blank between. */
static void take_spaced(struct scan *s)
{
    double value;
    const char *after;
    enum pl_spelling spelling = pl_line_value(s->at, s->end, &value, &after);
    const char *next = skip_spaces(after, s->end);
    bool position = pl_word_is_position(s->words[s->count - 1]), prose = s->too_many || s->count > SPACED_WORDS_MOST;
    if (!position && next < s->end && (*next == ':' || *next == '=') && spelling == PL_SPELLED_NUMBER) {
        push_word(s, s->at, (size_t)(after - s->at)); /* top 1: 0.5 */
        s->at = after;
        return;
    }
    for (size_t i = 0; i < s->count; i++)
        prose = prose || pl_word_is_stop(s->words[i]);
    prose = prose || s->in_sentence;
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

/* ---- tokens ---- */

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || strchr("_./@%#'&+-~^$\\", c) || (unsigned char)c >= 0x80;
}

/* Does a parenthesis or bracket belong to a name that goes on to its = or : behind it? "time (ms): 5", "mAP[0.5]=3" */
static bool closes_name(const struct scan *s, const char *open)
{
    const char *close = matching(open, s->end);
    if (!close || close - open > 16 || memchr(open, '=', (size_t)(close - open)))
        return false;
    const char *next = skip_spaces(close + 1, s->end);
    return next < s->end && (*next == ':' || *next == '=') && !(next + 1 < s->end && next[1] == '=');
}

static void take_word(struct scan *s)
{
    const char *start = s->at, *stop = start;
    bool arrow;
    while (stop < s->end && is_word_char(*stop) && !pl_line_picture(stop, s->end, &arrow) &&
           !(*stop == '-' && stop + 1 < s->end && (stop[1] == '>' || stop[1] == ' ' || stop[1] == '-')))
        stop++;
    if (s->end - stop > 2 && !memcmp(stop, "://", 3)) {
        while (stop < s->end && !isspace((unsigned char)*stop))
            stop++;
        push_word(s, start, (size_t)(stop - start));
        s->at = stop;
        return;
    }
    if (stop == start) {
        s->at++;
        return;
    }
    bool sentence = stop[-1] == '.' && (stop == s->end || *stop == ' ');
    const char *name_end = stop;
    while (name_end > start && strchr(".'-/", name_end[-1]))
        name_end--;
    struct pl_word word = {start, (size_t)(name_end - start)};
    if (stop < s->end && (*stop == '(' || *stop == '[') && stop == name_end && !pl_word_is_position(word)) {
        const char *close = matching(stop, s->end);
        if (closes_name(s, stop)) {
            word.length = (size_t)(close + 1 - start);
            stop = close + 1;
        } else if (*stop == '(') { /* Adam(lr=0.1), Conv2d(3, 64): not for us */
            push_word(s, start, word.length);
            s->at = close ? close + 1 : s->end;
            s->line->odd = s->line->odd || (s->metrics && pl_line_is_measure(start, word.length));
            bool glued = s->after_pair;
            end_field(s, true);
            s->after_pair = glued;
            return;
        }
    }
    if (word.length)
        push_word(s, word.text, word.length);
    s->at = stop;
    if (sentence)
        end_field(s, true);
}

/* A quoted name before = or :; other quoted texts are words. */
static bool take_quoted(struct scan *s)
{
    char quote = *s->at;
    const char *close = memchr(s->at + 1, quote, (size_t)(s->end - s->at - 1));
    if (!close || close == s->at + 1)
        return false;
    push_word(s, s->at + 1, (size_t)(close - s->at - 1));
    s->at = close + 1;
    return true;
}

/* A run of - and =, with > at its end an arrow. Returns false for a single sign that is something else. */
static bool take_run(struct scan *s)
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
    end_field(s, true);
    s->at = stop + arrow;
    return true;
}

static bool begins_number(const struct scan *s)
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
           !(skip_spaces(after, s->end) < s->end && strchr(":=", *skip_spaces(after, s->end)));
}

/* A number that nothing names. */
static void pass_number(struct scan *s)
{
    double value;
    const char *after;
    pl_line_value(s->at, s->end, &value, &after);
    if (s->after_pair && s->short_number && strspn(s->at, "0123456789") == 3)
        s->spoiled = true; /* loss=1 234,5: thousands parted by a blank */
    s->at = after > s->at ? after : s->at + 1;
}

static void take_token(struct scan *s)
{
    char c = *s->at;
    bool arrow;
    size_t drawn = pl_line_picture(s->at, s->end, &arrow);
    if (drawn) {
        s->spoiled = s->spoiled || (arrow && s->metrics);
        end_field(s, true);
        s->at += drawn;
    } else if ((c == '-' || c == '=') && take_run(s)) {
        return;
    } else if (c == '=' || (c == ':' && s->count && s->at + 1 < s->end && s->at[1] == '=')) {
        s->at += c == ':';
        take_equals(s);
    } else if (c == ':' && s->count) {
        take_colon(s);
    } else if (begins_number(s)) {
        if (s->count)
            take_spaced(s);
        else
            pass_number(s);
    } else if ((c == '"' || c == '\'') && take_quoted(s)) {
        return;
    } else if ((c == '[' || c == '(') && take_bracket(s)) {
        return;
    } else if (c == '(' && s->count && closes_name(s, s->at)) {
        const char *close = matching(s->at, s->end);
        push_word(s, s->at, (size_t)(close + 1 - s->at));
        s->at = close + 1;
    } else if (c == '#' && s->count && pl_word_is_position(s->words[s->count - 1])) {
        s->at++;
    } else if (c == '%' || c == ' ' || c == '+') {
        s->at++;
    } else if (is_word_char(c) && !strchr("./#'&-~^$", c)) {
        take_word(s);
    } else {
        end_field(s, c != ',');
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

/* Are there two positions of one kind that differ? "best epoch 5" beside "epoch 7" leaves none. */
static bool contradicts(const struct scan *s)
{
    for (size_t i = s->first; i < s->line->count; i++)
        for (size_t k = s->first; k < i; k++)
            if (pl_line_is_position(s->line->pairs[i].name, strlen(s->line->pairs[i].name)) &&
                !strcasecmp(s->line->pairs[i].name, s->line->pairs[k].name) &&
                s->line->pairs[i].value != s->line->pairs[k].value)
                return true;
    return false;
}

void pl_line_words(const char *text, const char *end, struct pl_line *line)
{
    struct scan s = {.at = text, .end = end, .line = line, .first = line->count};
    while (s.at < end)
        take_token(&s);
    end_field(&s, true);
    if (contradicts(&s))
        s.spoiled = true;
    bool prose = s.spaced && !s.position && !s.measured; /* Using 4 workers */
    if (s.metrics && (s.spoiled || prose || s.options)) {
        line->odd = line->odd || ((s.explicit || s.measured) && !s.options);
        take_back(line, s.first);
    } else if (!s.metrics && (s.spoiled || (s.prose && !s.first))) {
        take_back(line, s.first); /* it is about an epoch, and does not begin one */
    }
}
