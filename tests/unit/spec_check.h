/* What the tests of spec share: loading, refusing, walking. */
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include "spec/spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Everything the walk of the only study gives: one line of canonical settings and seeds a configuration. */
struct walked {
    char **lines;
    size_t count, capacity;
    uint64_t runs;
};

static inline struct pl_spec *load(const char *text)
{
    struct pl_spec *spec = NULL;
    struct pl_text problems = {0};
    struct pl_error err = {0, ""};
    if (pl_spec_parse(&spec, text, strlen(text), "spec.yaml", &problems, &err))
        fail_msg("refused:\n%s\n%s", text, pl_text(&problems));
    assert_int_equal(problems.length, 0);
    pl_text_release(&problems);
    return spec;
}

/* Absurd input must not take long; how busy the machine is does not count. */
static inline double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static inline void refused_bytes(const char *text, size_t length, struct pl_text *problems)
{
    struct pl_spec *spec = NULL;
    struct pl_error err = {0, ""};
    double start = cpu_seconds();
    if (!pl_spec_parse(&spec, text, length, "spec.yaml", problems, &err))
        fail_msg("accepted:\n%.2000s", text);
    assert_null(spec);
    assert_int_equal(err.code, PL_EINPUT);
    assert_true(problems->length > 0);
    if (cpu_seconds() - start > 10)
        fail_msg("took %.1f s to refuse:\n%.500s", cpu_seconds() - start, text);
    /* Whatever is wrong is said line by line, with its place. */
    for (const char *line = pl_text(problems); *line; line = strchr(line, '\n') + 1) {
        unsigned at, column;
        int end = 0;
        if (sscanf(line, "spec.yaml:%u:%u: %n", &at, &column, &end) != 2 || !end || !at || !column)
            fail_msg("a complaint without its place:\n%s", line);
    }
}

/* Counted instead of ending the test, so that one run shows all of a table. */
static size_t wrong_complaints;

/* The spec must be refused with this complaint among others ("line:column: words"). */
static inline void refused(const char *text, const char *complaint)
{
    struct pl_text problems = {0}, wanted = {0};
    refused_bytes(text, strlen(text), &problems);
    pl_text_addf(&wanted, "spec.yaml:%s", complaint);
    if (!strstr(pl_text(&problems), pl_text(&wanted))) {
        print_error("for\n%.500s\nwanted: %s\ngot:\n%.3000s\n", text, pl_text(&wanted), pl_text(&problems));
        wrong_complaints++;
    }
    pl_text_release(&problems);
    pl_text_release(&wanted);
}

static inline void walk(const struct pl_study *study, struct walked *all)
{
    *all = (struct walked){0};
    struct pl_walk *w = pl_walk_new(study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    while (!pl_walk_next(w, &settings, &seeds, &seed_count)) {
        struct pl_text line = {0};
        pl_settings_write(settings, &line);
        for (size_t i = 0; i < seed_count; i++)
            pl_text_addf(&line, " %lld", (long long)seeds[i]);
        void *list = all->lines;
        pl_grow(&list, &all->capacity, all->count + 1, sizeof *all->lines);
        all->lines = list;
        all->lines[all->count++] = pl_text_take(&line);
        all->runs += seed_count;
    }
    assert_int_equal(pl_walk_next(w, &settings, &seeds, &seed_count), 1);
    pl_walk_free(w);
    assert_int_equal(all->count, study->configs);
    assert_int_equal(all->runs, study->runs);
}

static inline void release(struct walked *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->lines[i]);
    free(all->lines);
}

/* Writes what the keys are in each configuration of the first study: "lambda=0.1 beta=inf; ...". */
static inline void values(const char *text, const char *keys, struct pl_text *out)
{
    struct pl_spec *spec = load(text);
    struct pl_walk *w = pl_walk_new(pl_spec_study(spec, 0));
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count, length;
    while (!pl_walk_next(w, &settings, &seeds, &seed_count)) {
        pl_text_add(out, out->length ? "; " : "");
        for (const char *k = keys; (k = pl_next_word(k, &length)); k += length) {
            char *key = pl_copy_bytes(k, length);
            const struct pl_value *value = pl_settings_find(settings, key);
            pl_text_add(out, k == keys ? "" : " ");
            if (!strcmp(key, "seeds"))
                for (size_t i = 0; i < seed_count; i++)
                    pl_text_addf(out, "%s%lld", i ? "," : "", (long long)seeds[i]);
            else if (value)
                pl_value_write(value, out);
            else
                pl_text_add(out, "-");
            free(key);
        }
    }
    pl_walk_free(w);
    pl_spec_free(spec);
}

static inline void grid_is(const char *text, const char *keys, const char *wanted)
{
    struct pl_text got = {0};
    values(text, keys, &got);
    if (strcmp(pl_text(&got), wanted))
        fail_msg("for\n%s\nwanted: %s\ngot:    %s", text, wanted, pl_text(&got));
    pl_text_release(&got);
}

#define TASK "task: {problem: theta30, iterations: 200, record: 20}\n"

#endif
