/* Rules put together: values without repetition, operations in order, and where each leaves what it found. */
#include "optim/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = UINT16_MAX, OUTPUTS = PL_RULE_STATES + 1 };

struct building {
    struct pl_rule *rule;
    const struct pl_rule_states *states;
    uint16_t meaning[PL_RULE_STATES]; /* the value that the name of a state stands for */
    unsigned uses[OUTPUTS], *now;     /* states that each formula uses, as bits; those of the one that is read */
    bool chains;
    pl_rule_parameter *parameter;
    void *self;
    const char *where; /* what is built, for complaints */
    struct pl_error *err;
    int status;
    uint16_t last[PL_RULE_VALUES];  /* step that reads a value last */
    uint16_t place[PL_RULE_VALUES]; /* of a vector */
};

static bool is_leaf(enum pl_rule_op op)
{
    return op < PL_RULE_NEGATE;
}

static int operand_count(enum pl_rule_op op)
{
    return is_leaf(op) ? 0 : op == PL_RULE_IF ? 3 : op >= PL_RULE_POWER && op != PL_RULE_COPY ? 2 : 1;
}

static uint16_t operand(const struct pl_rule_value *v, int k)
{
    return k == 0 ? v->a : k == 1 ? v->b : v->c;
}

static bool is_vector(const struct building *b, const struct pl_rule_value *v)
{
    if (v->op >= PL_RULE_THETA && v->op <= PL_RULE_STATE)
        return true;
    if (v->op == PL_RULE_NORM_G || v->op == PL_RULE_NORM_THETA)
        return b->chains;
    bool vector = v->op == PL_RULE_COPY;
    for (int k = 0; k < operand_count(v->op); k++)
        vector = vector || b->rule->values[operand(v, k)].vector;
    return vector;
}

/* Adds a value unless there is an equal one; a copy is always a new one. */
static uint16_t add(struct building *b, struct pl_rule_value v)
{
    struct pl_rule *rule = b->rule;
    for (size_t i = 0; i < rule->count && v.op != PL_RULE_COPY; i++) {
        const struct pl_rule_value *w = &rule->values[i];
        if (w->op == v.op && w->a == v.a && w->b == v.b && w->c == v.c && w->state == v.state &&
            !memcmp(&w->number, &v.number, sizeof v.number))
            return (uint16_t)i;
    }
    if (rule->count == PL_RULE_VALUES) {
        b->status = pl_fail(b->err, PL_EINPUT, "the formulas are too long: they have more than %d operations",
                            PL_RULE_VALUES);
        return 0;
    }
    v.vector = is_vector(b, &v);
    rule->uses_norm_g = rule->uses_norm_g || v.op == PL_RULE_NORM_G;
    rule->uses_norm_theta = rule->uses_norm_theta || v.op == PL_RULE_NORM_THETA;
    rule->values[rule->count] = v;
    return (uint16_t)rule->count++;
}

static uint16_t add_word(struct building *b, const char *word)
{
    static const struct {
        const char *word;
        enum pl_rule_op op;
    } leaves[] = {{"t", PL_RULE_T},         {"lambda", PL_RULE_LAMBDA}, {"epsilon", PL_RULE_EPSILON},
                  {"beta", PL_RULE_BETA},   {"norm_g", PL_RULE_NORM_G}, {"norm_theta", PL_RULE_NORM_THETA},
                  {"theta", PL_RULE_THETA}, {"g", PL_RULE_G},           {"xi", PL_RULE_XI}};
    double number;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        if (!strcmp(leaves[i].word, word))
            return add(b, (struct pl_rule_value){.op = leaves[i].op});
    for (size_t i = 0; i < b->states->count; i++)
        if (!strcmp(b->states->list[i].name, word)) {
            *b->now |= 1U << i;
            return b->meaning[i];
        }
    if (b->parameter(b->self, word, &number))
        return add(b, (struct pl_rule_value){.op = PL_RULE_NUMBER, .number = number});
    if (!b->status)
        b->status = pl_fail(b->err, PL_EINPUT,
                            "%s uses %s, but formulas have t, lambda, epsilon, beta, theta, g, xi, norm_g, norm_theta, "
                            "the names of states and what is given under parameters: {%s: ...}",
                            b->where, word, word);
    return 0;
}

