/* Courses as settings: those of the learning rate (warmup, anneal, ...), and the same of every tunable number of an
 * optimizer with its name before (beta_warmup, beta_anneal, ...), whose descriptors are made from the former. */
#include "train/train_priv.h"

#include "optim/optim.h"

#include <jansson.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct pl_setting pl_schedule_settings[] = {
    {.key = "decay",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,1]",
     .help = "factor on lambda at every decay (with every, milestones or patience)",
     .idle_when = "every>=epochs or every>=iterations or patience>=epochs or patience>=record"},
    {.key = "every",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "epochs from one decay to the next, 0: none",
     .idle_when = "every>=epochs or every>=iterations"},
    {.key = "milestones",
     .type = PL_INTEGER,
     .initial = "[]",
     .range = "[1,1000000000000]",
     .help = "epochs before which lambda decays",
     .list = true},
    {.key = "anneal",
     .type = PL_STRING,
     .initial = "none",
     .range = "none cosine linear exponential polynomial sqrt onecycle",
     .help = "decline of lambda over the whole run"},
    {.key = "floor",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1]",
     .help = "fraction of lambda that anneal ends at"},
    {.key = "warmup",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "epochs in which lambda first rises to its value",
     .idle_when = "warmup=1 and anneal=none and unit=epoch"},
    {.key = "warmup_from",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1]",
     .help = "fraction of lambda that it rises from",
     .idle_when = "warmup=1 and anneal=none and unit=epoch",
     .late = true},
    {.key = "unit",
     .type = PL_STRING,
     .initial = "epoch",
     .range = "epoch step fraction",
     .help =
         "what lengths are: epochs, each with one lambda; steps; epochs and fractions of them, each step with its own "
         "lambda",
     .idle_when = "problem=*",
     .late = true},
    {.key = "stable",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1)",
     .help = "share of the time after the warm-up in which anneal (cosine, linear, exponential) leaves lambda as it is",
     .late = true},
    {.key = "cycle",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "epochs after which anneal (cosine, linear, exponential) begins anew, 0: never",
     .late = true},
    {.key = "cycle_growth",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[1,1000]",
     .help = "how much longer each cycle is than the one before",
     .late = true},
    {.key = "offset",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,1e300]",
     .help = "b of anneal polynomial, (1 + t/b)^-exponent",
     .late = true},
    {.key = "exponent",
     .type = PL_REAL,
     .initial = "1",
     .range = "[0,1000]",
     .help = "exponent of anneal polynomial",
     .late = true},
};
const size_t pl_schedule_setting_count = sizeof pl_schedule_settings / sizeof *pl_schedule_settings;

/* ---- the same of other numbers */

/* The settings of one number's course. They are made once and kept: descriptors never move. */
struct family {
    const char *key, *range; /* of the number: ranges differ between optimizers */
    struct pl_setting settings[sizeof pl_schedule_settings / sizeof *pl_schedule_settings];
    size_t count;
    struct pl_pool pool;
    struct family *next;
};

static struct family *families;
static pthread_mutex_t families_lock = PTHREAD_MUTEX_INITIALIZER;

/* "beta_warmup". Decays are not called beta_decay: weight_decay and momentum_decay are settings. */
static const char *member_of(const char *key)
{
    return !strcmp(key, "decay") ? "factor" : key;
}

static const char *join(struct pl_pool *pool, const char *first, const char *second)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s_%s", first, second);
    const char *copy = pl_pool_copy(pool, pl_text(&text));
    pl_text_release(&text);
    return copy;
}

/* The text with every "lambda" replaced. */
static const char *rename_in(struct pl_pool *pool, const char *text, const char *key)
{
    struct pl_text renamed = {0};
    for (const char *at; (at = strstr(text, "lambda")); text = at + strlen("lambda"))
        pl_text_addf(&renamed, "%.*s%s", (int)(at - text), text, key);
    pl_text_add(&renamed, text);
    const char *copy = pl_pool_copy(pool, pl_text(&renamed));
    pl_text_release(&renamed);
    return copy;
}

static void add_condition(struct pl_text *idle, const char *key, const char *rest)
{
    pl_text_addf(idle, "%s%s%s", idle->length ? " or " : "", key, rest);
}

