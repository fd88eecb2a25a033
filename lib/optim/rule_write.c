/* Formulas, written: the canonical spelling, and what operations are in numbers. */
#include "optim/rule.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How strongly a node binds: a choice, operators, a sign, a power, what needs no parentheses. */
enum { CHOICE, SIGN = 6, POWER, WHOLE };

static const struct {
    enum pl_rule_op op;
    int strength;
    const char *spelling;
} operators[] = {
#define OPERATOR(name, spelling, strength, value) {PL_RULE_##name, strength, spelling},
    PL_EACH_RULE_OPERATOR(OPERATOR)
#undef OPERATOR
};

static const struct {
    enum pl_rule_op op;
    const char *spelling;
} functions[] = {
#define FUNCTION(name, spelling, function) {PL_RULE_##name, spelling},
    PL_EACH_RULE_FUNCTION(FUNCTION)
#undef FUNCTION
        {PL_RULE_RINT, "rint"},
    {PL_RULE_SIGN, "sign"},
    {PL_RULE_ATAN2, "atan2"},
    {PL_RULE_MIN, "min"},
    {PL_RULE_MAX, "max"},
};

static size_t operator_of(enum pl_rule_op op)
{
    size_t i = 0;
    while (i < sizeof operators / sizeof *operators && operators[i].op != op)
        i++;
    return i;
}

static int strength_of(enum pl_rule_op op)
{
    size_t i = operator_of(op);
    return op == PL_RULE_IF                           ? CHOICE
           : op == PL_RULE_NEGATE                     ? SIGN
           : op == PL_RULE_POWER                      ? POWER
           : i < sizeof operators / sizeof *operators ? operators[i].strength
                                                      : WHOLE;
}

static void write_node(const struct pl_rule_tree *tree, size_t node, int least, struct pl_text *out);

static void write_function(const struct pl_rule_tree *tree, const struct pl_rule_node *n, struct pl_text *out)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].op == n->op)
            pl_text_addf(out, "%s(", functions[i].spelling);
    write_node(tree, n->a, CHOICE, out);
    if (n->op >= PL_RULE_POWER) {
        pl_text_add(out, ", ");
        write_node(tree, n->b, CHOICE, out);
    }
    pl_text_add_char(out, ')');
}

static void write_operation(const struct pl_rule_tree *tree, const struct pl_rule_node *n, struct pl_text *out)
{
    const size_t i = operator_of(n->op);
    const bool tight = operators[i].strength == strength_of(PL_RULE_MULTIPLY);
    write_node(tree, n->a, operators[i].strength, out);
    pl_text_addf(out, tight ? "%s" : " %s ", operators[i].spelling);
    write_node(tree, n->b, operators[i].strength + 1, out);
}

/* In parentheses where it binds less than what is around it. */
static void write_node(const struct pl_rule_tree *tree, size_t node, int least, struct pl_text *out)
{
    const struct pl_rule_node *n = &tree->nodes[node];
    const int strength = strength_of(n->op);
    if (strength < least)
        pl_text_add_char(out, '(');
    if (*n->word)
        pl_text_add(out, n->word);
    else if (n->op == PL_RULE_NUMBER)
        pl_text_add_number(out, n->number);
    else if (n->op == PL_RULE_NEGATE) {
        pl_text_add_char(out, '-');
        write_node(tree, n->a, POWER, out);
    } else if (n->op == PL_RULE_POWER) {
        write_node(tree, n->a, WHOLE, out);
        pl_text_add_char(out, '^');
        write_node(tree, n->b, SIGN, out);
    } else if (n->op == PL_RULE_IF) {
        write_node(tree, n->a, CHOICE + 1, out);
        pl_text_add(out, " ? ");
        write_node(tree, n->b, CHOICE, out);
        pl_text_add(out, " : ");
        write_node(tree, n->c, CHOICE, out);
    } else if (strength == WHOLE) {
        write_function(tree, n, out);
    } else {
        write_operation(tree, n, out);
    }
    if (strength < least)
        pl_text_add_char(out, ')');
}