/* The value of a tree. */
static uint16_t add_tree(struct building *b, const struct pl_rule_tree *tree)
{
    uint16_t *values = pl_new(tree->count * sizeof *values);
    for (size_t i = 0; i < tree->count && !b->status; i++) {
        const struct pl_rule_node *n = &tree->nodes[i];
        const int count = operand_count(n->op);
        if (n->op == PL_RULE_WORD)
            values[i] = add_word(b, n->word);
        else
            values[i] = add(b, (struct pl_rule_value){.op = n->op,
                                                      .a = count > 0 ? values[n->a] : 0,
                                                      .b = count > 1 ? values[n->b] : 0,
                                                      .c = count > 2 ? values[n->c] : 0,
                                                      .number = n->number});
    }
    uint16_t whole = b->status ? 0 : values[tree->count - 1];
    free(values);
    return whole;
}

/* A value of its own for each output, which some step computes. */
static uint16_t own_value(struct building *b, uint16_t value, const uint16_t *taken, size_t count)
{
    bool own = b->rule->values[value].vector && !is_leaf(b->rule->values[value].op);
    for (size_t i = 0; i < count; i++)
        own = own && taken[i] != value;
    return own || b->status ? value : add(b, (struct pl_rule_value){.op = PL_RULE_COPY, .a = value});
}

/* All values, and those that are left in states and in theta, which comes last. */
static void add_values(struct building *b, const struct pl_rule_tree *update, uint16_t outputs[OUTPUTS])
{
    const size_t count = b->states->count;
    uint16_t news[PL_RULE_STATES];
    for (size_t k = 0; k < count; k++)
        b->meaning[k] = add(b, (struct pl_rule_value){.op = PL_RULE_STATE, .state = (uint16_t)k});
    for (size_t k = 0; k < count && !b->status; k++) {
        b->where = b->states->list[k].name;
        b->now = &b->uses[k];
        news[k] = add_tree(b, &b->states->list[k].tree);
    }
    for (size_t k = 0; k < count && !b->status; k++)
        outputs[k] = own_value(b, news[k], outputs, k);
    memcpy(b->meaning, outputs, count * sizeof *outputs);
    b->where = "update";
    b->now = &b->uses[count];
    if (!b->status)
        outputs[count] = own_value(b, add_tree(b, update), outputs, count);
}

/* What update uses, and what that uses, and so on, should be all. */
static int check_states(struct building *b)
{
    const size_t count = b->states->count;
    unsigned found = b->uses[count];
    for (size_t round = 0; round < count; round++)
        for (size_t k = 0; k < count; k++)
            found |= found >> k & 1 ? b->uses[k] : 0;
    for (size_t k = 0; k < count && !b->status; k++)
        if (!(found >> k & 1))
            b->status = pl_fail(b->err, PL_EINPUT, "the state %s changes nothing: update does not use it",
                                b->states->list[k].name);
    return b->status;
}

/* ---- places ---- */

static uint16_t place_of_leaf(const struct pl_rule_value *v)
{
    switch (v->op) {
    case PL_RULE_THETA:
        return PL_PLACE_THETA;
    case PL_RULE_G:
        return PL_PLACE_G;
    case PL_RULE_XI:
        return PL_PLACE_XI;
    case PL_RULE_NORM_G:
        return PL_PLACE_NORM_G;
    case PL_RULE_NORM_THETA:
        return PL_PLACE_NORM_THETA;
    case PL_RULE_STATE:
        return (uint16_t)(PL_PLACE_STATE + v->state);
    default:
        return NOWHERE;
    }
}

/* The step, counted by values, that reads each last. What is an output is read to the end. */
static void find_last(struct building *b, const uint16_t *outputs)
{
    const struct pl_rule *rule = b->rule;
    memset(b->last, 0, sizeof b->last);
    for (size_t i = 0; i < rule->count; i++)
        for (int k = 0; k < operand_count(rule->values[i].op) && rule->values[i].vector; k++)
            b->last[operand(&rule->values[i], k)] = (uint16_t)i;
    for (size_t k = 0; k <= b->states->count; k++)
        b->last[outputs[k]] = PL_RULE_VALUES;
}

