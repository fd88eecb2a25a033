/* Throws bytes at the spec parser and walks what it accepts. */
#include "fuzz.h"
#include "spec/spec.h"

#include <string.h>

/* Canonical text must read back to itself. */
static void read_back(const struct pl_settings *settings)
{
    struct pl_settings again = {0};
    struct pl_text text = {0}, copy = {0};
    struct pl_error err;
    pl_settings_write(settings, &text);
    MUST(!pl_settings_read(&again, pl_text(&text), &err));
    pl_settings_write(&again, &copy);
    MUST(!strcmp(pl_text(&text), pl_text(&copy)));
    pl_settings_release(&again);
    pl_text_release(&text);
    pl_text_release(&copy);
}

/* Returns how many there are, at most MOST. */
enum { MOST = 200 };
static size_t walk(const struct pl_study *study, bool repeats)
{
    struct pl_walk *w = pl_walk_new(study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count, visited = 0;
    uint64_t runs = 0;
    if (repeats)
        pl_walk_with_repeats(w);
    while (visited < MOST && !pl_walk_next(w, &settings, &seeds, &seed_count)) {
        struct pl_walk_place place;
        if (!repeats)
            read_back(settings);
        pl_walk_where(w, &place);
        MUST(seed_count > 0);
        visited++;
        runs += seed_count;
    }
    MUST(visited == MOST || repeats || (visited == study->configs && runs == study->runs));
    pl_walk_free(w);
    return visited;
}

static void walk_both_ways(const struct pl_study *study)
{
    size_t once = walk(study, false);
    MUST(walk(study, true) >= once);
}

/* What a table of another study has chosen: a value of the kind that the setting's name asks for, of another kind, or
 * none; whenever it is asked the same, it says the same. */
static int choose(void *self, const struct pl_pick *pick, const struct pl_settings *settings, struct pl_value *value,
                  struct pl_error *err)
{
    uint64_t hash = 14695981039346656037u;
    struct pl_text asked = {0};
    (void)self;
    MUST(pick->key && *pick->key && settings);
    pl_text_addf(&asked, "%s %d %zu\n", pick->key, pick->place, pick->study);
    pl_settings_write(settings, &asked);
    for (size_t i = 0; i < asked.length; i++)
        hash = (hash ^ (unsigned char)asked.text[i]) * 1099511628211u;
    pl_text_release(&asked);
    hash >>= 40;
    if (hash % 16 == 0)
        return pl_fail(err, PL_EMISSING, "the table has chosen nothing for such a run");
    *value = (struct pl_value){.type = PL_REAL, .real = 1.0 / (double)(hash % 100 + 1)};
    if (!strcmp(pick->key, "optimizer") || hash % 16 == 1)
        *value = (struct pl_value){.type = PL_STRING, .string = hash % 3 ? "adam" : "sgd"};
    else if (hash % 4 == 2)
        *value = (struct pl_value){.type = PL_INTEGER, .integer = (int64_t)(hash % 7)};
    return 0;
}

/* Gives the studies that wait their values, walks them, takes the values back and gives them again. */
static void settle(struct pl_spec *spec)
{
    for (size_t i = 0; i < pl_spec_study_count(spec); i++) {
        const struct pl_study *study = pl_spec_study(spec, i);
        const uint64_t waiting = study->configs;
        if (!study->waiting || waiting > 100)
            continue;
        for (int turn = 0; turn < 2; turn++) {
            struct pl_text problems = {0};
            struct pl_error err = {0};
            int status = pl_spec_settle(spec, i, choose, NULL, &problems, &err);
            fuzz_must_say(status, &err);
            MUST((status == 0) == !study->waiting && (status != 0) == (problems.length != 0));
            if (!status && turn == 0)
                walk_both_ways(study);
            if (!status)
                pl_spec_unsettle(spec, i);
            MUST(study->waiting && study->configs == waiting);
            pl_text_release(&problems);
        }
    }
}

static int parse(int way, struct pl_spec **spec, const char *text, size_t size, struct pl_text *problems,
                 struct pl_error *err)
{
    return way == 0   ? pl_spec_parse(spec, text, size, "f", problems, err)
           : way == 1 ? pl_spec_parse_declarations(spec, text, size, "f", problems, err)
                      : pl_spec_parse_scaled(spec, text, size, "f", "quick", problems, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int way = 0; way < 3; way++) {
        struct pl_spec *spec = NULL;
        struct pl_text problems = {0};
        struct pl_error err = {0};
        int status = parse(way, &spec, (const char *)data, size, &problems, &err);
        fuzz_must_say(status, &err);
        MUST((status != 0) == (problems.length != 0)); /* a refusal says why, and only a refusal */
        for (size_t i = 0; !status && way != 1 && i < pl_spec_study_count(spec); i++)
            walk_both_ways(pl_spec_study(spec, i));
        if (!status && way != 1)
            settle(spec);
        pl_spec_free(spec);
        pl_text_release(&problems);
    }
    return 0;
}
