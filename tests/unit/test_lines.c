/* What is read from the lines of programs: every style of tests/lines/styles (L1 to L8, U1), from bytes to recorded
 * values, and single lines of many more programs in tests/lines/relatives.txt. After a deliberate change,
 * `unit-lines FOLDER --print` writes what the two files of expectations should hold, to be read by a person. */
#include "recorder.h"
#include "train/command/command_priv.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static const char *lines_folder;

static void add_value(struct pl_text *out, double value)
{
    if (isnan(value)) /* of either sign */
        pl_text_add(out, "nan");
    else
        pl_text_add_number(out, value);
}

/* ---- whole outputs ---- */

static bool skips(void *self)
{
    (void)self;
    return false;
}

/* Feeds bytes as a program's standard output would be fed, line by line. */
static void read_output(const char *bytes, size_t length, struct recorder *r, struct pl_reading *reading)
{
    const char *end = bytes + length;
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = newline ? newline : end;
        pl_reading_line(reading, PL_FROM_OUTPUT, bytes, (size_t)(stop - bytes), true);
        bytes = newline ? newline + 1 : end;
    }
    pl_reading_end(reading);
    (void)r;
}

/* "epoch 1: loss=0.9 acc=0.4", a line for each position in the order of recording. */
static void describe(const struct recorder *r, const struct pl_reading *reading, struct pl_text *out)
{
    const struct recorded *before = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const struct recorded *point = &r->points[i];
        bool same = before && before->epoch == point->epoch && r->axes[before->series] == r->axes[point->series];
        if (!same) {
            pl_text_addf(out, "%s%s ", before ? "\n" : "", r->axes[point->series] == PL_BY_STEP ? "step" : "epoch");
            add_value(out, point->epoch);
            pl_text_add(out, ":");
        }
        pl_text_addf(out, " %s=", r->metrics[point->series]);
        add_value(out, point->value);
        before = point;
    }
    pl_text_add(out, r->count ? "\n" : "");
    if (reading->unread)
        pl_text_addf(out, "unread %lld: %s\n", (long long)reading->unread, reading->unread_example);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void describe_styles(struct pl_text *out)
{
    struct dirent **entries;
    struct pl_text path = {0}, bytes = {0};
    pl_text_addf(&path, "%s/styles", lines_folder);
    int count = scandir(pl_text(&path), &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char *dot = strstr(entries[i]->d_name, ".txt");
        if (dot) {
            struct recorder r;
            struct pl_sink sink = recorder_sink(&r);
            struct pl_reading reading = {.sink = &sink};
            sink.stop = skips;
            pl_text_clear(&path);
            pl_text_addf(&path, "%s/styles/%s", lines_folder, entries[i]->d_name);
            assert_int_equal(pl_file_read(pl_text(&path), 1 << 20, &bytes, NULL), 0);
            pl_text_addf(out, "== %.*s\n", (int)(dot - entries[i]->d_name), entries[i]->d_name);
            read_output(pl_text(&bytes), bytes.length, &r, &reading);
            describe(&r, &reading, out);
            pl_reading_release(&reading);
            recorder_release(&r);
        }
        free(entries[i]);
    }
    free(entries);
    pl_text_release(&path);
    pl_text_release(&bytes);
}

/* ---- single lines ---- */

static void describe_line(const char *text, struct pl_text *out)
{
    struct pl_line_table table = {0};
    struct pl_lines lines = {0};
    char *clean = pl_line_clean(text, strlen(text));
    pl_line_read(clean, &table, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        const struct pl_line *line = &lines.list[i];
        pl_text_add(out, i ? " |" : "");
        if (!isnan(line->epoch)) {
            pl_text_add(out, " epoch ");
            add_value(out, line->epoch);
        }
        if (!isnan(line->step)) {
            pl_text_add(out, " step ");
            add_value(out, line->step);
        }
        for (size_t k = 0; k < line->count; k++) {
            pl_text_addf(out, " %s=", line->pairs[k].name);
            add_value(out, line->pairs[k].value);
        }
    }
    pl_text_add(out, lines.odd ? " unread" : "");
    pl_lines_release(&lines);
    pl_line_table_release(&table);
    free(clean);
}

