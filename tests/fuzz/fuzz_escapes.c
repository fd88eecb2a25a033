/* Text that goes into other languages: gnuplot's strings, LaTeX, Markdown, CSV and JSON. What a reader of that language
 * sees is the text that went in. */
#include "fuzz.h"
#include "plot/plot_priv.h"
#include "report/report_priv.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

/* Line breaks may become blanks. */
static bool same(const char *got, const char *want)
{
    for (; *got && *want; got++, want++)
        if (*got != *want && !(*got == ' ' && *want == '\n'))
            return false;
    return !*got && !*want;
}

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

/* Then the enhanced mode takes its marks away. */
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
    MUST(is_plain(pl_text(&seen)) && (!is_plain(text) || !strcmp(pl_text(&seen), text)));
    pl_text_release(&label);
    pl_text_release(&quoted);
    pl_text_release(&read);
    pl_text_release(&seen);
}

static void check_latex(const char *text)
{
    static const char *const words[][2] = {
        {"\\textbackslash{}", "\\"}, {"\\textasciitilde{}", "~"}, {"\\textasciicircum{}", "^"}, {"\\textless{}", "<"},
        {"\\textgreater{}", ">"}, {"\\textbar{}", "|"}, {"{''}", "\""}};
    struct pl_text written = {0}, seen = {0};
    pl_latex_add(&written, text);
    for (const char *c = pl_text(&written); *c;) {
        size_t i = 0, count = sizeof words / sizeof *words;
        while (i < count && strncmp(c, words[i][0], strlen(words[i][0])))
            i++;
        if (i < count) {
            pl_text_add(&seen, words[i][1]);
            c += strlen(words[i][0]);
            continue;
        }
        if (*c == '\\')
            MUST(strchr("&%$#_{}", *++c) && *c);
        else
            MUST(!strchr("&%$#_{}~^", *c));
        pl_text_add_char(&seen, *c++);
    }
    MUST(same(pl_text(&seen), text));
    pl_text_release(&written);
    pl_text_release(&seen);
}

static void check_markdown(const char *text)
{
    struct pl_text written = {0}, seen = {0};
    pl_markdown_add(&written, text);
    for (const char *c = pl_text(&written); *c; c++) {
        if (*c == '\\')
            MUST(*++c);
        else
            MUST(!strchr("|`_[]<>\n", *c));
        pl_text_add_char(&seen, *c);
    }
    MUST(same(pl_text(&seen), text));
    pl_text_release(&written);
    pl_text_release(&seen);
}

static void check_csv(const char *text)
{
    struct pl_text written = {0}, seen = {0};
    pl_csv_add(&written, text);
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
    if (!pl_utf8_valid(text, strlen(text), &bad))
        return;
    pl_text_add_json(&written, text);
    json_t *string = json_loads(pl_text(&written), JSON_DECODE_ANY, NULL);
    MUST(json_is_string(string) && !strcmp(json_string_value(string), text));
    json_decref(string);
    pl_text_release(&written);
}

/* Sheets keep their columns under each other whatever stands in them. */
static void check_sheet(const char *text)
{
    for (int markdown = 0; markdown < 2; markdown++) {
        struct pl_sheet sheet;
        struct pl_text out = {0};
        pl_sheet_init(&sheet, 1, 1, 2, 1);
        *pl_sheet_at(&sheet, 0, 0) = pl_copy("head");
        *pl_sheet_at(&sheet, 1, 0) = pl_copy(text);
        *pl_sheet_at(&sheet, 1, 1) = pl_copy(text);
        if (markdown)
            pl_sheet_write_markdown(&sheet, &out);
        else
            pl_sheet_write_text(&sheet, &out);
        MUST(out.length);
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
    check_latex(text);
    check_markdown(text);
    check_csv(text);
    check_json(text);
    check_sheet(text);
    free(text);
    return 0;
}