/* What scales 0 or infinity changes nothing; nor does a decay that never comes. */
static const char *idle_of(struct pl_pool *pool, const char *member, const struct pl_setting *of)
{
    struct pl_text idle = {0};
    if (of->range && !strncmp(of->range, "[0,", 3))
        add_condition(&idle, of->key, "=0");
    if (of->range && strstr(of->range, "inf]"))
        add_condition(&idle, of->key, "=inf");
    if (!strcmp(member, "factor") || !strcmp(member, "every")) {
        add_condition(&idle, of->key, "_every>=epochs");
        add_condition(&idle, of->key, "_every>=iterations");
    }
    const char *copy = idle.length ? pl_pool_copy(pool, pl_text(&idle)) : NULL;
    pl_text_release(&idle);
    return copy;
}

static void add_member(struct family *f, const struct pl_setting *from, const struct pl_setting *of)
{
    struct pl_setting *to = &f->settings[f->count++];
    const char *member = member_of(from->key);
    struct pl_text aliases = {0};
    size_t length;
    *to = *from;
    for (const char *at = of->aliases; (at = pl_next_word(at, &length)); at += length)
        pl_text_addf(&aliases, "%s%.*s_%s", aliases.length ? " " : "", (int)length, at, member);
    to->key = join(&f->pool, of->key, member);
    to->aliases = aliases.length ? pl_pool_copy(&f->pool, pl_text(&aliases)) : NULL;
    to->help = rename_in(&f->pool, from->help, of->key);
    to->idle_when = idle_of(&f->pool, member, of);
    to->late = !to->list;
    to->sparse = true;
    if (!strcmp(member, "factor"))
        to->range = "(0,1000000]";
    else if (!strcmp(member, "floor") || !strcmp(member, "warmup_from"))
        to->range = "[0,1000000000000]";
    pl_text_release(&aliases);
}

static const struct family *family_of(const struct pl_setting *of)
{
    pthread_mutex_lock(&families_lock);
    struct family *f = families;
    while (f && (strcmp(f->key, of->key) || strcmp(f->range, of->range ? of->range : "")))
        f = f->next;
    if (!f) {
        f = pl_new(sizeof *f);
        f->key = pl_pool_copy(&f->pool, of->key);
        f->range = pl_pool_copy(&f->pool, of->range ? of->range : "");
        for (size_t i = 0; i < pl_schedule_setting_count; i++)
            if (strcmp(pl_schedule_settings[i].key, "unit") != 0) /* all lengths have the same */
                add_member(f, &pl_schedule_settings[i], of);
        f->next = families;
        families = f;
    }
    pthread_mutex_unlock(&families_lock);
    return f;
}

static const struct pl_setting explore_settings[] = {
    {.key = "explore",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1)",
     .help = "share at the beginning of every cycle of lambda in which there is no noise (cSGLD)",
     .idle_when = "beta=inf",
     .late = true},
};

void pl_course_schema(struct pl_schema *schema, const struct pl_optimizer_info *info)
{
    for (size_t i = 0; i < info->setting_count; i++) {
        if (!pl_setting_is_tunable(&info->settings[i]))
            continue;
        const struct family *f = family_of(&info->settings[i]);
        pl_schema_add(schema, PL_SECTION_SCHEDULE, f->settings, f->count);
    }
    if (pl_setting_find(info->settings, info->setting_count, "beta"))
        pl_schema_add(schema, PL_SECTION_SCHEDULE, explore_settings, 1);
}

void pl_course_sources(struct pl_schema_sources *sources)
{
    pl_source_add(sources, "optimizers with a beta", PL_SECTION_SCHEDULE, explore_settings, 1);
    for (size_t o = 0; o < pl_optim_count(); o++) {
        const struct pl_optimizer_info *info = pl_optim_info(o);
        for (size_t i = 0; i < info->setting_count; i++) {
            if (!pl_setting_is_tunable(&info->settings[i]))
                continue;
            const struct family *f = family_of(&info->settings[i]);
            bool known = false;
            for (size_t k = 0; k < sources->count && !known; k++) /* one of each name is enough */
                known = sources->items[k].part.count && !strcmp(sources->items[k].part.settings->key, f->settings->key);
            if (!known)
                pl_source_add(sources, f->key, PL_SECTION_SCHEDULE, f->settings, f->count);
        }
    }
}

/* ---- reading */

struct reading {
    const struct pl_settings *settings;
    const char *key; /* NULL: lambda's own, without a name before */
    struct pl_error *err;
    char name[200]; /* the last that was asked for */
};

static const char *name_of(struct reading *r, const char *member)
{
    if (!r->key)
        return member;
    snprintf(r->name, sizeof r->name, "%s_%s", r->key, member_of(member));
    return r->name;
}

static double real(struct reading *r, const char *member, double fallback)
{
    return pl_settings_real(r->settings, name_of(r, member), fallback);
}

static int64_t whole(struct reading *r, const char *member, int64_t fallback)
{
    return pl_settings_integer(r->settings, name_of(r, member), fallback);
}

