/* Text that goes into other languages: a terminal's, gnuplot's strings, LaTeX, Markdown, HTML, CSV and JSON. What a
 * reader of that language sees is the text that went in, and nothing is obeyed. */
#include "fuzz.h"
#include "plot/plot_priv.h"
#include "report/report_priv.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static bool is_control(const char *text)
{
    return (unsigned char)*text < ' ' || *text == 0x7f || (*text == '\xc2' && (unsigned char)text[1] < 0xa0);
}

/* UTF-8 without control characters. */
static bool is_plain(const char *text)
{
    size_t bad;
    bool plain = pl_utf8_valid(text, strlen(text), &bad);
    for (const char *c = text; *c; c++)
        plain = plain && !is_control(c);
    return plain;
}

/* A string in double quotes, as gnuplot reads it: digits behind a backslash are the number of a byte. */
static void read_quoted(const char *c, struct pl_text *out)
{
    MUST(*c++ == '"');
    while (*c != '"') {
        MUST(*c && *c != '`' && *c != '$' && *c != '\n');
        if (*c != '\\') {
            pl_text_add_char(out, *c++);
            continue;
        }
        MUST(strspn(c + 1, "01234567") >= 3);
        pl_text_add_char(out, (char)((c[1] - '0') << 6 | (c[2] - '0') << 3 | (c[3] - '0')));
        c += 4;
        MUST(*c < '0' || *c > '9'); /* another digit would be taken for one of the number */
    }
    MUST(!c[1]);
}

/* Has it characters that turn the direction of writing? */
static bool turns(const char *text)
{
    static const char *const marks[] = {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(text, marks[i]))
            return true;
    for (const char *c = text; *c; c++)
        if ((!strncmp(c, "\xe2\x80", 2) && (unsigned char)c[2] >= 0xaa && (unsigned char)c[2] <= 0xae) ||
            (!strncmp(c, "\xe2\x81", 2) && (unsigned char)c[2] >= 0xa6 && (unsigned char)c[2] <= 0xa9))
            return true;
    return false;
}

/* Then the enhanced mode takes its marks away. What turns the direction of writing is shown by its number. */
static void check_gnuplot(const char *text, bool plain)
{
    struct pl_text label = {0}, quoted = {0}, read = {0}, seen = {0};
    pl_label_text(&label, text, plain);
    pl_label_quote(&quoted, pl_text(&label));
    read_quoted(pl_text(&quoted), &read);
    for (const char *c = pl_text(&read); *c; c++) {
        if (!plain && *c == '\\')
            MUST(*++c);
        else
            MUST(plain || !strchr("_^@&~{}", *c));
        pl_text_add_char(&seen, *c);
    }
    MUST(is_plain(pl_text(&seen)) && !turns(pl_text(&seen)));
    MUST(!is_plain(text) || turns(text) || !strcmp(pl_text(&seen), text));
    pl_text_release(&label);
    pl_text_release(&quoted);
    pl_text_release(&read);
    pl_text_release(&seen);
}

/* What people shall see. */
static void add_shown(struct pl_text *out, const char *text)
{
    pl_escape_terminal(out, text);
    MUST(is_plain(pl_text(out)));
}

