/* The optimizer of a golden file and its settings, from names and hyperparameters as others write them. */
#include "golden_optim_priv.h"

#include "optim/optim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number, or one of the strings "inf", "-inf", "nan". */
bool golden_number(const json_t *json, double *value)
{
    const char *word = json_string_value(json);
    if (json_is_number(json))
        *value = json_number_value(json);
    else if (word && !strcmp(word, "nan"))
        *value = NAN;
    else if (!word || !pl_number_read(word, value))
        return false;
    return true;
}

int golden_malformed(struct pl_error *err, const char *what)
{
    return pl_fail(err, PL_ECORRUPT, "%s is missing or not what the format says", what);
}

/* The optimizer's setting (or a common one) that key names. */
static const struct pl_setting *find_setting(const struct pl_optimizer_info *info, const char *key)
{
    size_t count;
    const struct pl_setting *common = pl_optim_common_settings(&count);
    const struct pl_setting *own = pl_setting_find(info->settings, info->setting_count, key);
    return own ? own : pl_setting_find(common, count, key);
}

/* What null stands for: nothing given where that is possible, else what is beyond every number, or none. Returns false
 * for what keeps its default. */
static bool read_null(const struct pl_setting *setting, struct pl_value *value)
{
    static const char *const words[] = {".inf", "0"};
    for (size_t i = 0; *setting->initial && i < sizeof words / sizeof *words; i++)
        if (!pl_setting_read(setting, words[i], value, NULL))
            return true;
    return false;
}

static int set_hyperparameter(struct pl_settings *settings, const struct pl_optimizer_info *info, const char *key,
                              const json_t *json, struct pl_error *err)
{
    struct pl_value value = {PL_BOOLEAN, {.boolean = json_is_true(json)}};
    const struct pl_setting *setting = find_setting(info, key);
    bool off = json_is_false(json) || json_is_null(json) || (json_is_number(json) && json_number_value(json) == 0);
    if (!setting && (off || (json_is_true(json) && !strcmp(key, info->name))))
        return 0; /* an option that this optimizer has not, switched off, or its own name as an option */
    if (!setting)
        return pl_fail(err, PL_EINPUT, "%s has no setting for the hyperparameter %s", info->name, key);
    if (json_is_null(json) && !read_null(setting, &value))
        return 0;
    if (json_is_string(json) && setting->type == PL_STRING) {
        value = (struct pl_value){PL_STRING, {.string = json_string_value(json)}};
    } else if (json_is_number(json) || json_is_string(json)) {
        value.type = PL_REAL;
        if (!golden_number(json, &value.real))
            return pl_fail(err, PL_ECORRUPT, "the hyperparameter %s is not a number", key);
    } else if (json_is_boolean(json) && setting->type == PL_STRING) {
        value = (struct pl_value){PL_STRING, {.string = json_is_true(json) ? "on" : "off"}};
    }
    int status = pl_setting_check(setting, &value, err);
    if (!status)
        pl_settings_set(settings, setting->key, value);
    return status;
}

/* betas: [a, b] are beta1 and beta2; eps: [a, b], whose name ends in s by itself, eps1 and eps2. */
static int set_list(struct pl_settings *settings, const struct pl_optimizer_info *info, const char *key,
                    const json_t *list, struct pl_error *err)
{
    size_t i;
    const json_t *value;
    json_array_foreach(list, i, value)
    {
        char name[64];
        int length = (int)strlen(key);
        snprintf(name, sizeof name, "%.50s%u", key, (unsigned)i + 1);
        if (!find_setting(info, name) && length > 1)
            snprintf(name, sizeof name, "%.*s%u", length - 1 < 50 ? length - 1 : 50, key, (unsigned)i + 1);
        int status = set_hyperparameter(settings, info, name, value, err);
        if (status)
            return status;
    }
    return 0;
}

static int read_hyperparameters(struct pl_settings *settings, const json_t *root, const struct pl_optimizer_info *info,
                                struct pl_error *err)
{
    json_t *values = json_object_get(root, "hyperparameters"), *value;
    if (!json_is_object(values))
        return golden_malformed(err, "hyperparameters");
    const char *key;
    json_object_foreach(values, key, value)
    {
        int status = json_is_array(value) ? set_list(settings, info, key, value, err)
                                          : set_hyperparameter(settings, info, key, value, err);
        if (status)
            return status;
    }
    return 0;
}

/* "official" and "paper" tell files apart also where the optimizer has one form only, or others beside it. */
static int set_variant(struct pl_settings *settings, const struct pl_optimizer_info *info, const char *variant,
                       struct pl_error *err)
{
    const struct pl_setting *setting = find_setting(info, "variant");
    if (!setting || (!pl_has_word(setting->range, variant) && pl_has_word("official paper", variant)))
        return 0;
    struct pl_value value = {PL_STRING, {.string = variant}};
    int status = pl_setting_check(setting, &value, err);
    if (!status)
        pl_settings_set(settings, setting->key, value);
    return status;
}

int golden_optimizer(const json_t *root, const char **optimizer, struct pl_settings *settings, struct pl_error *err)
{
    static const char suffix[] = "_noboost"; /* epsilon = inf by another name */
    const char *name = json_string_value(json_object_get(root, "optimizer"));
    const char *variant = json_string_value(json_object_get(root, "variant"));
    if (!name)
        return golden_malformed(err, "optimizer");
    size_t length = strlen(name);
    bool unboosted = length >= sizeof suffix && !strcmp(name + length + 1 - sizeof suffix, suffix);
    char *plain = pl_copy_bytes(name, unboosted ? length + 1 - sizeof suffix : length);
    const bool decoupled = !strcmp(plain, "sgdw"); /* sgd with decouple by another name */
    const struct pl_optimizer_info *info = pl_optim_find(decoupled ? "sgd" : plain);
    free(plain);
    if (!info)
        return pl_fail(err, PL_EINPUT, "there is no optimizer '%.100s'", name);
    *optimizer = info->name;
    pl_settings_set_string(settings, "optimizer", info->name);
    if (unboosted)
        pl_settings_set_real(settings, "epsilon", INFINITY);
    if (decoupled)
        pl_settings_set_boolean(settings, "decouple", true);
    int status = variant ? set_variant(settings, info, variant, err) : 0;
    return status ? status : read_hyperparameters(settings, root, info, err);
}
