/* Objects that a program prints over several lines, as json.dumps(..., indent=2) and pprint do. Line by line, the loss
 * of an object in the object would be that of the whole. */
#include "train/command/command_priv.h"

#include <ctype.h>
#include <string.h>

enum {
    PIECES_MOST = 5000,
    BYTES_MOST = 1 << 20,
    BEGINNINGS_MOST = 16 /* of a line that are tried, as each of them is read to its end */
};

/* Depth of brackets at the end of the text; -1: it ends in quotes, or more is closed than was opened. */
static int depth_of(const char *text, int depth)
{
    char quote = '\0';
    for (; *text && depth >= 0; text++) {
        if (quote) {
            if (*text == '\\' && text[1])
                text++;
            else if (*text == quote)
                quote = '\0';
        } else if (*text == '"' || *text == '\'') {
            quote = *text;
        } else {
            depth += (strchr("{[(", *text) != NULL) - (strchr("}])", *text) != NULL);
        }
    }
    return quote ? -1 : depth;
}

/* Where an object begins that goes on in the next line; NULL: nowhere. */
static const char *opening(const char *text)
{
    size_t length = strlen(text);
    char last = length ? text[length - 1] : '\0';
    if (last != '{' && last != '[' && last != ',')
        return NULL;
    const char *first = text + strspn(text, " \t"), *start = first;
    for (int tried = 0; tried < BEGINNINGS_MOST && (start = strpbrk(start, "{[")); start++) {
        const char *inside = start + 1 + strspn(start + 1, " \t");
        bool list = *start == '[' && start == first && (!*inside || *inside == '{');
        bool object = *start == '{' && (start == first || strchr(" \t:=>])|-,", start[-1])) &&
                      (!*inside || *inside == '"' || *inside == '\'');
        tried += list || object;
        if ((list || object) && depth_of(start, 0) > 0)
            return start;
    }
    return NULL;
}

/* May the line be the next of an object? plain: names may stand without quotes. */
static bool is_piece(const char *text, bool plain)
{
    text += strspn(text, " \t");
    if (strchr("\"'{}[]()", *text))
        return true; /* an empty one, too */
    if (!isalpha((unsigned char)*text) && *text != '_')
        return !text[strspn(text, "0123456789.eE+-, ])}")];
    const char *behind = text;
    while (isalnum((unsigned char)*behind) || *behind == '_')
        behind++;
    return !*behind || strchr(",]}(", *behind) || (plain && *behind == ':');
}

static enum pl_joining keep_piece(struct pl_open_object *open, const char *text, int depth)
{
    if (open->text.length)
        pl_text_add_char(&open->text, '\n');
    pl_text_add(&open->text, text);
    open->depth = depth;
    open->pieces++;
    return depth ? PL_JOIN_MORE : PL_JOIN_WHOLE;
}

enum pl_joining pl_object_join(struct pl_open_object *open, const char *text)
{
    if (!open->pieces) {
        const char *start = opening(text);
        if (!start)
            return PL_JOIN_NOT;
        open->plain = start == text + strspn(text, " \t") && !start[1];
        return keep_piece(open, text, depth_of(start, 0));
    }
    int depth = is_piece(text, open->plain) ? depth_of(text, open->depth) : -1;
    if (depth < 0 || open->pieces == PIECES_MOST || open->text.length + strlen(text) > BYTES_MOST)
        return PL_JOIN_BROKEN;
    return keep_piece(open, text, depth);
}

void pl_open_object_release(struct pl_open_object *open)
{
    pl_text_release(&open->text);
    *open = (struct pl_open_object){0};
}
