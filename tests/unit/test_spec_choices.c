/* Specs that name what there is not: optimizers, models, problems, tables of other studies. */
#include "spec_bad_parts.h"

/* Settings that are taken from another study's table. */
static void bad_picks(void **state)
{
    (void)state;
    static const char
        search[] = "defaults:\n  " TASK "studies:\n- study: s\n  optimizer: {name: sgd, lambda: [0.1, 0.2]}\n"
                   "  tables: [{rows: [optimizer, problem], value: loss, select: {best: 2, over: lambda}}]\n";
    /* In place of @: the value of lambda at line 8, column 34. */
    static const struct {
        const char *value, *complaint;
    } values[] = {
        {"{from: t}", "8:41: from: there is no study \"t\" in this file"},
        {"{from: f}", "8:41: study f cannot take its lambda from itself"},
        {"{from: [s]}", "8:41: from must be a text, not a list"},
        {"{from: s, best: 3}", "8:50: best is 3, but the table of study s chooses no more than 2"},
        {"{from: s, best: 0}", "8:50: best is 0, but must be a whole number"},
        {"{from: s, best: 1+1}", "8:50: best must be a whole number"},
        {"{from: 1, to: 3}",
         "8:44: what is taken from a study cannot have the key to; a range is for seeds alone, and other numbers are a "
         "list: [1, 2, 3]"},
        {"{from: s, bst: 1}", "8:44: what is taken from a study cannot have the key bst; did you mean best?"},
        {"{from: s, table: x}", "8:51: table: study s has no table \"x\" with select over lambda"},
        {"{from: s}, momentum: {from: s}", "8:62: from: no table of study s chooses over momentum, only over lambda"},
        {"[{from: s}, {from: s, best: 1}]", "8:46: lambda: this value was already given in line 8, column 35"},
        {"{from: s}, nesterov: \"lambda\"", "8:55: nesterov: \"lambda\" must be true or false"},
        {"{from: s}, momentum: \"2*lamda\"", "8:55: momentum: \"2*lamda\" is neither a number nor an expression"},
    };
    for (size_t i = 0; i < COUNT(values); i++) {
        struct pl_text text = {0};
        pl_text_addf(&text, "%s- study: f\n  optimizer: {name: sgd, lambda: %s}\n", search, values[i].value);
        refused(pl_text(&text), values[i].complaint);
        pl_text_release(&text);
    }
    static const struct {
        const char *study, *complaint;
    } studies[] = {
        {"  task: {problem: [theta30, quadratic]}\n  optimizer: {name: sgd, lambda: {from: s}}\n",
         "9:34: lambda: the table of study s has no configuration with optimizer=sgd, problem=quadratic"},
        {"  optimizer: {name: [sgd, adam], lambda: {from: s}}\n",
         "8:42: lambda: the table of study s has no configuration with optimizer=adam, problem=theta30"},
        {"  optimizer: {name: sgd, lambda: {from: s}}\n  exclude: [{lambda: 0.1}]\n",
         "9:14: exclude: lambda is taken from another study and not known beforehand"},
        {"  optimizer: {name: sgd, lambda: {from: g}}\n  tables: {value: loss, select: {over: lambda}}\n- study: g\n"
         "  optimizer: {name: sgd, lambda: {from: f}}\n  tables: {value: loss, select: {over: lambda}}\n",
         "8:41: study f takes settings from g, which in turn waits for f"},
        {"  optimizer: {name: sgd, lambda: {from: g}}\n- study: g\n  optimizer: sgd\n  tables: {value: loss}\n",
         "8:41: from: study g has no table with select, such as select: {best: 1, over: lambda}"},
        {"  task: {problem: {from: s}}\n  optimizer: sgd\n",
         "8:19: problem must be one value or a list of values, not a mapping"},
    };
    for (size_t i = 0; i < COUNT(studies); i++) {
        struct pl_text text = {0};
        pl_text_addf(&text, "%s- study: f\n%s", search, studies[i].study);
        refused(pl_text(&text), studies[i].complaint);
        pl_text_release(&text);
    }
    assert_int_equal(wrong_complaints, 0);
}

/* P6: every fault once, at its own place, and nothing that is not one. */
static void unknown_choices(void **state)
{
    (void)state;
    static const char models[] = "there are: awd_lstm, cnn, densenet121, layers, mlp, resnet18, resnet34, vgg11";
    static const struct {
        const char *text, *complaints;
    } cases[] = {
        {HEAD "optimizer: tula\n", "3:12: there is no optimizer \"tula\"; did you mean tusla?\n"},
        {HEAD "optimizer: [adam, tula]\n", "3:19: there is no optimizer \"tula\"; did you mean tusla?\n"},
        {HEAD "optimizer: {name: a}\n", "3:19: there is no optimizer \"a\"; there are: "},
        {"study: s\ntask: {dataset: glyphs, model: cnm}\noptimizer: adam\n",
         "2:32: there is no model \"cnm\"; did you mean cnn?\n"},
        {"study: s\ntask: {dataset: glyphs, model: a}\noptimizer: adam\n", "2:32: there is no model \"a\"; "},
        {"study: s\ntask: {dataset: glyphs, model: awd_lstm}\noptimizer: adam\n",
         "2:32: model awd_lstm reads text, and glyphs is a set of images\n"},
        {"study: s\ntask: {dataset: glphs, model: cnm}\noptimizer: adm\n",
         "2:17: there is no dataset \"glphs\"; did you mean glyphs?\n2:31: there is no model \"cnm\"; did you mean "
         "cnn?\n3:12: there is no optimizer \"adm\"; did you mean adam?\n"},
        {"study: s\ntask: {problem: langevin, target: wells}\noptimizer: sgd\n",
         "2:35: there is no target \"wells\"; there are: "},
        {"study: s\ntask: {problem: theta3}\n",
         "1:8: the optimizer is missing; a spec says, for example, optimizer: {name: theopoula, lambda: 0.1}\n"
         "2:17: there is no problem \"theta3\"; did you mean theta30?\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_text problems = {0}, bare = {0};
        refused_bytes(cases[i].text, strlen(cases[i].text), &problems);
        for (const char *line = pl_text(&problems); *line; line = strchr(line, '\n') + 1)
            pl_text_add_bytes(&bare, strchr(line, ':') + 1, (size_t)(strchr(line, '\n') - strchr(line, ':')));
        size_t length = strlen(cases[i].complaints);
        bool whole = cases[i].complaints[length - 1] == '\n';
        const char *second = strchr(pl_text(&bare), '\n') + 1;
        if (whole ? strcmp(pl_text(&bare), cases[i].complaints) != 0
                  : *second || strncmp(pl_text(&bare), cases[i].complaints, length) != 0)
            fail_msg("for\n%s\nwanted: %s\ngot: %s", cases[i].text, cases[i].complaints, pl_text(&bare));
        if (strstr(cases[i].text, "model: a}"))
            assert_non_null(strstr(pl_text(&bare), models));
        pl_text_release(&problems);
        pl_text_release(&bare);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_picks),
        cmocka_unit_test(unknown_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