/* Fails with "anneal", or "beta_anneal", before the rest of a sentence. */
static int refuse(struct reading *r, const char *member, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int refuse(struct reading *r, const char *member, const char *format, ...)
{
    struct pl_text text = {0};
    va_list args;
    va_start(args, format);
    pl_text_addf(&text, "%s ", name_of(r, member));
    pl_text_addv(&text, format, args);
    va_end(args);
    int status = pl_fail(r->err, PL_EINPUT, "%s", pl_text(&text));
    pl_text_release(&text);
    return status;
}

static int read_milestones(struct reading *r, struct pl_course *course)
{
    const char *text = pl_settings_string(r->settings, name_of(r, "milestones"), "[]");
    json_t *list = json_loads(text, 0, NULL);
    if (!json_is_array(list)) {
        json_decref(list);
        return refuse(r, "milestones", "must be a list of epochs, but is %.100s", text);
    }
    size_t count = json_array_size(list);
    course->milestones = count ? pl_new(count * sizeof *course->milestones) : NULL;
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        int64_t epoch = json_integer_value(json_array_get(list, i));
        if (epoch < 1 || (i && epoch <= course->milestones[i - 1]))
            status = refuse(r, "milestones", "must be rising epochs from 1 on, but are %.100s", text);
        course->milestones[i] = epoch;
    }
    course->milestone_count = count;
    json_decref(list);
    return status;
}

/* patience: -1 where the task has no such setting. */
static int check_decay(struct reading *r, const struct pl_course *c, int64_t patience)
{
    const char *what = r->key ? r->key : "lambda", *decay = r->key ? "factor" : "decay";
    const char *first = c->every ? "every" : c->milestone_count ? "milestones" : "patience";
    const char *second = patience > 0 ? "patience" : "milestones", *before = r->key ? "_" : "";
    int when = (c->every > 0) + (c->milestone_count > 0) + (patience > 0);
    if (when > 1)
        return refuse(r, first, "and %s%s%s both say when %s decays; give one of them", r->key ? r->key : "", before,
                      second, what);
    if (when && c->decay == 1)
        return refuse(r, first, "says when %s decays, but %s%s%s is 1; give %s%s%s", what, r->key ? r->key : "", before,
                      decay, r->key ? r->key : "", before, decay);
    if (!when && c->decay != 1)
        return refuse(r, "decay", "is %g, but neither every nor milestones%s says when %s decays", c->decay,
                      patience >= 0 ? " nor patience" : "", what);
    return 0;
}

static int check_cycles(struct reading *r, const struct pl_course *c)
{
    const bool spans = c->anneal >= PL_ANNEAL_COSINE && c->anneal <= PL_ANNEAL_EXPONENTIAL;
    static const char no_span[] = "anneal is neither cosine nor linear nor exponential";
    if (c->stable > 0 && !spans)
        return refuse(r, "stable", "is %g, but %s", c->stable, no_span);
    if (c->cycle > 0 && !spans)
        return refuse(r, "cycle", "is %g, but %s", c->cycle, no_span);
    if (c->cycle > 0 && c->stable > 0)
        return refuse(r, "cycle", "and stable exclude each other: a cycle has no stable part");
    if (c->cycle == 0 && c->growth != 1)
        return refuse(r, "cycle_growth", "is %lld, but cycle is 0, so nothing begins anew", (long long)c->growth);
    return 0;
}

static int check_decline(struct reading *r, const struct pl_course *c)
{
    const char *what = r->key ? r->key : "lambda";
    const bool onecycle = c->anneal == PL_ANNEAL_ONECYCLE;
    if (c->anneal == PL_ANNEAL_NONE && c->floor > 0)
        return refuse(r, "floor", "is %g, but anneal is none, so nothing declines to it", c->floor);
    if (c->floor == 0 && (c->anneal == PL_ANNEAL_EXPONENTIAL || onecycle))
        return refuse(r, "anneal", "%s goes to floor times %s, so floor must be more than 0%s",
                      onecycle ? "onecycle" : "exponential", what, onecycle && !r->key ? " (4e-6 in torch)" : "");
    if ((c->offset != 1 || c->exponent != 1) && c->anneal != PL_ANNEAL_POLYNOMIAL)
        return refuse(r, c->offset != 1 ? "offset" : "exponent", "is %g, but anneal is not polynomial",
                      c->offset != 1 ? c->offset : c->exponent);
    if (c->warmup_from > 0 && c->warmup == 0)
        return refuse(r, "warmup_from", "is %g, but warmup is 0, so nothing rises from it", c->warmup_from);
    if (onecycle && !r->key && (c->warmup == 0 || c->warmup_from == 0))
        return refuse(
            r, "anneal",
            "onecycle rises in the epochs of warmup from warmup_from times lambda, so both must be more than 0 "
            "(0.3 of the run and 0.04 in torch)");
    if (onecycle && r->key && (c->warmup == 0 || c->warmup_from > 0))
        return refuse(r, "anneal",
                      "onecycle goes to floor times %s in the epochs of warmup and comes back, so warmup must be more "
                      "than 0 and nothing rises from warmup_from",
                      what);
    return check_cycles(r, c);
}

