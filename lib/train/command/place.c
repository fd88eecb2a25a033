/* Where in a program a line was printed, as loggers say it: trainer.py:57, __main__:train:42, (trainer:57). */
#include "train/command/scan.h"

#include <ctype.h>
#include <string.h>

bool pl_scan_is_logged(const struct pl_scan *s, const char *here)
{
    for (const char *c = s->text; here - c > 4; c++)
        if (c[2] == ':' && strspn(c, "0123456789") == 2 && strspn(c + 3, "0123456789") == 2)
            return true;
    return false;
}

bool pl_scan_place(struct pl_scan *s)
{
    struct pl_word last = s->words[s->count - 1];
    size_t digits = strspn(s->at, "0123456789");
    const char *stop = s->at + digits, *start = last.text;
    bool file = pl_word_is_place(last) && memchr(last.text, '.', last.length);
    if (!digits || s->count > 1 || (stop < s->end && !strchr(" \t)],-:", *stop)))
        return false;
    bool ours = pl_word_is_position(last) || pl_line_is_measure(last.text, last.length), chain = false;
    const char *next = pl_scan_spaces(stop, s->end);
    bool dotted = !ours && memchr(last.text, '.', last.length) && next < s->end && next > stop && strchr("-|", *next);
    while (start - s->text > 1 && start[-1] == ':' && (isalnum((unsigned char)start[-2]) || strchr("_.", start[-2]))) {
        for (start--; start > s->text && (isalnum((unsigned char)start[-1]) || strchr("_.", start[-1]));)
            start--;
        chain = true;
    }
    struct pl_word first = {start, strcspn(start, ":")};
    chain = chain && !pl_word_is_level(first) && !pl_word_is_qualifier(first) &&
            (!ours || (next < s->end && next > stop && strchr("-|", *next)));
    bool enclosed = !ours && !pl_word_is_qualifier(last) && start > s->text && strchr("([", start[-1]) &&
                    stop < s->end && strchr(")]", *stop) && pl_scan_is_logged(s, start);
    if (!file && (s->metrics || s->position || !(chain || enclosed || dotted)))
        return false;
    s->count = 0;
    s->at = stop;
    return true;
}
