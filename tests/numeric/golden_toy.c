/* golden-toy DIR...: checks every trajectory of the toy example that the folders hold against lib/problem
 * and lib/optim, in double precision at 1e-10. One line for each file that fails, then a count; exits 1 if
 * any fails or none is found. Data, noise and settings are read from the files (see the README there). */
#include "optim/optim.h"
#include "problem/problem.h"

#include <jansson.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-10;

/* Non-finite numbers are strings in these files. */
static double number(const json_t *value)
{
    if (json_is_string(value))
        return strtod(json_string_value(value), NULL); /* "inf", "-inf", "nan" */
    return json_number_value(value);
}

static bool near(double got, double want, double largest)
{
    if (!isfinite(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= tolerance * fmax(1, largest);
}

/* One hyperparameter; theta0 among them repeats the file's start. */
static int set(struct pl_settings *settings, const struct pl_optimizer_info *info, const char *name,
               const json_t *value, struct pl_error *err)
{
    const struct pl_setting *setting = pl_setting_find(info->settings, info->setting_count, name);
    if (!setting)
        return strcmp(name, "theta0") ? pl_fail(err, PL_EINPUT, "%s has no setting %s", info->name, name) : 0;
    struct pl_value v = {PL_REAL, {.real = number(value)}};
    if (json_is_boolean(value))
        v = (struct pl_value){PL_BOOLEAN, {.boolean = json_boolean_value(value)}};
    int status = pl_setting_check(setting, &v, err);
    if (!status)
        pl_settings_set(settings, setting->key, v);
    return status;
}

static int read_settings(const json_t *file, struct pl_settings *settings, struct pl_error *err)
{
    const char *name = json_string_value(json_object_get(file, "optimizer"));
    const struct pl_optimizer_info *info = name ? pl_optim_find(name) : NULL;
    if (!info)
        return pl_fail(err, PL_EINPUT, "there is no optimizer \"%s\"", name ? name : "");
    pl_settings_set_string(settings, "optimizer", name);
    const char *key;
    json_t *value;
    int status = 0;
    json_object_foreach(json_object_get(file, "hyperparameters"), key, value)
    {
        if (!status && !strcmp(key, "betas")) {
            status = set(settings, info, "beta1", json_array_get(value, 0), err);
            status = status ? status : set(settings, info, "beta2", json_array_get(value, 1), err);
        } else if (!status) {
            status = set(settings, info, key, value, err);
        }
    }
    pl_settings_fill(settings, info->settings, info->setting_count);
    return status;
}

static int follow(const json_t *file, struct pl_optim *optim, struct pl_error *err)
{
    const struct pl_problem *toy = pl_problem_find("theta30");
    const json_t *data = json_object_get(file, "x"), *noise = json_object_get(file, "noise");
    const json_t *trajectory = json_object_get(file, "theta");
    size_t steps = json_array_size(trajectory);
    if (!steps || json_array_size(data) < steps || (json_is_array(noise) && json_array_size(noise) < steps))
        return pl_fail(err, PL_ECORRUPT, "theta, x and noise do not fit together");
    double *arena = pl_arena(3 * PL_TENSOR_ALIGN, sizeof(double));
    double *theta = arena, *gradient = arena + PL_TENSOR_ALIGN, *xi = arena + 2 * PL_TENSOR_ALIGN;
    double largest = 0;
    int status = 0;
    *theta = number(json_object_get(file, "theta0"));
    for (size_t t = 0; t < steps && !status; t++) {
        double x = number(json_array_get(data, t)), want = number(json_array_get(trajectory, t));
        toy->gradient(NULL, theta, &x, 1, gradient);
        *xi = number(json_array_get(noise, t));
        pl_optim_step(optim, theta, gradient, json_is_array(noise) ? xi : NULL);
        if (isfinite(want))
            largest = fmax(largest, fabs(want));
        if (!near(*theta, want, largest))
            status = pl_fail(err, PL_ECORRUPT, "theta after step %zu is %.17g, but should be %.17g", t + 1, *theta,
                             want);
    }
    free(arena);
    return status;
}

static int check_trajectory(const json_t *file, struct pl_error *err)
{
    struct pl_settings settings = {0};
    struct pl_layout layout = {0};
    struct pl_optim *optim = NULL;
    int status = read_settings(file, &settings, err);
    if (!status) {
        pl_layout_add(&layout, (const size_t[]){1}, 1);
        status = pl_optim_new(&optim, &settings, &layout, PL_FLOAT64, pl_random_stream(0, PL_STREAM_NOISE), 1, err);
    }
    if (!status)
        status = follow(file, optim, err);
    pl_optim_free(optim);
    pl_layout_release(&layout);
    pl_settings_release(&settings);
    return status;
}

/* The function itself: rows of U and H are theta, columns are x. */
static int check_function(const json_t *file, struct pl_error *err)
{
    const struct pl_problem *toy = pl_problem_find("theta30");
    const json_t *thetas = json_object_get(file, "theta"), *data = json_object_get(file, "x");
    if (!json_array_size(thetas) || !json_array_size(data))
        return pl_fail(err, PL_ECORRUPT, "there are no points");
    for (size_t i = 0; i < json_array_size(thetas); i++)
        for (size_t k = 0; k < json_array_size(data); k++) {
            double theta = number(json_array_get(thetas, i)), x = number(json_array_get(data, k)), gradient;
            double u = number(json_array_get(json_array_get(json_object_get(file, "U"), i), k));
            double h = number(json_array_get(json_array_get(json_object_get(file, "H"), i), k));
            double sample = toy->sample(NULL, &theta, &x, 1);
            toy->gradient(NULL, &theta, &x, 1, &gradient);
            if (!near(sample, u, fabs(u)) || !near(gradient, h, fabs(h)))
                return pl_fail(err, PL_ECORRUPT,
                               "at theta %g, x %g: U is %.17g and H %.17g, but should be %.17g and "
                               "%.17g",
                               theta, x, sample, gradient, u, h);
        }
    return 0;
}

static bool check_file(const char *path)
{
    struct pl_error err;
    json_error_t problem;
    json_t *file = json_load_file(path, 0, &problem);
    int status = !file                        ? pl_fail(&err, PL_ECORRUPT, "%s", problem.text)
                 : json_object_get(file, "U") ? check_function(file, &err)
                                              : check_trajectory(file, &err);
    json_decref(file);
    if (status)
        printf("%s: %s\n", path, err.text);
    return !status;
}

static int is_json(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && !strcmp(entry->d_name + length - 5, ".json");
}

int main(int argc, char **argv)
{
    size_t files = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **entries;
        int count = scandir(argv[i], &entries, is_json, alphasort);
        if (count < 0) {
            printf("%s: cannot be read\n", argv[i]);
            failed++;
        }
        for (int k = 0; k < count; k++) {
            struct pl_text path = {0};
            pl_text_addf(&path, "%s/%s", argv[i], entries[k]->d_name);
            failed += !check_file(pl_text(&path));
            files++;
            pl_text_release(&path);
            free(entries[k]);
        }
        if (count >= 0)
            free(entries);
    }
    printf("golden-toy: %zu files, %zu failed\n", files, failed);
    return failed || !files;
}
