/* The settings of the optimizer `formula`, read. */
#include "optim/formula.h"
#include "optim/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usual_tame[] = "1 + sqrt(lambda)*abs(g)", usual_boost[] = "1 + sqrt(lambda)/(epsilon + abs(g))";

enum pl_formula_kind pl_formula_kind_of(const char *key)
{
    return pl_has_word("update tame boost", key) ? PL_FORMULA : !strcmp(key, "state") ? PL_FORMULAS : PL_NO_FORMULA;
}

bool pl_formula_name_is_legal(const char *name, const char **why)
{
    return pl_rule_name_is_legal(name, why);
}

bool pl_formula_write(enum pl_formula_kind kind, const char *text, struct pl_text *out, size_t *at, struct pl_text *why)
{
    struct pl_rule_tree tree;
    struct pl_rule_states states;
    struct pl_rule_fault fault = {0};
    bool good = kind == PL_FORMULAS ? pl_rule_states_read(&states, text, &fault) : pl_rule_read(&tree, text, &fault);
    if (!good) {
        pl_text_add(why, fault.why);
        *at = fault.at;
    } else if (kind == PL_FORMULAS) {
        pl_rule_states_write(&states, out);
        pl_rule_states_release(&states);
    } else {
        pl_rule_write(&tree, out);
        pl_rule_tree_release(&tree);
    }
    return good;
}

static int fail(const char *key, const char *text, const struct pl_rule_fault *fault, struct pl_error *err)
{
    return pl_fail(err, PL_EINPUT, "%s is \"%.150s\": at character %zu, %s", key, text, fault->at + 1, fault->why);
}

static int read_setting(const char *key, const char *text, struct pl_rule_tree *tree, struct pl_error *err)
{
    struct pl_rule_fault fault;
    return pl_rule_read(tree, text, &fault) ? 0 : fail(key, text, &fault, err);
}

/* What the settings say. */
struct texts {
    const char *update, *state, *tame, *boost;
};

static int find_texts(const struct pl_settings *s, struct texts *texts, struct pl_error *err)
{
    *texts = (struct texts){pl_settings_string(s, "update", ""), pl_settings_string(s, "state", ""),
                            pl_settings_string(s, "tame", ""), pl_settings_string(s, "boost", "")};
    if (*texts->update && (*texts->tame || *texts->boost))
        return pl_fail(err, PL_EINPUT, "update says the whole rule, so %s must be left out",
                       *texts->tame ? "tame" : "boost");
    if (!*texts->update && *texts->state)
        return pl_fail(err, PL_EINPUT, "state goes with update, which is left out");
    return 0;
}

/* The tree of update, which may stand for tame and boost. These are read by themselves first, so that they are judged
 * by themselves. */
static int read_update(const struct texts *texts, struct pl_rule_tree *tree, struct pl_error *err)
{
    if (*texts->update)
        return read_setting("update", texts->update, tree, err);
    const char *tame = *texts->tame ? texts->tame : usual_tame, *boost = *texts->boost ? texts->boost : usual_boost;
    int status = read_setting("tame", tame, tree, err);
    if (status)
        return status;
    pl_rule_tree_release(tree);
    status = read_setting("boost", boost, tree, err);
    if (status)
        return status;
    pl_rule_tree_release(tree);
    struct pl_text whole = {0};
    pl_text_addf(&whole, "theta - lambda*(g*(%s)/(%s)) + sqrt(2*lambda/beta)*xi", boost, tame);
    status = read_setting("tame and boost", pl_text(&whole), tree, err);
    pl_text_release(&whole);
    return status;
}

static bool parameter(void *self, const char *word, double *value)
{
    const struct pl_value *found = pl_settings_find(self, word);
    if (!found || (found->type != PL_REAL && found->type != PL_INTEGER))
        return false;
    *value = found->type == PL_REAL ? found->real : (double)found->integer;
    return true;
}

int pl_formula_build(const struct pl_settings *s, bool chains, struct pl_rule **rule, struct pl_error *err)
{
    struct texts texts;
    struct pl_rule_tree tree;
    struct pl_rule_states states;
    struct pl_rule_fault fault;
    int status = find_texts(s, &texts, err);
    if (status)
        return status;
    if (!pl_rule_states_read(&states, texts.state, &fault))
        return fail("state", texts.state, &fault, err);
    status = read_update(&texts, &tree, err);
    if (!status) {
        status = pl_rule_build(rule, &states, &tree, chains, parameter, (void *)(uintptr_t)s, err);
        pl_rule_tree_release(&tree);
    }
    pl_rule_states_release(&states);
    return status;
}

/* ---- the general form, judged ---- */

