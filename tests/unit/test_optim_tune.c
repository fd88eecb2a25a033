/* Numbers of an optimizer that change in the course of a run. */
#include "optim_parts.h"

/* Another legal value near it, or NAN. */
static double other_value(const struct pl_setting *setting, double value)
{
    static const double factors[] = {0.5, 0.9, 2};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        struct pl_value v = {PL_REAL, {.real = value * factors[i]}};
        if (value != 0 && !isinf(value) && !pl_setting_check(setting, &v, NULL))
            return v.real;
    }
    return NAN;
}

/* Sets every number to another value, and back. */
static void there_and_back(struct run *run, const struct pl_settings *settings, const struct pl_optimizer_info *info)
{
    for (int back = 0; back < 2; back++)
        for (size_t i = 0; i < info->setting_count; i++) {
            const struct pl_setting *setting = &info->settings[i];
            if (!pl_setting_is_tunable(setting) || !pl_settings_find(settings, setting->key))
                continue;
            double value = pl_settings_need_real(settings, setting->key), other = other_value(setting, value);
            if (!isnan(other))
                pl_optim_tune(run->optim, &(struct pl_tuned){setting->key, back ? value : other}, 1);
        }
}

static void complete(const char *form, struct pl_settings *settings, const struct pl_optimizer_info **info)
{
    read_form(form, settings);
    *info = pl_optim_find(pl_settings_string(settings, "optimizer", ""));
    pl_settings_fill(settings, (*info)->settings, (*info)->setting_count);
}

/* What was changed and changed back leaves no trace: states stay, and nothing else is kept from step to step. */
static void test_there_and_back_is_nothing(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (enum pl_element element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
            struct pl_settings settings = {0};
            const struct pl_optimizer_info *info;
            struct run plain, tuned;
            complete(forms[f], &settings, &info);
            start(&plain, forms[f], element, 1, 1);
            start(&tuned, forms[f], element, 1, 1);
            for (uint64_t step = 1; step <= 12; step++) {
                there_and_back(&tuned, &settings, info);
                train(&plain, step, step, NULL);
                train(&tuned, step, step, NULL);
            }
            assert_same_run(&plain, &tuned, forms[f]);
            finish(&plain);
            finish(&tuned);
            pl_settings_release(&settings);
        }
}

enum { BEFORE = 1, STEPS = 14 };

/* The last theta when the setting is another one from a step on; 0: from the start, by making it so. */
static void run_with(struct run *run, const char *form, const struct pl_setting *setting, double other, uint64_t from)
{
    char words[400];
    snprintf(words, sizeof words, "%s %s=%.17g", form, setting->key, other);
    start(run, from ? form : words, PL_FLOAT64, 1, 1);
    train(run, 1, BEFORE, NULL);
    if (from)
        pl_optim_tune(run->optim, &(struct pl_tuned){setting->key, other}, 1);
    train(run, BEFORE + 1, STEPS, NULL);
}

static bool is_legal(const struct pl_settings *settings, const struct pl_setting *setting, double other)
{
    struct pl_settings changed = {0};
    struct pl_tensor tensor = {0, 1, 1, 1, {1}};
    struct pl_layout layout = {&tensor, 1, PL_TENSOR_ALIGN};
    struct pl_optim *optim = NULL;
    struct pl_error err;
    pl_settings_copy(&changed, settings);
    pl_settings_set_real(&changed, setting->key, other);
    bool legal = !isnan(other) &&
                 !pl_optim_new(&optim, &changed, &layout, PL_FLOAT64, (struct pl_random){{0, 0}}, 1, &err);
    pl_optim_free(optim);
    pl_settings_release(&changed);
    return legal;
}

static bool same_theta(const struct run *a, const struct run *b)
{
    for (size_t t = 0; t < a->layout.count; t++) {
        size_t from = a->layout.tensors[t].offset * a->size, bytes = a->layout.tensors[t].count * a->size;
        if (memcmp((char *)a->theta + from, (char *)b->theta + from, bytes))
            return false;
    }
    return true;
}

/* A number that changes a run from the start on changes it from the middle on as well, or says that it is of the start.
 */
static void test_every_number_counts_at_once(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct pl_settings settings = {0};
        const struct pl_optimizer_info *info;
        struct run plain, whole, late;
        complete(forms[f], &settings, &info);
        start(&plain, forms[f], PL_FLOAT64, 1, 1);
        train(&plain, 1, STEPS, NULL);
        for (size_t i = 0; i < info->setting_count; i++) {
            const struct pl_setting *setting = &info->settings[i];
            if (setting->type != PL_REAL || !strcmp(setting->key, "lambda") ||
                !pl_settings_find(&settings, setting->key))
                continue;
            double other = other_value(setting, pl_settings_need_real(&settings, setting->key));
            if (!is_legal(&settings, setting, other))
                continue;
            run_with(&whole, forms[f], setting, other, 0);
            run_with(&late, forms[f], setting, other, BEFORE);
            if (!same_theta(&plain, &whole) && same_theta(&plain, &late) == pl_setting_is_tunable(setting))
                fail_msg("%s: %s %s", forms[f], setting->key,
                         pl_setting_is_tunable(setting) ? "is of the start" : "is not of the start only");
            checked++;
            finish(&whole);
            finish(&late);
        }
        finish(&plain);
        pl_settings_release(&settings);
    }
    assert_true(checked > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back_is_nothing),
        cmocka_unit_test(test_every_number_counts_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
