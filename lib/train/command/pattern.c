#include "train/command/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATTERN_MOST = 4000,   /* bytes */
    MATCHES_MOST = 1000,   /* in one line */
    EFFORT_MOST = 1000000, /* of matching: a pattern must not take for ever */
};

struct pl_pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    struct group {
        const char *name; /* belongs to code */
        uint32_t number;
    } * groups;
    size_t count;
    bool pairs; /* has the groups name and value */
};

/* The names of groups as PCRE2 keeps them: entries of two bytes for the number and a text. */
static void read_groups(struct pl_pattern *p)
{
    uint32_t count = 0, size = 0;
    PCRE2_SPTR table = NULL;
    pcre2_pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(p->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2_pattern_info(p->code, PCRE2_INFO_NAMETABLE, &table);
    p->groups = pl_new((count + 1) * sizeof *p->groups);
    for (uint32_t i = 0; i < count; i++, table += size)
        p->groups[p->count++] = (struct group){(const char *)table + 2, (uint32_t)table[0] << 8 | table[1]};
}

static const struct group *find_group(const struct pl_pattern *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->groups[i].name, name))
            return &p->groups[i];
    return NULL;
}

int pl_pattern_new(struct pl_pattern **pattern, const char *text, struct pl_error *err)
{
    int code;
    PCRE2_SIZE offset;
    if (!*text || strlen(text) > PATTERN_MOST)
        return pl_fail(err, PL_EINPUT, "a pattern has 1 to %d bytes", PATTERN_MOST);
    struct pl_pattern *p = pl_new(sizeof *p);
    p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_DUPNAMES, &code, &offset, NULL);
    if (!p->code) {
        PCRE2_UCHAR why[200];
        pcre2_get_error_message(code, why, sizeof why);
        pl_pattern_free(p);
        return pl_fail(err, PL_EINPUT, "the pattern \"%.200s\" is wrong behind \"%.*s\": %s", text, (int)offset, text,
                       (const char *)why);
    }
    p->data = pcre2_match_data_create_from_pattern(p->code, NULL);
    p->context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(p->context, EFFORT_MOST);
    read_groups(p);
    bool name = find_group(p, "name"), value = find_group(p, "value");
    p->pairs = name && value;
    if (name != value) {
        pl_pattern_free(p);
        return pl_fail(err, PL_EINPUT,
                       "the pattern \"%.200s\" has only one of the groups name and value; a metric needs both", text);
    }
    *pattern = p;
    return 0;
}

void pl_pattern_free(struct pl_pattern *p)
{
    if (!p)
        return;
    pcre2_match_data_free(p->data);
    pcre2_match_context_free(p->context);
    pcre2_code_free(p->code);
    free(p->groups);
    free(p);
}

/* The text of a group in the match at hand; NULL: it took no part. */
static const char *matched(const struct pl_pattern *p, const char *text, const struct group *group, size_t *length)
{
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(p->data);
    PCRE2_SIZE start = ends[2 * group->number], stop = ends[2 * group->number + 1];
    if (start == PCRE2_UNSET || stop <= start)
        return NULL;
    *length = stop - start;
    return text + start;
}

static void add_number(struct pl_line *line, const char *name, size_t length, const char *number, size_t digits)
{
    double value;
    const char *after, *end = number + digits;
    bool position = pl_line_is_position(name, length);
    enum pl_spelling spelling = pl_line_value(number, end, &value, &after);
    if (pl_line_number(number, end, &value))
        pl_line_add(line, name, length, value);
    else if (position && spelling == PL_SPELLED_FRACTION && after == end)
        pl_line_add(line, name, length, value);
    else if (!(spelling == PL_SPELLED_NOTHING && after == end))
        line->odd = true, line->lost = line->lost || position;
}

static void read_match(const struct pl_pattern *p, const char *text, struct pl_line *line)
{
    size_t length, digits;
    for (size_t i = 0; i < p->count; i++) {
        const struct group *group = &p->groups[i];
        const char *number = matched(p, text, group, &digits);
        if (number && !(p->pairs && (!strcmp(group->name, "name") || !strcmp(group->name, "value"))))
            add_number(line, group->name, strlen(group->name), number, digits);
    }
    const char *name = p->pairs ? matched(p, text, find_group(p, "name"), &length) : NULL;
    const char *value = p->pairs ? matched(p, text, find_group(p, "value"), &digits) : NULL;
    if (name && value)
        add_number(line, name, length, value, digits);
}

bool pl_pattern_read(const struct pl_pattern *p, const char *text, struct pl_lines *lines)
{
    size_t size = strlen(text), at = 0;
    int matches = 0, found = 0;
    struct pl_line *line = NULL;
    for (; at <= size && matches < MATCHES_MOST; matches++) {
        found = pcre2_match(p->code, (PCRE2_SPTR)text, size, at, 0, p->data, p->context);
        if (found < 0)
            break;
        if (!line) {
            pl_lines_clear(lines);
            line = pl_lines_add(lines);
        }
        read_match(p, text, line);
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(p->data);
        at = ends[1] > at ? ends[1] : at + 1;
        while (at < size && ((unsigned char)text[at] & 0xC0) == 0x80) /* not into a character */
            at++;
    }
    if (found < 0 && found != PCRE2_ERROR_NOMATCH) { /* it took too long */
        pl_lines_clear(lines);
        line = pl_lines_add(lines);
        line->odd = true;
    }
    if (!line)
        return false;
    pl_line_settle(line);
    lines->odd = line->odd;
    return true;
}
