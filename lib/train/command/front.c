/* Numbers in front of a line that say where it belongs, or may, and that no word before them names. */
#include "train/command/scan.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The epoch that stands before everything else, with nothing that names it: "[10]<tab>" and "10:<tab>" of boosted
 * trees, "[3/25][100/1583]", "[3,  2000]". NaN: there is none. */
double pl_front_epoch(const char *text, const char *end)
{
    const char *digits = text + (text < end && *text == '['), *after = digits;
    while (after < end && isdigit((unsigned char)*after))
        after++;
    const char *stop = after;
    if (stop == digits || stop - digits > 15 || end - stop < 2)
        return NAN;
    if (*stop == ',' && digits > text) {
        stop++;
        stop += strspn(stop, " ");
        size_t batch = strspn(stop, "0123456789");
        return batch && !strncmp(stop + batch, "] ", 2) ? strtod(digits, NULL) : NAN;
    }
    if (*stop == '/' && digits > text) {
        stop++;
        stop += strspn(stop, "0123456789");
        return !strncmp(stop, "][", 2) && isdigit((unsigned char)stop[2 + strspn(stop + 2, " ")]) ? strtod(digits, NULL)
                                                                                                  : NAN;
    }
    return !strncmp(stop, digits > text ? "]\t" : ":\t", 2) ? strtod(digits, NULL) : NAN;
}

/* [100], [3/600], (3/600) or 3/600 in front, which may be a position. More digits are a time. */
static bool begins_numbered(const char *text, const char *end)
{
    const char *open = pl_scan_spaces(text, end), *digits = open + (open < end && strchr("[(", *open));
    digits = pl_scan_spaces(digits, end);
    size_t length = strspn(digits, "0123456789");
    const char *stop = pl_scan_spaces(digits + length, end);
    if (!length || length > 7 || stop == end)
        return false;
    if (*stop != '/')
        return *open == '[' && *stop == ']';
    stop = pl_scan_spaces(stop + 1, end);
    length = strspn(stop, "0123456789");
    return length && length <= 7 && stop + length < end && strchr(digits == open ? " :|,\t" : "])", stop[length]);
}

/* The same, also behind what a logger puts before it: I0101 10:00:00.1 140 logging_writer.py:48] [100] loss=0.5. */
bool pl_front_is_numbered(const struct pl_scan *s)
{
    for (const char *open = s->text; open < s->end; open++) {
        bool behind = open > s->text + 1 && *open == '[' && open[-1] == ' ' && open[-2] == ']' &&
                      pl_scan_is_logged(s, open);
        if ((open == s->text || behind) && begins_numbered(open, s->end))
            return true;
    }
    return false;
}

/* [batch=10/100]: alone on its line, above the metrics of that batch. NaN: it is something else. */
double pl_front_batch(const char *text, const char *end)
{
    const char *at = pl_scan_spaces(text, end);
    if (end - at < 11 || strncmp(at, "[batch=", 7) != 0)
        return NAN;
    size_t digits = strspn(at + 7, "0123456789"), most = 0;
    const char *slash = at + 7 + digits;
    if (digits && digits < 16 && *slash == '/')
        most = strspn(slash + 1, "0123456789");
    const char *close = slash + 1 + most;
    return most && (!strncmp(close, "]:", 2) ? close + 2
                    : *close == ']'          ? close + 1
                                             : NULL) == end
               ? strtod(at + 7, NULL)
               : NAN;
}

/* 1epoch:train:1-100batch: as ESPnet has it: the epoch, and which part of it. */
bool pl_front_ordinal(struct pl_scan *s)
{
    const char *word = s->at + strspn(s->at, "0123456789");
    if ((s->count && !(s->count == 1 && pl_word_is_level(s->words[0]))) || s->position || word - s->at > 15 ||
        s->end - word < 6 || strncmp(word, "epoch:", 6) != 0)
        return false;
    const char *stop = word;
    while (stop < s->end && !isspace((unsigned char)*stop))
        stop++;
    if (stop[-1] != ':')
        return false;
    struct pl_word set = {word + 6, strcspn(word + 6, ":")};
    s->count = 0;
    pl_line_add(s->line, "epoch", 5, strtod(s->at, NULL));
    s->position = s->after_position = s->batch = true;
    pl_scan_tag(s, set);
    s->at = stop;
    return true;
}