/* Repeats the file with what is read today behind every "\t=>". */
static void describe_relatives(const char *file, struct pl_text *out)
{
    while (*file) {
        size_t length = strcspn(file, "\n");
        char *line = pl_copy_bytes(file, length), *arrow = strstr(line, "\t=>");
        if (arrow && *line != '#') {
            *arrow = '\0';
            pl_text_addf(out, "%s\t=>", line);
            describe_line(line, out);
        } else {
            pl_text_add(out, line);
        }
        pl_text_add_char(out, '\n');
        free(line);
        file += length + (file[length] == '\n');
    }
}

static void read_expected(const char *name, struct pl_text *out)
{
    char path[500];
    struct pl_error err;
    snprintf(path, sizeof path, "%s/%s", lines_folder, name);
    if (pl_file_read(path, 1 << 20, out, &err))
        fail_msg("%s", err.text);
}

/* Says which lines differ, and fails. */
static void compare(const char *got, const char *expected)
{
    char section[200] = "";
    int differ = 0;
    while (*got || *expected) {
        size_t g = strcspn(got, "\n"), e = strcspn(expected, "\n");
        if (*expected == '=')
            snprintf(section, sizeof section, "%.*s: ", (int)e, expected);
        if (g != e || memcmp(got, expected, g)) {
            print_error("%sexpected \"%.*s\"\n%sgot      \"%.*s\"\n", section, (int)e, expected, section, (int)g, got);
            differ++;
        }
        got += g + (got[g] == '\n');
        expected += e + (expected[e] == '\n');
    }
    assert_int_equal(differ, 0);
}

static void styles_of_programs(void **state) /* L3 L5 L6 L7 U1 */
{
    (void)state;
    struct pl_text got = {0}, expected = {0};
    describe_styles(&got);
    read_expected("styles.expected", &expected);
    assert_true(expected.length > 1000);
    compare(pl_text(&got), pl_text(&expected));
    pl_text_release(&got);
    pl_text_release(&expected);
}

static void relatives_of_those_lines(void **state) /* L1 L3 L6 L7 U1 */
{
    (void)state;
    struct pl_text got = {0}, expected = {0};
    read_expected("relatives.txt", &expected);
    assert_true(expected.length > 1000);
    describe_relatives(pl_text(&expected), &got);
    compare(pl_text(&got), pl_text(&expected));
    pl_text_release(&got);
    pl_text_release(&expected);
}

/* Whatever the bytes, reading ends, and a cut text gives no number that the whole did not have. */
static void cut_lines_have_no_other_numbers(void **state) /* L8 */
{
    (void)state;
    struct pl_text file = {0};
    read_expected("relatives.txt", &file);
    for (const char *line = pl_text(&file); *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        for (size_t n = 0; n <= length; n++) {
            struct recorder r;
            struct pl_sink sink = recorder_sink(&r);
            struct pl_reading reading = {.sink = &sink};
            pl_reading_line(&reading, PL_FROM_OUTPUT, line, n, false);
            assert_int_equal(r.count, 0);
            pl_reading_line(&reading, PL_FROM_OUTPUT, line, n, true);
            pl_reading_release(&reading);
            recorder_release(&r);
        }
    }
    pl_text_release(&file);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: unit-lines FOLDER [--print]\n");
        return 2;
    }
    lines_folder = argv[1];
    if (argc > 2) {
        struct pl_text text = {0}, file = {0};
        describe_styles(&text);
        pl_text_add(&text, "\n\n");
        read_expected("relatives.txt", &file);
        describe_relatives(pl_text(&file), &text);
        fputs(pl_text(&text), stdout);
        pl_text_release(&text);
        pl_text_release(&file);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(styles_of_programs),
        cmocka_unit_test(relatives_of_those_lines),
        cmocka_unit_test(cut_lines_have_no_other_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
