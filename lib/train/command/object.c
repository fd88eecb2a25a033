/* Objects as programs print them: JSON, also with what Python's json module, a Python dict or a careless printf makes
 * of it (NaN, None, single quotes, a trailing comma, .5, numbers of any length). jansson refuses all of that, and with
 * it every metric of the line. */
#include "train/command/vocabulary.h"
#include "train/metric.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEEPEST = 20 };

struct object_reader {
    const char *at, *end;
    struct pl_line *line;
    int depth;
    struct pl_text named; /* {"key": "loss", "value": 0.5}: what the value is */
    size_t rank;          /* of the member that says so */
    struct pl_text told;  /* {"message": "loss: 0.5"} */
    struct pl_text set;   /* {"phase": "val"}: which set the numbers are of */
};

static void skip_blanks(struct object_reader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool skip_char(struct object_reader *r, char c)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static void add_code(struct pl_text *out, unsigned code)
{
    if (!code || (code >= 0xD800 && code < 0xE000))
        code = 0xFFFD;
    if (code < 0x80) {
        pl_text_add_char(out, (char)code);
    } else if (code < 0x800) {
        pl_text_add_char(out, (char)(0xC0 | code >> 6));
        pl_text_add_char(out, (char)(0x80 | (code & 0x3F)));
    } else {
        pl_text_add_char(out, (char)(0xE0 | code >> 12));
        pl_text_add_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
        pl_text_add_char(out, (char)(0x80 | (code & 0x3F)));
    }
}

/* A string in either kind of quotes; false: it does not end. */
static bool read_quoted(struct object_reader *r, struct pl_text *out)
{
    char quote = *r->at++;
    for (; r->at < r->end && *r->at != quote; r->at++) {
        unsigned code;
        if (*r->at != '\\' || r->at + 1 == r->end) {
            pl_text_add_char(out, *r->at);
            continue;
        }
        r->at++;
        if (*r->at == 'u' && r->end - r->at > 4 && sscanf(r->at + 1, "%4x", &code) == 1) {
            add_code(out, code);
            r->at += 4;
        } else {
            pl_text_add_char(out, strchr("ntrbf", *r->at) ? ' ' : *r->at);
        }
    }
    if (r->at == r->end)
        return false;
    r->at++;
    return true;
}

static bool read_key(struct object_reader *r, struct pl_text *key)
{
    skip_blanks(r);
    if (r->at == r->end)
        return false;
    if (*r->at == '"' || *r->at == '\'')
        return read_quoted(r, key);
    const char *start = r->at; /* {epoch: 1}, as YAML, Go and Java have it */
    while (r->at < r->end &&
           (isalnum((unsigned char)*r->at) || strchr("_./@-", *r->at) || (unsigned char)*r->at >= 0x80))
        r->at++;
    pl_text_add_bytes(key, start, (size_t)(r->at - start));
    return r->at > start;
}

/* A list: passed over, and counted as not understood if it has numbers. */
static bool skip_list(struct object_reader *r)
{
    int depth = 0;
    for (; r->at < r->end; r->at++) {
        if (*r->at == '"' || *r->at == '\'') {
            struct pl_text text = {0};
            bool whole = read_quoted(r, &text);
            pl_text_release(&text);
            if (!whole)
                return false;
            r->at--;
            continue;
        }
        r->line->odd = r->line->odd || isdigit((unsigned char)*r->at);
        depth += (*r->at == '[' || *r->at == '(' || *r->at == '{') - (*r->at == ']' || *r->at == ')' || *r->at == '}');
        if (!depth) {
            r->at++;
            return true;
        }
    }
    return false;
}

static bool read_object(struct object_reader *r, const char *prefix);

static void add_null(struct pl_line *line, const char *name, size_t length)
{
    size_t before = line->count;
    pl_line_add(line, name, length, NAN);
    if (line->count > before)
        line->pairs[before].null = true;
}

/* A word or number outside quotes. */
static bool read_bare(struct object_reader *r, const char *name)
{
    double value;
    const char *after;
    enum pl_spelling spelling = pl_line_value(r->at, r->end, &value, &after);
    if (spelling == PL_SPELLED_NUMBER || spelling == PL_SPELLED_PERCENT) {
        pl_line_add(r->line, name, strlen(name), value);
        r->at = after;
        return true;
    }
    const char *start = r->at;
    int depth = 0; /* device(type='cpu') */
    while (r->at < r->end && (depth || !strchr(",}]", *r->at))) {
        depth += (*r->at == '(') - (*r->at == ')');
        if (depth < 0)
            return false;
        r->at++;
    }
    size_t length = (size_t)(r->at - start);
    while (length && isspace((unsigned char)start[length - 1]))
        length--;
    bool position = pl_line_is_position(name, strlen(name));
    bool boolean = (length == 4 && !strncasecmp(start, "true", 4)) || (length == 5 && !strncasecmp(start, "false", 5));
    if (length == 4 && !memcmp(start, "null", 4) && !position) /* or a NaN on its way through JavaScript */
        add_null(r->line, name, strlen(name));
    else if (spelling == PL_SPELLED_ODD || spelling == PL_SPELLED_FRACTION ||
             ((boolean || spelling == PL_SPELLED_CLOCK) && pl_line_is_measure(name, strlen(name))))
        r->line->odd = true;
    r->line->lost = r->line->lost || (position && spelling != PL_SPELLED_NOTHING);
    return length > 0 && !(depth > 0);
}

/* Keeps a text that tells what the object's value is, or what was logged. */
static void note_text(struct object_reader *r, const char *name, const struct pl_text *text)
{
    static const char *const names[] = {"metric", "metric_name", "key", "tag", "name"};
    for (size_t i = 0; i < sizeof names / sizeof *names && text->length; i++)
        if (!strcasecmp(name, names[i]) && (!r->named.length || i < r->rank)) {
            pl_text_clear(&r->named);
            pl_text_add_bytes(&r->named, pl_text(text), text->length);
            r->rank = i;
        }
    struct pl_word word = {name, strlen(name)}, value = {pl_text(text), text->length};
    if (!r->set.length && pl_word_is_other_set(value) &&
        pl_word_among(word, "phase split mode set subset stage partition dataset event"))
        pl_text_add_bytes(&r->set, value.text, value.length);
    if (text->length && !r->told.length && pl_word_among(word, "message msg event"))
        pl_text_add_bytes(&r->told, pl_text(text), text->length);
}

static bool read_value(struct object_reader *r, const char *name)
{
    skip_blanks(r);
    if (r->at == r->end)
        return false;
    if (*r->at == '{') {
        char prefix[PL_METRIC_NAME_MOST + 10];
        bool fits = snprintf(prefix, sizeof prefix, "%s/", name) < (int)sizeof prefix;
        return fits && read_object(r, prefix);
    }
    if (*r->at == '[' || *r->at == '(')
        return skip_list(r);
    if (*r->at != '"' && *r->at != '\'')
        return read_bare(r, name);
    struct pl_text text = {0};
    double value;
    bool whole = read_quoted(r, &text);
    const char *string = pl_text(&text), *stop = string + text.length, *after;
    bool position = pl_line_is_position(name, strlen(name));
    enum pl_spelling spelling = pl_line_value(string, stop, &value, &after);
    if (whole && ((position && spelling == PL_SPELLED_FRACTION) || pl_line_number(string, stop, &value)))
        pl_line_add(r->line, name, strlen(name), value);
    else if (whole && text.length && spelling != PL_SPELLED_NOTHING) {
        r->line->odd = r->line->odd || pl_line_is_measure(name, strlen(name));
        r->line->lost = r->line->lost || position;
    }
    if (whole && r->depth == 1)
        note_text(r, name, &text);
    pl_text_release(&text);
    return whole;
}

/* What a logger puts beside a message: no metrics. */
static bool is_attribute(const struct pl_line_pair *pair)
{
    struct pl_word name = {pair->name, strlen(pair->name)};
    return pl_word_among(name, "lineno line levelno level process pid thread tid msecs relativecreated") ||
           (pl_word_among(name, "time timestamp ts created") && pair->value > 1e9);
}

/* What the texts of a whole object mean for its numbers. */
static void settle(struct object_reader *r, size_t first)
{
    struct pl_line *line = r->line;
    if (r->told.length) {
        struct pl_line told = {0};
        for (size_t i = line->count; i > first; i--)
            if (is_attribute(&line->pairs[i - 1]))
                pl_line_remove(line, i - 1);
        pl_line_words(pl_text(&r->told), pl_text(&r->told) + r->told.length, NULL, &told);
        for (size_t i = 0; i < told.count; i++) {
            pl_line_add(line, told.pairs[i].name, strlen(told.pairs[i].name), told.pairs[i].value);
            free(told.pairs[i].name);
        }
        line->odd = line->odd || told.odd;
        line->within = line->within || told.within;
        free(told.pairs);
    }
    for (size_t i = first; i < line->count && r->named.length; i++)
        if (!strcmp(line->pairs[i].name, "value")) {
            double value = line->pairs[i].value;
            bool null = line->pairs[i].null;
            pl_line_remove(line, i);
            if (null)
                add_null(line, pl_text(&r->named), r->named.length);
            else
                pl_line_add(line, pl_text(&r->named), r->named.length, value);
            break;
        }
    for (size_t i = first; i < line->count && r->set.length; i++)
        pl_line_prefix(&line->pairs[i], (struct pl_word){pl_text(&r->set), r->set.length});
    pl_text_clear(&r->named);
    pl_text_clear(&r->told);
    pl_text_clear(&r->set);
}

static bool read_object(struct object_reader *r, const char *prefix)
{
    if (!skip_char(r, '{') || ++r->depth > DEEPEST)
        return false;
    bool good = true;
    while (good && !skip_char(r, '}')) {
        struct pl_text key = {0};
        pl_text_add(&key, prefix);
        good = read_key(r, &key) && (skip_char(r, ':') || skip_char(r, '=')) && read_value(r, pl_text(&key));
        pl_text_release(&key);
        skip_blanks(r);
        good = good && r->at < r->end && (skip_char(r, ',') || *r->at == '}');
    }
    r->depth--;
    return good;
}

/* An object, or a list of them. */
static bool read_list(struct object_reader *r, struct pl_lines *lines)
{
    bool list = skip_char(r, '[');
    do {
        skip_blanks(r);
        if (list && r->at < r->end && *r->at == ']')
            break; /* a trailing comma */
        r->line = pl_lines_add(lines);
        size_t first = r->line->count;
        if (!read_object(r, ""))
            return false;
        settle(r, first);
    } while (list && skip_char(r, ','));
    return !list || skip_char(r, ']');
}

bool pl_line_objects(const char *text, const char *end, struct pl_lines *lines, const char **after)
{
    struct object_reader r = {.at = text, .end = end};
    bool good = read_list(&r, lines);
    pl_text_release(&r.named);
    pl_text_release(&r.told);
    pl_text_release(&r.set);
    *after = r.at;
    return good && lines->count > 0;
}
