/* Objects as programs print them: JSON, also with what Python's json module, a Python dict or a careless printf makes
 * of it (NaN, None, single quotes, a trailing comma, .5, numbers of any length). jansson refuses all of that, and with
 * it every metric of the line. */
#include "train/command/line.h"
#include "train/metric.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 20 };

struct object_reader {
    const char *at, *end;
    struct pl_line *line;
    int depth;
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
    if (length == 4 && !memcmp(start, "null", 4) && !position) /* what becomes of a NaN on its way through JavaScript */
        pl_line_add(r->line, name, strlen(name), NAN);
    else if (spelling == PL_SPELLED_ODD || spelling == PL_SPELLED_FRACTION ||
             ((boolean || spelling == PL_SPELLED_CLOCK) && pl_line_is_measure(name, strlen(name))))
        r->line->odd = true;
    r->line->lost = r->line->lost || (position && spelling != PL_SPELLED_NOTHING);
    return length > 0 && !(depth > 0);
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
    pl_text_release(&text);
    return whole;
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

bool pl_line_objects(const char *text, const char *end, struct pl_lines *lines, const char **after)
{
    struct object_reader r = {.at = text, .end = end};
    bool list = skip_char(&r, '[');
    do {
        skip_blanks(&r);
        if (list && r.at < end && *r.at == ']')
            break; /* a trailing comma */
        r.line = pl_lines_add(lines);
        if (!read_object(&r, ""))
            return false;
    } while (list && skip_char(&r, ','));
    if (list && !skip_char(&r, ']'))
        return false;
    *after = r.at;
    return lines->count > 0;
}
