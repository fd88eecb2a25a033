/* golden-statistics FILE...: checks lib/statistics against reference values: tuning curves and bands to 1e-9 (of a band
 * that its package finds by simulation, each end must lie between those of the exact bands at levels 0.01 lower and
 * higher), tests to 1e-10, profiles to 1e-12. One line for each value that differs, then a count; exits with 1 if any
 * does or nothing was checked. */
#include "statistics/statistics.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long checked, wrong;
static char where[300];

/* Non-finite numbers are strings in these files. */
static double number(const json_t *value)
{
    return json_is_string(value) ? strtod(json_string_value(value), NULL) : json_number_value(value);
}

static bool near(double got, double want, double tolerance)
{
    if (!isfinite(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

static void check(const char *what, double got, double want, double tolerance)
{
    checked++;
    if (near(got, want, tolerance))
        return;
    wrong++;
    printf("%s: %s is %.17g, not %.17g\n", where, what, got, want);
}

static double *numbers(const json_t *list, size_t *count)
{
    *count = json_array_size(list);
    double *values = pl_new((*count + 1) * sizeof *values);
    for (size_t i = 0; i < *count; i++)
        values[i] = number(json_array_get(list, i));
    return values;
}

/* ---- tuning ---- */

static void check_between(const char *what, double end, double a, double b)
{
    double slack = 1e-9 * fmax(1, fabs(end));
    checked++;
    if (end >= fmin(a, b) - slack && end <= fmax(a, b) + slack)
        return;
    wrong++;
    printf("%s: %s is %.17g, not between %.17g and %.17g\n", where, what, end, a, b);
}

static void check_band(const json_t *sample, const struct pl_tuning *tuning, const char *name, enum pl_band_kind kind)
{
    const json_t *band = json_object_get(sample, name), *ns = json_object_get(sample, "ns");
    double confidence = number(json_object_get(sample, "confidence"));
    double support[2] = {number(json_array_get(json_object_get(sample, "support"), 0)),
                         number(json_array_get(json_object_get(sample, "support"), 1))};
    bool simulated = kind == PL_BAND_LD;
    struct pl_band bands[2];
    struct pl_error err;
    if (!band)
        return;
    for (int i = 0; i < 2; i++)
        if (pl_band_make(&bands[i], kind, tuning->n, confidence + (simulated ? i ? 0.01 : -0.01 : 0), &err)) {
            printf("%s: %s: %s\n", where, name, err.text);
            wrong++;
            return;
        }
    for (size_t i = 0; i < json_array_size(ns); i++) {
        double low[2], high[2], k = number(json_array_get(ns, i));
        char what[80];
        for (int b = 0; b < 2; b++)
            pl_tuning_ends(tuning, &bands[b], k, support, &low[b], &high[b]);
        double its_low = number(json_array_get(json_object_get(band, "low"), i));
        double its_high = number(json_array_get(json_object_get(band, "high"), i));
        snprintf(what, sizeof what, "%s low at %g", name, k);
        if (simulated)
            check_between(what, its_low, low[0], low[1]);
        else
            check(what, low[0], its_low, 1e-9);
        snprintf(what, sizeof what, "%s high at %g", name, k);
        if (simulated)
            check_between(what, its_high, high[0], high[1]);
        else
            check(what, high[0], its_high, 1e-9);
    }
    for (int i = 0; i < 2; i++)
        pl_band_release(&bands[i]);
}

/* Where (1/2)^(1/k) is a whole number of n-ths, everything from one score to the next is a median, and rounding decides
 * which of the two a program names. */
static void check_median(const struct pl_tuning *tuning, double k, double want)
{
    char what[60];
    snprintf(what, sizeof what, "median at %g", k);
    double one = pl_tuning_median(tuning, k * (1 - 1e-12)), other = pl_tuning_median(tuning, k * (1 + 1e-12));
    check(what, near(other, want, 1e-9) ? other : one, want, 1e-9);
}

static void check_tuning(const json_t *sample)
{
    size_t n;
    double *ys = numbers(json_object_get(sample, "ys"), &n);
    struct pl_tuning tuning;
    pl_tuning_init(&tuning, ys, n, json_is_true(json_object_get(sample, "minimize")));
    const json_t *ns = json_object_get(sample, "ns");
    for (size_t i = 0; i < json_array_size(ns); i++) {
        double k = number(json_array_get(ns, i));
        const struct {
            const char *name;
            double got;
        } all[] = {{"average", pl_tuning_mean_v(&tuning, k)},
                   {"v", pl_tuning_mean_v(&tuning, k)},
                   {"u", pl_tuning_mean_u(&tuning, (int64_t)k)}};
        if (json_object_get(sample, "median"))
            check_median(&tuning, k, number(json_array_get(json_object_get(sample, "median"), i)));
        for (size_t j = 0; j < sizeof all / sizeof *all; j++) {
            const json_t *list = json_object_get(sample, all[j].name);
            char what[60];
            snprintf(what, sizeof what, "%s at %g", all[j].name, k);
            if (list)
                check(what, all[j].got, number(json_array_get(list, i)), 1e-9);
        }
    }
    check_band(sample, &tuning, "dkw", PL_BAND_DKW);
    check_band(sample, &tuning, "ks", PL_BAND_KS);
    check_band(sample, &tuning, "ld_equal_tailed", PL_BAND_LD);
    pl_tuning_release(&tuning);
    free(ys);
}

/* ---- tests ---- */

static double *table(const json_t *rows, size_t *tasks, size_t *methods)
{
    *tasks = json_array_size(rows);
    *methods = json_array_size(json_array_get(rows, 0));
    double *values = pl_new((*tasks * *methods + 1) * sizeof *values);
    for (size_t t = 0; t < *tasks; t++)
        for (size_t m = 0; m < *methods; m++)
            values[t * *methods + m] = number(json_array_get(json_array_get(rows, t), m));
    return values;
}

static void check_pairs(const json_t *pairs, const double *values, size_t tasks, size_t methods)
{
    double *a = pl_new(tasks * sizeof *a), *b = pl_new(tasks * sizeof *b),
           *holm = pl_new(methods * methods * sizeof *holm);
    struct pl_test test;
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t at = 0;
        for (size_t i = 0; i < methods; i++)
            for (size_t j = i + 1; j < methods; j++, at++) {
                char key[48];
                snprintf(key, sizeof key, "%zu-%zu", i, j);
                const json_t *pair = json_object_get(pairs, key);
                for (size_t t = 0; t < tasks; t++) {
                    a[t] = values[t * methods + i];
                    b[t] = values[t * methods + j];
                }
                pl_test_wilcoxon(a, b, tasks, &test);
                if (pass) {
                    check("wilcoxon_holm", holm[at], number(json_object_get(pair, "wilcoxon_holm")), 1e-10);
                    continue;
                }
                holm[count++] = test.p;
                check("wilcoxon", test.p, number(json_object_get(pair, "wilcoxon")), 1e-10);
                pl_test_paired(a, b, tasks, &test);
                check("paired_t", test.p, number(json_object_get(pair, "paired_t")), 1e-10);
                pl_test_welch(a, tasks, b, tasks, &test);
                check("welch", test.p, number(json_object_get(pair, "welch")), 1e-10);
            }
        if (!pass)
            pl_adjust_holm(holm, count);
    }
    free(a);
    free(b);
    free(holm);
}

static void check_tests(const json_t *entry)
{
    size_t tasks, methods;
    double statistic, p;
    double *values = table(json_object_get(entry, "values"), &tasks, &methods);
    double *ranks = pl_new((tasks * methods + 1) * sizeof *ranks), *mean = pl_new((methods + 1) * sizeof *mean);
    bool higher = !json_is_false(json_object_get(entry, "higher_is_better"));
    pl_ranks(values, tasks, methods, higher, ranks);
    pl_mean_ranks(ranks, tasks, methods, mean);
    for (size_t i = 0; i < methods; i++)
        check("mean rank", mean[i], number(json_array_get(json_object_get(entry, "mean_rank"), i)), 1e-10);
    /* For two methods the package has no such test, and the file zeros. */
    if (methods > 2) {
        pl_test_friedman(ranks, tasks, methods, &statistic, &p);
        check("friedman", statistic, number(json_object_get(json_object_get(entry, "friedman"), "statistic")), 1e-10);
        check("friedman p", p, number(json_object_get(json_object_get(entry, "friedman"), "p")), 1e-10);
        check("nemenyi_cd", pl_nemenyi(tasks, methods, 0.05), number(json_object_get(entry, "nemenyi_cd")), 1e-10);
    }
    check_pairs(json_object_get(entry, "pairs"), values, tasks, methods);
    free(values);
    free(ranks);
    free(mean);
}

/* ---- profiles ---- */

static void check_profiles(const json_t *entry)
{
    size_t tasks, methods;
    double *times = table(json_object_get(entry, "times"), &tasks, &methods);
    double most = number(json_object_get(entry, "tau_max"));
    for (size_t m = 0; m < methods; m++) {
        const char *tau;
        json_t *shares;
        check("score", pl_profile_score(times, tasks, methods, m, most),
              number(json_array_get(json_object_get(entry, "score"), m)), 1e-12);
        json_object_foreach(json_object_get(entry, "at"), tau, shares)
            check("share", pl_profile_share(times, tasks, methods, m, strtod(tau, NULL)),
                  number(json_array_get(shares, m)), 1e-12);
    }
    free(times);
}

static void check_list(const json_t *file, const char *path, const char *name, void (*each)(const json_t *entry))
{
    const json_t *list = json_object_get(file, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        snprintf(where, sizeof where, "%s: %s %zu", path, name, i);
        each(json_array_get(list, i));
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        json_error_t error;
        json_t *file = json_load_file(argv[i], 0, &error);
        if (!file) {
            printf("%s: %s\n", argv[i], error.text);
            wrong++;
            continue;
        }
        check_list(file, argv[i], "tuning", check_tuning);
        check_list(file, argv[i], "tests", check_tests);
        check_list(file, argv[i], "profiles", check_profiles);
        json_decref(file);
    }
    printf("%ld values, %ld wrong\n", checked, wrong);
    return wrong || !checked;
}