static enum pl_anneal anneal_of(const char *word)
{
    static const char *const words[] = {
        [PL_ANNEAL_NONE] = "none",         [PL_ANNEAL_COSINE] = "cosine",
        [PL_ANNEAL_LINEAR] = "linear",     [PL_ANNEAL_EXPONENTIAL] = "exponential",
        [PL_ANNEAL_SQRT] = "sqrt",         [PL_ANNEAL_POLYNOMIAL] = "polynomial",
        [PL_ANNEAL_ONECYCLE] = "onecycle",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i]))
            return (enum pl_anneal)i;
    return PL_ANNEAL_NONE;
}

int pl_course_read(struct pl_course *course, const struct pl_settings *settings, const char *key, struct pl_error *err)
{
    struct reading r = {.settings = settings, .key = key, .err = err};
    int64_t patience = key || !pl_settings_find(settings, "patience") ? -1
                                                                      : pl_settings_integer(settings, "patience", 0);
    *course = (struct pl_course){
        .anneal = anneal_of(pl_settings_string(settings, name_of(&r, "anneal"), "none")),
        .mirrored = key,
        .floor = real(&r, "floor", 0),
        .warmup = real(&r, "warmup", 0),
        .warmup_from = real(&r, "warmup_from", 0),
        .stable = real(&r, "stable", 0),
        .cycle = real(&r, "cycle", 0),
        .offset = real(&r, "offset", 1),
        .exponent = real(&r, "exponent", 1),
        .decay = real(&r, "decay", 1),
        .growth = whole(&r, "cycle_growth", 1),
        .every = whole(&r, "every", 0),
    };
    int status = read_milestones(&r, course);
    if (!status)
        status = check_decline(&r, course);
    return status ? status : check_decay(&r, course, patience);
}

int pl_course_check_lengths(const struct pl_course *c, const char *key, enum pl_unit unit, double total,
                            struct pl_error *err)
{
    struct reading r = {.key = key, .err = err};
    const char *what = unit == PL_UNIT_STEP ? "steps" : "epochs";
    const bool warmup = c->warmup != floor(c->warmup);
    if (unit != PL_UNIT_FRACTION && (warmup || c->cycle != floor(c->cycle)))
        return refuse(&r, warmup ? "warmup" : "cycle",
                      "is %g, but unit %s counts whole %s; with unit fraction epochs have fractions, and each step a "
                      "learning rate of its own",
                      warmup ? c->warmup : c->cycle, unit == PL_UNIT_STEP ? "step" : "epoch", what);
    if (total > 0 && c->warmup > total)
        return refuse(&r, "warmup", "is %.12g, but the run has %.12g %s", c->warmup, total, what);
    return 0;
}

int pl_course_check_values(const struct pl_course *c, const struct pl_setting *setting, double value, double total,
                           struct pl_error *err)
{
    double low = 1, high = 1, decays = (double)c->milestone_count;
    if (c->every && total > 0)
        decays = floor((total - 1) / (double)c->every);
    if (c->anneal != PL_ANNEAL_NONE) { /* only one cycle gets to its floor; the others come near */
        double end = c->floor > 0 || c->anneal == PL_ANNEAL_ONECYCLE ? c->floor : 1e-9;
        low = fmin(low, end);
        high = fmax(high, end);
    }
    if (c->warmup > 0 && !(c->anneal == PL_ANNEAL_ONECYCLE)) {
        double start = c->warmup_from > 0 ? c->warmup_from : 1e-9;
        low = fmin(low, start);
        high = fmax(high, start);
    }
    double last = pow(c->decay, decays);
    const double extremes[] = {value * low * fmin(1, last), value * high * fmax(1, last)};
    for (int i = 0; i < 2; i++) {
        struct pl_value v = {PL_REAL, {.real = extremes[i]}};
        struct pl_error why;
        if (pl_setting_check(setting, &v, &why))
            return pl_fail(err, PL_EINPUT, "the schedule takes %s too far: %s", setting->key, why.text);
    }
    return 0;
}
