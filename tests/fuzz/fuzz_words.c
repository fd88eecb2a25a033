/* Words of the command line and of specs: numbers, settings, select texts, conditions, expressions. The first byte says
 * which; the rest is the text. */
#include "fuzz.h"
#include "report/report.h"
#include "base/expression.h"
#include "optim/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void read_numbers(const char *text)
{
    double value;
    int64_t whole;
    char spelling[PL_NUMBER_SIZE];
    if (pl_number_read(text, &value)) {
        double again;
        MUST(!isnan(value));
        pl_number_write(value, spelling);
        MUST(isinf(value) || (pl_number_read(spelling, &again) && again == value));
    }
    pl_count_read(text, &whole);
    if (pl_integer_read(text, &whole)) {
        struct pl_text out = {0};
        int64_t again;
        pl_text_addf(&out, "%lld", (long long)whole);
        MUST(pl_integer_read(pl_text(&out), &again) && again == whole);
        pl_text_release(&out);
    }
}

static void read_settings(const char *text)
{
    static const struct pl_setting kinds[] = {{.key = "a", .type = PL_REAL, .range = "(0,inf]"},
                                              {.key = "b", .type = PL_INTEGER, .range = "[1,100]"},
                                              {.key = "c", .type = PL_BOOLEAN},
                                              {.key = "d", .type = PL_STRING},
                                              {.key = "e", .type = PL_STRING, .range = "one two"},
                                              {.key = "f", .type = PL_REAL, .list = true},
                                              {.key = "g", .type = PL_INTEGER, .range = "[0,10]", .list = true},
                                              {.key = "h", .type = PL_STRING, .list = true}};
    struct pl_settings settings = {0}, again = {0};
    struct pl_text out = {0}, copy = {0};
    struct pl_error err = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct pl_value value;
        err = (struct pl_error){0};
        int status = pl_setting_read(&kinds[i], text, &value, &err);
        fuzz_must_say(status, &err);
        if (!status)
            pl_settings_set(&settings, kinds[i].key, value);
    }
    size_t bad;
    pl_settings_write(&settings, &out);
    if (pl_utf8_valid(text, strlen(text), &bad)) {
        MUST(!pl_settings_read(&again, pl_text(&out), &err));
        pl_settings_write(&again, &copy);
        MUST(!strcmp(pl_text(&out), pl_text(&copy)));
    }
    pl_settings_release(&settings);
    pl_settings_release(&again);
    pl_text_release(&out);
    pl_text_release(&copy);
}

/* Canonical text, as databases and caches bring it: what was read is written so that it reads back to itself. */
static void read_canonical(const char *text)
{
    struct pl_settings settings = {0}, again = {0};
    struct pl_text out = {0}, copy = {0};
    struct pl_error err = {0};
    int status = pl_settings_read(&settings, text, &err);
    fuzz_must_say(status, &err);
    if (!status) {
        pl_settings_write(&settings, &out);
        MUST(!pl_settings_read(&again, pl_text(&out), &err));
        pl_settings_write(&again, &copy);
        MUST(!strcmp(pl_text(&out), pl_text(&copy)));
        for (size_t i = 1; i < settings.count; i++)
            MUST(strcmp(settings.entries[i - 1].key, settings.entries[i].key) < 0);
    }
    pl_settings_release(&settings);
    pl_settings_release(&again);
    pl_text_release(&out);
    pl_text_release(&copy);
}

static void read_where(const char *text)
{
    struct pl_condition *list = NULL;
    size_t count = 0;
    enum pl_select select;
    const char *metric = NULL;
    if (pl_where_read(text, &list, &count)) {
        MUST(count == 1 && list[0].key && *list[0].key);
        pl_where_read(text, &list, &count);
        for (size_t k = 0; k < list[0].count; k++)
            MUST(pl_condition_admits(&list[0], &list[0].values[k]) != list[0].negated);
        MUST(!pl_condition_admits(&list[0], NULL));
    }
    pl_where_free(list, count);
    if (pl_select_read(text, &select, &metric))
        MUST(metric >= text && metric < text + strlen(text) + 1 && *metric);
}

static double *variable(void *self, const char *name)
{
    double *value = self;
    *value = (double)strlen(name) / 2;
    return value;
}

/* What is a formula is written so that it reads back to itself; what is none has a fault inside the text. */
static void read_formula(enum pl_formula_kind kind, const char *text)
{
    struct pl_text once = {0}, twice = {0}, why = {0};
    size_t at = 0;
    if (pl_formula_write(kind, text, &once, &at, &why)) {
        if (once.length < 1000) {
            MUST(pl_formula_write(kind, pl_text(&once), &twice, &at, &why));
            MUST(!strcmp(pl_text(&once), pl_text(&twice)));
        }
    } else {
        MUST(why.length && at <= strlen(text));
    }
    pl_text_release(&once);
    pl_text_release(&twice);
    pl_text_release(&why);
}

static void read_expression(const char *text)
{
    read_formula(PL_FORMULA, text);
    read_formula(PL_FORMULAS, text);
    struct pl_text why = {0};
    struct expression_names names;
    double value = 0;
    bool scanned = pl_expression_scan(text, &names, &why);
    MUST(scanned == !why.length);
    pl_text_clear(&why);
    struct expression *expression = pl_expression_new(text, variable, &value, &why);
    MUST((expression != NULL) == !why.length && (scanned || !expression));
    if (expression) {
        double one = pl_expression_value(expression), two = pl_expression_value(expression);
        MUST(one == two || (isnan(one) && isnan(two)));
    }
    pl_expression_free(expression);
    pl_text_release(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(const char *text) = {read_numbers, read_settings, read_canonical, read_where,
                                                        read_expression};
    if (!size)
        return 0;
    char *text = pl_copy_bytes((const char *)data + 1, size - 1);
    readers[*data % (sizeof readers / sizeof *readers)](text);
    free(text);
    return 0;
}