/* H is a function of theta and the data: it knows no step and draws nothing. */
static void find_foreign(void *self, const struct pl_formula_word *word)
{
    const char **foreign = self;
    if (pl_has_word("t xi", word->word))
        *foreign = !strcmp(word->word, "t") ? "t" : "xi";
}

int pl_formula_judge(const struct pl_settings *s, struct pl_error *err)
{
    struct texts texts;
    struct pl_rule *rule;
    struct pl_rule_tree tree;
    struct pl_rule_states none = {0};
    const char *foreign = NULL;
    int status = find_texts(s, &texts, err);
    if (status || *texts.update || (!*texts.tame && !*texts.boost)) /* what is left out is TheoPouLa's */
        return status;
    pl_formula_words(PL_FORMULA, texts.tame, false, find_foreign, &foreign);
    pl_formula_words(PL_FORMULA, texts.boost, false, find_foreign, &foreign);
    if (foreign)
        return pl_fail(err, PL_EINPUT, "tame and boost are functions of theta and its gradient, so they cannot use %s",
                       foreign);
    struct pl_text text = {0};
    pl_text_addf(&text, "g*(%s)/(%s)", *texts.boost ? texts.boost : usual_boost, *texts.tame ? texts.tame : usual_tame);
    status = read_setting("tame and boost", pl_text(&text), &tree, err);
    pl_text_release(&text);
    if (status)
        return status;
    status = pl_rule_build(&rule, &none, &tree, false, parameter, (void *)(uintptr_t)s, err);
    pl_rule_tree_release(&tree);
    if (status)
        return status;
    const struct pl_rule_inputs inputs = {
        1, pl_settings_need_real(s, "lambda"), pl_settings_need_real(s, "epsilon"), pl_settings_need_real(s, "beta"), 0,
        0};
    status = pl_poula_check(rule, &inputs, pl_settings_need_real(s, "growth_checked"), err);
    pl_rule_free(rule);
    return status;
}

/* ---- what others ask ---- */

static bool tree_uses(const struct pl_rule_tree *tree, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < tree->count; i++)
        found = found || (tree->nodes[i].op == PL_RULE_WORD && !strcmp(tree->nodes[i].word, name));
    return found;
}

static void tell_words(const struct pl_rule_tree *tree, size_t from,
                       void (*tell)(void *self, const struct pl_formula_word *word), void *self)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].op == PL_RULE_WORD)
            tell(self, &(struct pl_formula_word){tree->nodes[i].word, from + tree->nodes[i].at});
}

void pl_formula_words(enum pl_formula_kind kind, const char *text, bool of_states,
                      void (*tell)(void *self, const struct pl_formula_word *word), void *self)
{
    struct pl_rule_tree tree;
    struct pl_rule_states states;
    struct pl_rule_fault fault;
    if (kind == PL_FORMULA && pl_rule_read(&tree, text, &fault)) {
        if (!of_states)
            tell_words(&tree, 0, tell, self);
        pl_rule_tree_release(&tree);
    } else if (kind == PL_FORMULAS && pl_rule_states_read(&states, text, &fault)) {
        for (size_t k = 0; k < states.count; k++)
            if (of_states)
                tell(self, &(struct pl_formula_word){states.list[k].name, 0});
            else
                tell_words(&states.list[k].tree, states.list[k].at, tell, self);
        pl_rule_states_release(&states);
    }
}

bool pl_formula_uses(const struct pl_settings *s, const char *name)
{
    struct texts texts;
    struct pl_rule_tree tree;
    struct pl_rule_states states;
    struct pl_rule_fault fault;
    struct pl_error err;
    if (find_texts(s, &texts, &err) || read_update(&texts, &tree, &err))
        return false;
    bool found = tree_uses(&tree, name);
    pl_rule_tree_release(&tree);
    if (!pl_rule_states_read(&states, texts.state, &fault))
        return found;
    for (size_t k = 0; k < states.count; k++)
        found = found || tree_uses(&states.list[k].tree, name);
    pl_rule_states_release(&states);
    return found;
}

bool pl_formula_draws(const struct pl_settings *s)
{
    struct pl_rule *rule;
    struct pl_error err;
    if (pl_formula_build(s, false, &rule, &err))
        return true;
    double *numbers = pl_new(PL_RULE_VALUES * sizeof *numbers);
    /* Of numbers that change from step to step some may be 0 for a while. */
    const struct pl_rule_inputs inputs = {1.5,
                                          pl_settings_real(s, "lambda", 1),
                                          pl_settings_real(s, "epsilon", 1),
                                          pl_settings_real(s, "beta", INFINITY),
                                          1.5,
                                          1.5};
    pl_rule_numbers(rule, &inputs, numbers);
    bool draws = pl_rule_is_noisy(rule, numbers);
    free(numbers);
    pl_rule_free(rule);
    return draws;
}