static void check_lines(const char *text)
{
    struct pl_text written = {0};
    pl_escape_lines(&written, text);
    for (char *c = written.text; c && *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    MUST(is_plain(pl_text(&written)));
    pl_text_release(&written);
}

/* The end of a group that begins at c, whose inside is no more than letters of a command, digits and signs. */
static const char *end_of_group(const char *c)
{
    int depth = 0;
    do {
        MUST(*c && *c != '%' && *c != '&' && *c != '#');
        depth += (*c == '{') - (*c == '}');
        c++;
    } while (depth);
    return c;
}

static void check_latex(const char *text)
{
    static const char *const words[][2] = {{"\\textbackslash{}", "\\"},
                                           {"\\textasciitilde{}", "~"},
                                           {"\\textasciicircum{}", "^"},
                                           {"\\textless{}", "<"},
                                           {"\\textgreater{}", ">"},
                                           {"\\textbar{}", "|"},
                                           {"{''}", "\""},
                                           {"\\`{}", "`"},
                                           {"{[}", "["},
                                           {"{]}", "]"},
                                           {"{*}", "*"},
                                           {"-{}-", "--"},
                                           {"'{}'", "''"},
                                           {",{},", ",,"},
                                           {"\\mbox{ }", " "}};
    struct pl_text written = {0}, seen = {0}, shown = {0};
    bool exact = true;
    add_shown(&shown, text);
    pl_escape_latex(&written, text);
    MUST(is_plain(pl_text(&written)));
    for (const char *c = pl_text(&written); *c;) {
        size_t i = 0, count = sizeof words / sizeof *words, back = 0;
        while (i < count && strncmp(c, words[i][0], strlen(words[i][0])))
            i++;
        if (i < count) {
            back = strstr(words[i][0], "{}") && words[i][1][1]; /* the second of two is read again */
            pl_text_add_bytes(&seen, words[i][1], strlen(words[i][1]) - back);
            c += strlen(words[i][0]) - back;
        } else if (!strncmp(c, "\\ensuremath{", 12)) {
            c = end_of_group(c + 11);
            exact = false;
        } else if (!strncmp(c, "\\poulachar{", 11)) {
            c += 11;
            pl_text_add_bytes(&seen, c, strcspn(c, "}"));
            c = end_of_group(c + strcspn(c, "}") + 1);
        } else {
            if (*c == '\\')
                MUST(strchr("&%$#_{}", *++c) && *c);
            else
                MUST(!strchr("&%$#_{}~^[]*`\"<>|", *c));
            MUST(!strchr("-',", *c) || c[1] != *c);
            pl_text_add_char(&seen, *c++);
        }
    }
    MUST(!exact || !strcmp(pl_text(&seen), pl_text(&shown)));
    pl_text_release(&written);
    pl_text_release(&seen);
    pl_text_release(&shown);
}

static void check_markdown(const char *text)
{
    struct pl_text written = {0}, seen = {0}, shown = {0};
    add_shown(&shown, text);
    pl_escape_markdown(&written, text);
    MUST(is_plain(pl_text(&written)));
    for (const char *c = pl_text(&written); *c;) {
        if (!strncmp(c, "<br>", 4)) {
            pl_text_add(&seen, "\\n");
            c += 4;
        } else if (!strncmp(c, "&nbsp;", 6)) {
            pl_text_add_char(&seen, ' ');
            c += 6;
        } else {
            if (*c == '\\')
                MUST(*++c);
            else
                MUST(!strchr("|`_[]<>*~#$", *c));
            pl_text_add_char(&seen, *c++);
        }
    }
    MUST(!strcmp(pl_text(&seen), pl_text(&shown)));
    pl_text_release(&written);
    pl_text_release(&seen);
    pl_text_release(&shown);
}

/* References are read back as a browser does. */
static void check_html(const char *text)
{
    struct pl_text written = {0}, seen = {0}, shown = {0};
    add_shown(&shown, text);
    pl_escape_html(&written, text);
    MUST(is_plain(pl_text(&written)));
    for (const char *c = pl_text(&written); *c; c++) {
        MUST(!strchr("<>\"'", *c));
        if (*c != '&') {
            pl_text_add_char(&seen, *c);
            continue;
        }
        MUST(c[1] == '#' && c[4] == ';');
        pl_text_add_char(&seen, (char)(10 * (c[2] - '0') + c[3] - '0'));
        c += 4;
    }
    MUST(!strcmp(pl_text(&seen), pl_text(&shown)));
    pl_text_clear(&written);
    pl_escape_html_lines(&written, text);
    MUST(!pl_text(&written)[strcspn(pl_text(&written), "<>\"'")]);
    pl_text_release(&written);
    pl_text_release(&seen);
    pl_text_release(&shown);
}

static void check_csv(const char *text)
{
    struct pl_text written = {0}, seen = {0};
    pl_escape_csv(&written, text);
    const char *c = pl_text(&written);
    bool quoted = *c == '"';
    for (c += quoted; *c; c++) {
        if (quoted && *c == '"' && c[1] != '"') {
            MUST(!c[1]);
            break;
        }
        c += quoted && *c == '"';
        MUST(quoted || !strchr(",\"\r\n", *c));
        pl_text_add_char(&seen, *c);
    }
    MUST(!strcmp(pl_text(&seen), text));
    pl_text_release(&written);
    pl_text_release(&seen);
}

static void check_json(const char *text)
{
    struct pl_text written = {0};
    size_t bad;
    pl_escape_json(&written, text);
    json_t *string = json_loads(pl_text(&written), JSON_DECODE_ANY, NULL);
    MUST(json_is_string(string));
    MUST(!pl_utf8_valid(text, strlen(text), &bad) || !strcmp(json_string_value(string), text));
    json_decref(string);
    pl_text_release(&written);
}

/* Sheets keep their lines whatever stands in them. */
static void check_sheet(const char *text)
{
    for (size_t i = 0; i < pl_format_registry.count; i++) {
        const struct pl_style *style = pl_format_at(i)->rows->style;
        struct pl_sheet sheet;
        struct pl_text out = {0};
        size_t lines = 0;
        if (!style)
            continue;
        pl_sheet_init(&sheet, style, 1, 1, 2, 1);
        pl_sheet_put(&sheet, 0, 0, "head");
        pl_sheet_put(&sheet, 1, 0, text);
        pl_sheet_put(&sheet, 1, 1, text);
        pl_sheet_write(&sheet, &out);
        for (char *c = out.text; *c; c++)
            if (*c == '\n') {
                *c = ' ';
                lines++;
            }
        MUST(lines == 3 && is_plain(pl_text(&out)));
        pl_sheet_release(&sheet);
        pl_text_release(&out);
    }
    struct pl_text name = {0};
    pl_label_name(&name, text, false);
    pl_label_name(&name, text, true);
    pl_text_release(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = pl_copy_bytes((const char *)data, size);
    check_gnuplot(text, false);
    check_gnuplot(text, true);
    check_lines(text);
    check_latex(text);
    check_markdown(text);
    check_html(text);
    check_csv(text);
    check_json(text);
    check_sheet(text);
    free(text);
    return 0;
}
