/* poula show experiments: the specs that come with poula. */
#include "experiments.h"
#include "show.h"

#include "base/share.h"

#include <stdio.h>
#include <string.h>

enum { SPEC_LIMIT = 1 << 20 };

static int read_spec(const char *name, struct pl_text *path, struct pl_text *text, struct pl_error *err)
{
    struct pl_text file = {0};
    pl_text_addf(&file, PL_SHARE_SPECS "/%s.yaml", name);
    int status = pl_share_find(pl_text(&file), path, err);
    if (!status)
        status = pl_file_read(pl_text(path), SPEC_LIMIT, text, err);
    pl_text_release(&file);
    return status;
}

/* Published numbers stand among the specs and are none: a spec has a study or studies. */
static bool is_spec(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, "study:", 6) || !strncmp(line, "studies:", 8))
            return true;
    }
    return false;
}

int pl_cmd_experiments(struct pl_text *names, struct pl_candidates *list, struct pl_error *err)
{
    struct pl_text all = {0}, path = {0}, text = {0};
    int status = pl_share_specs(&all, err);
    for (char *name = all.text, *end; name && (end = strchr(name, '\n')); name = end + 1) {
        struct pl_error unread;
        *end = '\0';
        if (!read_spec(name, &path, &text, &unread) && is_spec(pl_text(&text)))
            pl_text_add_bytes(names, name, strlen(name) + 1);
    }
    size_t length;
    for (size_t at = 0; at < names->length; at += length + 1) {
        length = strlen(names->text + at);
        pl_candidates_add(list, names->text + at);
    }
    pl_text_release(&all);
    pl_text_release(&path);
    pl_text_release(&text);
    return status;
}

/* The first sentence of the comment that a spec begins with. */
static void add_sentence(struct pl_text *out, const char *text)
{
    for (bool first = true; *text == '#'; first = false) {
        text += 1 + (text[1] == ' ');
        size_t length = strcspn(text, "\n");
        const char *stop = memmem(text, length, ". ", 2);
        pl_text_add(out, first || !length ? "" : " ");
        pl_text_add_bytes(out, text, stop ? (size_t)(stop - text) : length);
        if (stop || !length || text[length - 1] == '.')
            break;
        text += length + (text[length] == '\n');
    }
    if (out->length && out->text[out->length - 1] == '.')
        pl_text_cut(out, out->length - 1);
}

/* A line's name and its words behind it, broken so that they stand in a column of their own. */
static void print_wrapped(const char *name, int width, const char *words)
{
    enum { COLUMNS = 110 };
    struct pl_text line = {0};
    size_t length, first;
    pl_text_addf(&line, "%-*s ", width, name);
    first = line.length;
    for (const char *word = words; (word = pl_next_word(word, &length)); word += length) {
        if (line.length > first && line.length + 1 + length > COLUMNS) {
            pl_cmd_line(stdout, "%s", pl_text(&line));
            pl_text_clear(&line);
            pl_text_addf(&line, "%-*s ", width, "");
        }
        pl_text_add_char(&line, ' ');
        pl_text_add_bytes(&line, word, length);
    }
    pl_cmd_line(stdout, "%s", pl_text(&line));
    pl_text_release(&line);
}

int pl_show_experiments(const struct pl_args *args)
{
    struct pl_text names = {0}, path = {0}, text = {0}, sentence = {0};
    struct pl_candidates list = {0};
    struct pl_error err;
    int code = pl_cmd_experiments(&names, &list, &err) ? pl_cmd_fail(args, &err) : 0, width = 0;
    for (size_t i = 0; i < list.count; i++)
        width = (int)strlen(list.names[i]) > width ? (int)strlen(list.names[i]) : width;
    for (size_t i = 0; i < list.count; i++) {
        pl_text_clear(&sentence);
        if (!read_spec(list.names[i], &path, &text, &err))
            add_sentence(&sentence, pl_text(&text));
        print_wrapped(list.names[i], width, pl_text(&sentence));
    }
    if (!code)
        puts("\n'poula sweep NAME' runs one, 'poula show experiment NAME' prints it.");
    pl_candidates_release(&list);
    pl_text_release(&names);
    pl_text_release(&path);
    pl_text_release(&text);
    pl_text_release(&sentence);
    return code;
}

int pl_show_experiment(const struct pl_args *args, const char *name)
{
    struct pl_text names = {0}, path = {0}, text = {0};
    struct pl_candidates list = {0};
    struct pl_error err;
    bool known = false;
    int code = pl_cmd_experiments(&names, &list, &err) ? pl_cmd_fail(args, &err) : 0;
    for (size_t i = 0; i < list.count; i++)
        known = known || !strcmp(name, list.names[i]);
    if (!code && !known)
        code = pl_cmd_unknown(args, "experiment", name, &list);
    if (!code && read_spec(name, &path, &text, &err))
        code = pl_cmd_fail(args, &err);
    if (!code) {
        pl_cmd_note("poula show: this is %s", pl_text(&path));
        fputs(pl_text(&text), stdout); /* to be copied, so as it is */
    }
    pl_candidates_release(&list);
    pl_text_release(&names);
    pl_text_release(&path);
    pl_text_release(&text);
    return code;
}
