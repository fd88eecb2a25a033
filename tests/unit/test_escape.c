/* The escapers (D11, B5): what a terminal, Markdown, LaTeX, HTML, CSV and JSON get of texts that anyone may have
 * written. */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

struct pair {
    const char *text, *want;
};

static void check(void (*escape)(struct pl_text *, const char *), const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct pl_text out = {0};
        escape(&out, pairs[i].text);
        if (strcmp(pl_text(&out), pairs[i].want))
            fail_msg("pair %zu: '%s' is not '%s'", i, pl_text(&out), pairs[i].want);
        pl_text_release(&out);
    }
}

/* D11 */
static void a_terminal_obeys_nothing(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"", ""},
        {"plain a_b [x] * \\ 100%", "plain a_b [x] * \\ 100%"},
        {"\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"},
        {"a\nb\tc\rd\x7f\b", "a\\nb\\tc\\rd\\x7f\\x08"},
        {"\xc2\x9b"
         "31m",
         "\\u{9b}31m"}, /* the same ESC [ as a C1 control */
        {"\x9b"
         "31m \xff\xfe \xc3",
         "\\x9b31m \\xff\\xfe \\xc3"},                                                        /* no UTF-8 */
        {"\xc0\x9b \xe0\x82\x9b \xed\xa0\x80", "\\xc0\\x9b \\xe0\\x82\\x9b \\xed\\xa0\\x80"}, /* overlong, surrogate */
        {"adam\xe2\x80\xae"
         "1e-3\xe2\x80\xac",
         "adam\\u{202e}1e-3\\u{202c}"},
        {"\xe2\x81\xa6x\xe2\x81\xa9\xe2\x80\x8f\xd8\x9c", "\\u{2066}x\\u{2069}\\u{200f}\\u{61c}"},
        {"sg\xe2\x80\x8b"
         "d\xef\xbb\xbf\xc2\xad",
         "sg\\u{200b}d\\u{feff}\\u{ad}"},
        {"a\xe2\x80\xa8"
         "b\xe2\x80\xa9\xc2\x85",
         "a\\u{2028}b\\u{2029}\\u{85}"},
        {"\xf3\xa0\x81\x81\xe3\x85\xa4", "\\u{e0041}\\u{3164}"}, /* a tag, and a letter that is a blank */
        {"λ=0.1 café 中文 → ❤️ 😀 שלום", "λ=0.1 café 中文 → ❤️ 😀 שלום"},
    };
    check(pl_escape_terminal, pairs, COUNT(pairs));
    static const struct pair lines[] = {{"a\n\tb\r\x1b[2J\n", "a\n\tb\\r\\x1b[2J\n"},
                                        {"\xe2\x80\xae\n", "\\u{202e}\n"}};
    check(pl_escape_lines, lines, COUNT(lines));
}

/* What is shown has a width: no character of the result takes none or turns the columns. */
static void what_is_shown_has_a_width(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t width;
    } cases[] = {{"\x1b[1m", 7},         {"a\xe2\x80\x8b", 9}, {"\xff", 4},
                 {"中\xe2\x80\xae", 10}, {"❤️", 1},        {"e\xcc\x81", 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_text out = {0};
        pl_escape_terminal(&out, cases[i].text);
        assert_int_equal(pl_text_width(pl_text(&out)), cases[i].width);
        pl_text_release(&out);
    }
}

static void data_keeps_its_bytes(void **state)
{
    (void)state;
    static const struct pair csv[] = {{"", ""},
                                      {"a b", "a b"},
                                      {"a,b", "\"a,b\""},
                                      {"q\"q", "\"q\"\"q\""},
                                      {"a\nb", "\"a\nb\""},
                                      {"\x1b[31m\xff", "\x1b[31m\xff"}};
    static const struct pair json[] = {{"", "\"\""},
                                       {"a\"b\\c", "\"a\\\"b\\\\c\""},
                                       {"\x1b\n", "\"\\u001b\\n\""},
                                       {"x\xffy", "\"x\xEF\xBF\xBDy\""},
                                       {"中", "\"中\""},
                                       {"\xe4\xb8", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""}};
    check(pl_escape_csv, csv, COUNT(csv));
    check(pl_escape_json, json, COUNT(json));
}