void pl_rule_write(const struct pl_rule_tree *tree, struct pl_text *out)
{
    write_node(tree, tree->count - 1, CHOICE, out);
}

/* NaN of either is NaN, so that it shows. */
static double least(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static double most(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

double pl_rule_compute(enum pl_rule_op op, double a, double b, double c)
{
    switch (op) {
    case PL_RULE_NEGATE:
        return -a;
    case PL_RULE_RINT:
        return floor(a + 0.5);
    case PL_RULE_SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : a * 0;
    case PL_RULE_POWER:
        return pow(a, b);
    case PL_RULE_ATAN2:
        return atan2(a, b);
    case PL_RULE_MIN:
        return least(a, b);
    case PL_RULE_MAX:
        return most(a, b);
    case PL_RULE_IF:
        return a != 0 ? b : c;
    case PL_RULE_COPY:
        return a;
#define CASE(name, spelling, function)                                                                                 \
    case PL_RULE_##name:                                                                                               \
        return function(a);
        PL_EACH_RULE_FUNCTION(CASE)
#undef CASE
#define CASE(name, spelling, strength, value)                                                                          \
    case PL_RULE_##name:                                                                                               \
        return value;
        PL_EACH_RULE_OPERATOR(CASE)
#undef CASE
    default:
        assert(0);
        return NAN;
    }
}

/* ---- states ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct pl_rule_state *)a)->name, ((const struct pl_rule_state *)b)->name);
}

static bool fail(struct pl_rule_fault *fault, size_t at, const char *why)
{
    fault->at = at;
    snprintf(fault->why, sizeof fault->why, "%s", why);
    return false;
}

/* One "name = formula" of a text, from..to. */
static bool read_state(struct pl_rule_states *states, const char *text, size_t from, size_t to,
                       struct pl_rule_fault *fault)
{
    const char *why, *equals = memchr(text + from, '=', to - from);
    from += strspn(text + from, " \t\r\n");
    if (!equals || equals == text + from)
        return fail(fault, from, "a state is written name = formula");
    if (states->count == PL_RULE_STATES)
        return fail(fault, from, "there are more than 8 states");
    struct pl_rule_state *state = &states->list[states->count];
    size_t length = (size_t)(equals - text) - from;
    while (strchr(" \t\r\n", text[from + length - 1]))
        length--;
    char *name = pl_copy_bytes(text + from, length),
         *formula = pl_copy_bytes(equals + 1, to - (size_t)(equals + 1 - text));
    bool good = pl_rule_name_is_legal(name, &why) || fail(fault, from, why);
    for (size_t i = 0; i < states->count && good; i++)
        good = strcmp(states->list[i].name, name) || fail(fault, from, "is a state already");
    if (good) {
        snprintf(state->name, sizeof state->name, "%s", name);
        state->at = (size_t)(equals + 1 - text);
        good = pl_rule_read(&state->tree, formula, fault);
        fault->at += state->at;
    }
    states->count += good;
    free(name);
    free(formula);
    return good;
}

bool pl_rule_states_read(struct pl_rule_states *states, const char *text, struct pl_rule_fault *fault)
{
    *states = (struct pl_rule_states){0};
    bool good = true;
    for (size_t from = 0; good && text[from + strspn(text + from, " \t\r\n")];) {
        size_t to = from + strcspn(text + from, ";");
        good = read_state(states, text, from, to, fault);
        from = to + (text[to] == ';');
    }
    if (!good)
        pl_rule_states_release(states);
    qsort(states->list, states->count, sizeof *states->list, by_name);
    return good;
}

void pl_rule_states_release(struct pl_rule_states *states)
{
    for (size_t i = 0; i < states->count; i++)
        pl_rule_tree_release(&states->list[i].tree);
    states->count = 0;
}

void pl_rule_states_write(const struct pl_rule_states *states, struct pl_text *out)
{
    for (size_t i = 0; i < states->count; i++) {
        pl_text_addf(out, "%s%s = ", i ? "; " : "", states->list[i].name);
        pl_rule_write(&states->list[i].tree, out);
    }
}