/* Where an output goes, if nothing after its step reads what is there; else NOWHERE. */
static uint16_t final_place(const struct building *b, const uint16_t *outputs, size_t value)
{
    for (size_t k = 0; k <= b->states->count; k++) {
        if (outputs[k] != value)
            continue;
        const uint16_t place = k == b->states->count ? PL_PLACE_THETA : (uint16_t)(PL_PLACE_STATE + k);
        for (size_t i = 0; i < b->rule->count; i++)
            if (place_of_leaf(&b->rule->values[i]) == place && b->last[i] > value)
                return NOWHERE;
        return place;
    }
    return NOWHERE;
}

static uint16_t take_buffer(struct building *b, bool *taken)
{
    for (uint16_t k = 0; k < PL_RULE_BUFFERS; k++)
        if (!taken[k]) {
            taken[k] = true;
            return (uint16_t)(PL_PLACE_BUFFER + k);
        }
    if (!b->status)
        b->status = pl_fail(b->err, PL_EINPUT, "the formulas are too long: they need more than %d values at once",
                            PL_RULE_BUFFERS);
    return PL_PLACE_BUFFER;
}

static void add_step(struct pl_rule *rule, struct pl_rule_step step)
{
    rule->steps[rule->step_count++] = step;
}

/* An operand: its place, or the number itself for what takes numbers; else a buffer that is filled with it. */
static uint16_t place_operand(struct building *b, struct pl_rule_step *step, int k, uint16_t value, bool *taken,
                              bool *filled)
{
    if (b->rule->values[value].vector)
        return b->place[value];
    if (step->op == PL_RULE_COPY || step->op == PL_RULE_POWER || (step->op >= PL_RULE_MIN && step->op < PL_RULE_IF)) {
        step->form = (uint8_t)(step->form | 1U << k);
        return value;
    }
    uint16_t buffer = take_buffer(b, taken);
    filled[buffer - PL_PLACE_BUFFER] = true;
    add_step(b->rule, (struct pl_rule_step){.op = PL_RULE_COPY, .to = (uint8_t)buffer, .form = 1, .operands = {value}});
    return buffer;
}

static void add_vector(struct building *b, size_t i, const uint16_t *outputs, bool *taken)
{
    const struct pl_rule_value *v = &b->rule->values[i];
    struct pl_rule_step step = {.op = (uint8_t)v->op};
    bool filled[PL_RULE_BUFFERS] = {false};
    for (int k = 0; k < operand_count(v->op); k++)
        step.operands[k] = place_operand(b, &step, k, operand(v, k), taken, filled);
    for (int k = 0; k < operand_count(v->op); k++) { /* what is not needed any more makes room for the result */
        const uint16_t value = operand(v, k), place = b->place[value];
        if (b->rule->values[value].vector && b->last[value] <= i && place >= PL_PLACE_BUFFER)
            taken[place - PL_PLACE_BUFFER] = false;
    }
    for (size_t k = 0; k < PL_RULE_BUFFERS; k++)
        taken[k] = taken[k] && !filled[k];
    b->place[i] = final_place(b, outputs, i);
    if (b->place[i] == NOWHERE)
        b->place[i] = take_buffer(b, taken);
    step.to = (uint8_t)b->place[i];
    add_step(b->rule, step);
}

static void add_steps(struct building *b, const uint16_t *outputs)
{
    struct pl_rule *rule = b->rule;
    bool taken[PL_RULE_BUFFERS] = {false};
    rule->steps = pl_new((4 * rule->count + OUTPUTS) * sizeof *rule->steps);
    find_last(b, outputs);
    for (size_t i = 0; i < rule->count && !b->status; i++)
        if (is_leaf(rule->values[i].op))
            b->place[i] = place_of_leaf(&rule->values[i]);
        else if (rule->values[i].vector)
            add_vector(b, i, outputs, taken);
    for (size_t k = 0; k <= b->states->count && !b->status; k++) {
        const uint16_t place = k == b->states->count ? PL_PLACE_THETA : (uint16_t)(PL_PLACE_STATE + k);
        if (b->place[outputs[k]] != place)
            add_step(rule, (struct pl_rule_step){
                               .op = PL_RULE_COPY, .to = (uint8_t)place, .operands = {b->place[outputs[k]]}});
    }
}