static void html_shows_the_text(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"<script>alert('x')</script>", "&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;"},
        {"\" onload=\"x", "&#34; onload=&#34;x"},
        {"&lt; R&D", "&#38;lt; R&#38;D"},
        {"a\nb\tc\x1b\xff", "a\\nb\\tc\\x1b\\xff"},
        {"adam\xe2\x80\xae"
         "1e-3",
         "adam\\u{202e}1e-3"},
        {"λ 中文 café 😀 {{x}}", "λ 中文 café 😀 {{x}}"},
    };
    check(pl_escape_html, pairs, COUNT(pairs));
    static const struct pair lines[] = {{"a\n\t<b>\r\n", "a\n\t&#60;b&#62;\\r\n"}, {"\xe2\x80\xa8", "\\u{2028}"}};
    check(pl_escape_html_lines, lines, COUNT(lines));
}

/* B5 */
static void markdown_shows_the_text(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"a_b|c*d`e", "a\\_b\\|c\\*d\\`e"},
        {"[x](y) <b> #1 $5 ~~z~~", "\\[x\\](y) \\<b\\> \\#1 \\$5 \\~\\~z\\~\\~"},
        {"&amp; R & D &#9;", "\\&amp; R & D \\&\\#9;"},
        {"back\\", "back\\\\"},
        {"a\nb", "a<br>b"},
        {" x ", "&nbsp;x&nbsp;"},
        {"a  b", "a &nbsp;b"},
        {"- a", "\\- a"},
        {"--dash", "\\--dash"},
        {"-1e-3", "-1e-3"},
        {"-", "-"},
        {"+ a", "\\+ a"},
        {"1. a", "1\\. a"},
        {"1.5", "1.5"},
        {"2)", "2\\)"},
        {"\x1b[1m\xe2\x80\xae", "\\\\x1b\\[1m\\\\u{202e}"},
        {"λ 中文 café", "λ 中文 café"},
    };
    check(pl_escape_markdown, pairs, COUNT(pairs));
}

/* B5: every rule was tried with pdfLaTeX. */
static void latex_compiles_and_shows_the_text(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"% # & ~ ^", "\\% \\# \\& \\textasciitilde{} \\textasciicircum{}"},
        {"\\_{}|$<>", "\\textbackslash{}\\_\\{\\}\\textbar{}\\$\\textless{}\\textgreater{}"},
        {"\"`'", "{''}\\`{}'"},
        {"[x]", "{[}x{]}"},
        {"*a*", "{*}a{*}"}, /* would be taken by the \\ of the row before */
        {"--dash---", "-{}-dash-{}-{}-"},
        {"a-b", "a-b"},
        {"''x", "'{}'x"},
        {",,", ",{},"},
        {"?`x!`", "?\\`{}x!\\`{}"},
        {" x ", "\\mbox{ }x\\mbox{ }"},
        {"a  b", "a \\mbox{ }b"},
        {"a\nb\tc", "a\\textbackslash{}nb\\textbackslash{}tc"},
        {"\x1b[\xff\xe2\x80\xae", "\\textbackslash{}x1b{[}\\textbackslash{}xff\\textbackslash{}u\\{202e\\}"},
        {"λ=Ωο", "\\ensuremath{\\lambda}=\\ensuremath{\\Omega}\\ensuremath{o}"},
        {"1±2≤∞→", "1\\ensuremath{\\pm}2\\ensuremath{\\leq}\\ensuremath{\\infty}\\ensuremath{\\rightarrow}"},
        {"café Łódź ÿ “ß”", "café Łódź ÿ “ß”"},
        {"a中文b😀", "a\\poulachar{中文}{U+4E2D U+6587}b\\poulachar{😀}{U+1F600}"},
        {"ð ą ά", "\\poulachar{ð}{U+00F0} \\poulachar{ą}{U+0105} \\poulachar{ά}{U+03AC}"},
    };
    check(pl_escape_latex, pairs, COUNT(pairs));
    assert_false(pl_latex_has_characters("\\textbackslash{}poulachar\\{x\\}"));
    assert_true(pl_latex_has_characters("a\\poulachar{中}{U+4E2D}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_obeys_nothing), cmocka_unit_test(what_is_shown_has_a_width),
        cmocka_unit_test(data_keeps_its_bytes),     cmocka_unit_test(html_shows_the_text),
        cmocka_unit_test(markdown_shows_the_text),  cmocka_unit_test(latex_compiles_and_shows_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
