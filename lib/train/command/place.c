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

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_.", c));
}

/* The first of the names that colons join, of which the last begins at name: of __main__:train __main__. */
static const char *first_of_chain(const struct pl_scan *s, const char *name)
{
    while (name - s->text > 1 && name[-1] == ':' && is_name_char(name[-2]))
        for (name--; name > s->text && is_name_char(name[-1]);)
            name--;
    return name;
}

/* name:number is a place by what the name is and by what stands around; stop is behind the number. */
static bool looks_like_place(const struct pl_scan *s, struct pl_word name, const char *stop)
{
    const char *next = pl_scan_spaces(stop, s->end), *start = first_of_chain(s, name.text);
    struct pl_word first = {start, strcspn(start, ":")};
    bool measured = pl_word_is_position(name) || pl_line_is_measure(name.text, name.length);
    bool parted = next < s->end && next > stop && strchr("-|", *next); /* the message follows */
    bool chain = start < name.text && !pl_word_is_level(first) && !pl_word_is_qualifier(first) && (!measured || parted);
    bool enclosed = !measured && !pl_word_is_qualifier(name) && start > s->text && strchr("([", start[-1]) &&
                    stop < s->end && strchr(")]", *stop) && pl_scan_is_logged(s, start);
    bool dotted = !measured && memchr(name.text, '.', name.length) && parted;
    return chain || enclosed || dotted;
}

bool pl_scan_place(struct pl_scan *s)
{
    struct pl_word name = s->words[s->count - 1];
    size_t digits = strspn(s->at, "0123456789");
    const char *stop = s->at + digits;
    if (!digits || s->count > 1 || (stop < s->end && !strchr(" \t)],-:", *stop)))
        return false;
    bool file = pl_word_is_place(name) && memchr(name.text, '.', name.length);
    if (!file && (s->metrics || s->position || !looks_like_place(s, name, stop)))
        return false;
    s->count = 0;
    s->at = stop;
    return true;
}