/* Where xi stands. */
static void find_noise(struct pl_rule *rule)
{
    for (size_t i = 0; i < rule->count; i++)
        for (int k = 0; k < operand_count(rule->values[i].op); k++) {
            const struct pl_rule_value *v = &rule->values[i];
            if (rule->values[operand(v, k)].op != PL_RULE_XI)
                continue;
            const uint16_t other = operand(v, 1 - k % 2);
            if (v->op != PL_RULE_MULTIPLY || rule->values[other].vector || rule->noise_count == 8)
                rule->always_noisy = true;
            else
                rule->noise[rule->noise_count++] = other;
        }
}

int pl_rule_build(struct pl_rule **rule, const struct pl_rule_states *states, const struct pl_rule_tree *update,
                  bool chains, pl_rule_parameter *parameter, void *self, struct pl_error *err)
{
    struct building *b = pl_new(sizeof *b);
    uint16_t outputs[OUTPUTS] = {0};
    *b = (struct building){.states = states, .chains = chains, .parameter = parameter, .self = self, .err = err};
    b->rule = pl_new(sizeof *b->rule);
    b->rule->values = pl_new(PL_RULE_VALUES * sizeof *b->rule->values);
    b->rule->state_count = states->count;
    for (size_t k = 0; k < states->count; k++)
        snprintf(b->rule->names[k], sizeof b->rule->names[k], "state/%s", states->list[k].name);
    add_values(b, update, outputs);
    int status = b->status ? b->status : check_states(b);
    if (!status) {
        b->rule->result = outputs[states->count];
        add_steps(b, outputs);
        status = b->status;
    }
    find_noise(b->rule);
    if (status)
        pl_rule_free(b->rule);
    else
        *rule = b->rule;
    free(b);
    return status;
}

void pl_rule_free(struct pl_rule *rule)
{
    if (!rule)
        return;
    free(rule->values);
    free(rule->steps);
    free(rule);
}

/* The numbers among the values, and with all every value, whose vectors then have one element. */
static void compute(const struct pl_rule *rule, const struct pl_rule_inputs *inputs, bool all, double theta, double g,
                    double *numbers)
{
    const double leaves[] = {
        0, 0, inputs->t, inputs->lambda, inputs->epsilon, inputs->beta, inputs->norm_g, inputs->norm_theta, theta,
        g, 0, 0};
    for (size_t i = 0; i < rule->count; i++) {
        const struct pl_rule_value *v = &rule->values[i];
        if (v->vector && !all)
            numbers[i] = 0;
        else if (v->op == PL_RULE_NUMBER)
            numbers[i] = v->number;
        else if (is_leaf(v->op))
            numbers[i] = leaves[v->op];
        else
            numbers[i] = pl_rule_compute(v->op, numbers[v->a], numbers[v->b], numbers[v->c]);
    }
}

void pl_rule_numbers(const struct pl_rule *rule, const struct pl_rule_inputs *inputs, double *numbers)
{
    compute(rule, inputs, false, 0, 0, numbers);
}

double pl_rule_evaluate(const struct pl_rule *rule, const struct pl_rule_inputs *inputs, double theta, double g)
{
    double numbers[PL_RULE_VALUES];
    compute(rule, inputs, true, theta, g, numbers);
    return numbers[rule->result];
}

bool pl_rule_is_noisy(const struct pl_rule *rule, const double *numbers)
{
    bool noisy = rule->always_noisy;
    for (size_t i = 0; i < rule->noise_count; i++)
        noisy = noisy || numbers[rule->noise[i]] != 0;
    return noisy;
}
