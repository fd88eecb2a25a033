/* Specs that are far too large, deep or long. */
#include "spec_bad_parts.h"

static void repeat(struct pl_text *text, const char *word, size_t times)
{
    while (times-- > 0)
        pl_text_add(text, word);
}

/* Refuses text and releases it. */
static void refuse_text(struct pl_text *text, const char *complaint)
{
    refused(pl_text(text), complaint);
    pl_text_release(text);
}

static void absurd_files(void **state)
{
    (void)state;
    struct pl_text text = {0};
    /* A bomb: 9^9 values out of ten lines. */
    pl_text_add(&text, "study: s\ndescription:\n  - &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        pl_text_addf(&text, "  - &a%d [", i);
        for (int k = 0; k < 9; k++)
            pl_text_addf(&text, "%s*a%d", k ? "," : "", i - 1);
        pl_text_add(&text, "]\n");
    }
    refuse_text(&text, "9:5: the file is too large: more than 2000000 values");
    /* The same through merges. */
    pl_text_add(&text, "study: s\nm0: &m0 {");
    for (int i = 0; i < 3000; i++)
        pl_text_addf(&text, "k%d: 1, ", i);
    pl_text_add(&text, "}\n");
    for (int i = 1; i < 3000; i++)
        pl_text_addf(&text, "m%d: {<<: *m0}\n", i);
    refuse_text(&text, "666:7: the file is too large");
    /* Depth, in either style. */
    repeat(&text, "[", 100000);
    refuse_text(&text, "1:41: lists and mappings are nested too deeply");
    repeat(&text, "{a: ", 100000);
    refuse_text(&text, "1:161: lists and mappings are nested too deeply");
    repeat(&text, "- ", 100000);
    refuse_text(&text, "1:81: lists and mappings are nested too deeply");
    pl_text_add(&text, "study: s\ntask: {problem: theta30, iterations: \"");
    repeat(&text, "(", 100000);
    pl_text_add(&text, "\"}\noptimizer: sgd\n");
    refuse_text(&text, "2:38: iterations: \"((((");
    /* Size. */
    repeat(&text, "#########\n", (8 << 20) / 10 + 1);
    refuse_text(&text, "1:1: the file is larger than 8 MiB");
    pl_text_add(&text, "study: s\nx: [");
    repeat(&text, "1,", 2100000);
    refuse_text(&text, "2:3999995: the file is too large");
    for (int i = 0; i < 300; i++)
        pl_text_addf(&text, "- &a%d x\n", i);
    refuse_text(&text, "251:3: there are more than 250 anchors");
    pl_text_add(&text, "study: s\ntask: {command: [sh]}\nsettings: {");
    for (int i = 0; i < 600; i++)
        pl_text_addf(&text, "s%d: 1, ", i);
    pl_text_add(&text, "}\n");
    refuse_text(&text, "1:1: there are 602 settings here");
    assert_int_equal(wrong_complaints, 0);
}

static void absurd_grids(void **state)
{
    (void)state;
    struct pl_text text = {0};
    /* 2^70 configurations. */
    pl_text_add(&text, "study: s\ntask: {command: [sh]}\nsettings: {");
    for (int i = 0; i < 70; i++)
        pl_text_addf(&text, "s%d: [1, 2], ", i);
    pl_text_add(&text, "}\n");
    refuse_text(&text, "1:8: the grid has 1.18059162e+21 runs; at most 100000000 are supported");
    /* 2^32 configurations times 2^19 seeds, and a fault in a value, which is still found. */
    pl_text_add(&text, "study: s\ntask: {command: [sh]}\nsettings: {");
    for (int i = 0; i < 32; i++)
        pl_text_addf(&text, "s%d: [1, 2], ", i);
    pl_text_add(&text, "t: 010}\nseeds: {from: 1, to: 524288}\n");
    refused(pl_text(&text), "1:8: the grid has 2.25179981e+15 runs");
    refuse_text(&text, "3:");
    /* 2^64 combinations of choices. */
    pl_text_add(&text, "study: s\ntask: {command: [[sh], [bash]]}\nsettings: {a: [1, 2]}\ncases:\n");
    for (int i = 0; i < 20; i++)
        pl_text_add(&text, "  - {}\n");
    struct pl_spec *spec = load(pl_text(&text)); /* twenty times the same is the same */
    assert_int_equal(pl_spec_study(spec, 0)->configs, 4);
    pl_spec_free(spec);
    pl_text_release(&text);
    pl_text_add(&text, "study: s\ntask: {command: [");
    for (int i = 0; i < 100000; i++)
        pl_text_addf(&text, "[c%d],", i);
    pl_text_add(&text, "]}\n");
    refuse_text(&text, "1:8: the file is too large once cases, defaults and lists are multiplied out");
    /* Many cases over a large base. */
    pl_text_add(&text, "study: s\ntask: {command: [sh]}\nsettings: {a: [");
    for (int i = 0; i < 20000; i++)
        pl_text_addf(&text, "%d,", i);
    pl_text_add(&text, "]}\ncases:\n");
    for (int i = 0; i < 2000; i++)
        pl_text_addf(&text, "  - {settings: {b: %d}}\n", i);
    refuse_text(&text, "3:12: the file is too large once cases, defaults and lists are multiplied out");
    pl_text_add(&text, "study: s\ntask: {command: [sh]}\nsettings: {a: [");
    for (int i = 0; i < 90; i++)
        pl_text_addf(&text, "%d,", i);
    pl_text_add(&text, "]}\nseeds: {from: 1, to: 1000000}\nexclude:\n");
    for (int i = 1; i <= 300; i++)
        pl_text_addf(&text, "  - {seed: [%d, %d]}\n", i, i + 1000);
    refuse_text(&text, "6:5: exclude is too long for a grid of 90 configurations and 1000000 seeds");
    pl_text_add(&text, "study: s\ntask: {command: [sh]}\nsettings: {a: [");
    for (int i = 0; i < 4000; i++)
        pl_text_addf(&text, "%d,", i);
    pl_text_add(&text, "], b: [");
    for (int i = 0; i < 4000; i++)
        pl_text_addf(&text, "%d,", i);
    pl_text_add(&text, "]}\nexclude: [{a: 1}]\n");
    refuse_text(&text,
                "1:8: the grid has 16000000 configurations; with cases, exclude or expressions at most 10000000");
    assert_int_equal(wrong_complaints, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absurd_files),
        cmocka_unit_test(absurd_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
