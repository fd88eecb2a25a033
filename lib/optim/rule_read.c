/* Formulas, read: by recursive descent with the precedences of muParser, which then has to agree. */
#include "optim/rule.h"

#include "base/expression.h"
#include "optim/formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100, MOST_NODES = 1000 };

struct reading {
    const char *text, *next; /* what comes after the token */
    const char *start;       /* the token */
    size_t length;
    enum pl_token token;
    int depth;
    bool failed;
    struct pl_rule_tree *tree;
    struct pl_rule_fault *fault;
};

const char pl_formula_own_words[] = "t lambda epsilon beta theta g xi norm_g norm_theta";

/* Other spellings of what is built in: those of the settings, and letters. */
static const char *usual(const char *word)
{
    static const char *const spellings[][2] = {{"lambda", "λ lr learning_rate"},
                                               {"epsilon", "ε eps"},
                                               {"beta", "β"},
                                               {"theta", "θ"},
                                               {"xi", "ξ"},
                                               {"pi", "_pi"}};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (pl_has_word(spellings[i][1], word))
            return spellings[i][0];
    return word;
}

bool pl_rule_name_is_legal(const char *name, const char **why)
{
    size_t length = strlen(name);
    const char *plain = usual(name);
    *why = "a name is a letter followed by letters, digits and _, at most 31 in all";
    bool legal = length && length < PL_RULE_NAME && ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z'));
    for (const char *c = name; *c && legal; c++)
        legal = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
    if (!legal)
        return false;
    *why = "formulas have that name already";
    if (pl_has_word(pl_formula_own_words, plain))
        return false;
    *why = "it is a function or a constant";
    return !pl_has_word("pi inf _e", plain) && !pl_has_word(pl_expression_functions, plain);
}

static uint16_t fail_at(struct reading *r, const char *at, const char *why)
{
    if (!r->failed) {
        r->fault->at = (size_t)(at - r->text);
        snprintf(r->fault->why, sizeof r->fault->why, "%s", why);
    }
    r->failed = true;
    return 0;
}

static void step(struct reading *r)
{
    r->next += strspn(r->next, " \t\r\n");
    r->token = pl_expression_token(&r->next, &r->start, &r->length);
    if (r->token == PL_TOKEN_BAD)
        fail_at(r, r->start,
                strchr("0123456789.", *r->start) && *r->start
                    ? "this is no number"
                    : "a formula has numbers, names, functions, + - * / ^ ( ) , comparisons, && || and a ? b : c, and "
                      "not this");
}

static bool is(const struct reading *r, const char *word)
{
    return !r->failed && r->token == PL_TOKEN_OTHER && strlen(word) == r->length && !memcmp(word, r->start, r->length);
}

static bool take(struct reading *r, const char *word)
{
    if (!is(r, word))
        return false;
    step(r);
    return true;
}

static uint16_t add(struct reading *r, struct pl_rule_node node)
{
    struct pl_rule_tree *tree = r->tree;
    if (tree->count == MOST_NODES)
        return fail_at(r, r->start, "the formula is too long");
    void *nodes = tree->nodes;
    pl_grow(&nodes, &tree->capacity, tree->count + 1, sizeof *tree->nodes);
    tree->nodes = nodes;
    tree->nodes[tree->count] = node;
    return (uint16_t)tree->count++;
}

static uint16_t add_op(struct reading *r, enum pl_rule_op op, uint16_t a, uint16_t b, uint16_t c)
{
    return add(r, (struct pl_rule_node){.op = op, .a = a, .b = b, .c = c});
}

static uint16_t read_choice(struct reading *r);

/* Says what stands where a value should. */
static uint16_t lacks_value(struct reading *r)
{
    char why[120];
    if (r->failed)
        return 0;
    if (r->token == PL_TOKEN_END)
        return fail_at(r, r->start, "a value is missing at the end");
    snprintf(why, sizeof why, "%.*s stands where a value should", (int)r->length, r->start);
    return fail_at(r, r->start, why);
}

static uint16_t read_word(struct reading *r)
{
    struct pl_rule_node node = {.op = PL_RULE_WORD, .at = (uint16_t)(r->start - r->text)};
    char word[PL_RULE_NAME + 32] = "";
    if (r->length >= sizeof word)
        return fail_at(r, r->start, "the name is too long");
    memcpy(word, r->start, r->length);
    const char *plain = usual(word);
    if (strlen(plain) >= sizeof node.word)
        return fail_at(r, r->start, "the name is too long");
    snprintf(node.word, sizeof node.word, "%s", plain);
    if (pl_has_word("pi inf _e", plain)) {
        node.op = PL_RULE_NUMBER;
        node.number = *plain == 'p' ? M_PI : *plain == 'i' ? INFINITY : M_E;
    }
    step(r);
    return add(r, node);
}

static uint16_t read_number(struct reading *r)
{
    struct pl_rule_node node = {.op = PL_RULE_NUMBER};
    char *spelling = pl_copy_bytes(r->start, r->length);
    bool good = pl_number_read(spelling, &node.number);
    free(spelling);
    if (!good)
        return fail_at(r, r->start, "this is no number");
    step(r);
    return add(r, node);
}

struct function {
    const char *name;
    enum pl_rule_op op;
    int least, most;
};

static const struct function functions[] = {
#define FUNCTION(name, spelling, function) {spelling, PL_RULE_##name, 1, 1},
    PL_EACH_RULE_FUNCTION(FUNCTION)
#undef FUNCTION
        {"ln", PL_RULE_LOG, 1, 1},
    {"rint", PL_RULE_RINT, 1, 1},
    {"sign", PL_RULE_SIGN, 1, 1},
    {"pow", PL_RULE_POWER, 2, 2},
    {"atan2", PL_RULE_ATAN2, 2, 2},
    {"min", PL_RULE_MIN, 1, 100},
    {"max", PL_RULE_MAX, 1, 100},
    {"sum", PL_RULE_ADD, 1, 100},
    {"avg", PL_RULE_ADD, 1, 100},
};

/* NAME ( values ), folded from the left where there are many. */
static uint16_t read_function(struct reading *r)
{
    const struct function *f = NULL;
    const char *start = r->start;
    char why[sizeof r->fault->why];
    const size_t length = r->length;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && !memcmp(functions[i].name, start, length))
            f = &functions[i];
    if (!f) {
        snprintf(why, sizeof why, "there is no function %.*s; there are %s", length < 30 ? (int)length : 30, start,
                 pl_expression_functions);
        return fail_at(r, start, why);
    }
    step(r);
    step(r); /* the parenthesis */
    uint16_t value = 0;
    int count = 0;
    for (bool more = !is(r, ")"); more && !r->failed; more = take(r, ",")) {
        uint16_t one = read_choice(r);
        value = !count ? one : f->most == 2 && count > 1 ? value : add_op(r, f->op, value, one, 0);
        count++;
    }
    if (r->failed)
        return 0;
    if (count < f->least || count > f->most) {
        snprintf(why, sizeof why, "%s takes %d value%s, not %d", f->name, count < f->least ? f->least : f->most,
                 (count < f->least ? f->least : f->most) == 1 ? "" : "s", count);
        return fail_at(r, start, why);
    }
    if (!take(r, ")"))
        return fail_at(r, start, "this ( is not closed");
    if (f->most == 1)
        value = add_op(r, f->op, value, 0, 0);
    if (!strcmp(f->name, "avg"))
        value = add_op(r, PL_RULE_DIVIDE, value, add(r, (struct pl_rule_node){.op = PL_RULE_NUMBER, .number = count}),
                       0);
    return value;
}

static uint16_t read_value(struct reading *r)
{
    const char *start = r->start;
    if (r->failed)
        return 0;
    if (r->token == PL_TOKEN_NUMBER)
        return read_number(r);
    if (r->token == PL_TOKEN_NAME)
        return read_word(r);
    if (r->token == PL_TOKEN_FUNCTION)
        return read_function(r);
    if (!take(r, "("))
        return lacks_value(r);
    uint16_t value = read_choice(r);
    if (!r->failed && !take(r, ")"))
        return fail_at(r, r->token == PL_TOKEN_END ? start : r->start,
                       r->token == PL_TOKEN_END ? "this ( is not closed" : "an operator or ) is missing here");
    return value;
}

/* -a^b is -(a^b), a^-b and a^b^c = a^(b^c) as usual. */
static uint16_t read_power(struct reading *r)
{
    bool minus = take(r, "-");
    if (!minus)
        take(r, "+");
    uint16_t value = read_value(r);
    if (++r->depth > DEEPEST)
        return fail_at(r, r->start, "the formula is nested too deeply");
    if (take(r, "^"))
        value = add_op(r, PL_RULE_POWER, value, read_power(r), 0);
    r->depth--;
    return minus ? add_op(r, PL_RULE_NEGATE, value, 0, 0) : value;
}

static const struct {
    const char *spelling;
    int strength;
    enum pl_rule_op op;
} operators[] = {
#define OPERATOR(name, spelling, strength, value) {spelling, strength, PL_RULE_##name},
    PL_EACH_RULE_OPERATOR(OPERATOR)
#undef OPERATOR
};
enum { STRONGEST = 5 };

/* Operators that bind at least so strongly, from left to right. */
static uint16_t read_operation(struct reading *r, int strength)
{
    if (strength > STRONGEST)
        return read_power(r);
    uint16_t value = read_operation(r, strength + 1);
    for (bool found = true; found && !r->failed;) {
        found = false;
        for (size_t i = 0; i < sizeof operators / sizeof *operators && !found; i++) {
            if (operators[i].strength != strength || !take(r, operators[i].spelling))
                continue;
            found = true;
            value = add_op(r, operators[i].op, value, read_operation(r, strength + 1), 0);
        }
    }
    return value;
}

static uint16_t read_choice(struct reading *r)
{
    if (++r->depth > DEEPEST)
        return fail_at(r, r->start, "the formula is nested too deeply");
    uint16_t value = read_operation(r, 1);
    const char *start = r->start;
    if (take(r, "?")) {
        uint16_t yes = read_choice(r);
        if (!r->failed && !take(r, ":"))
            return fail_at(r, start, "this ? lacks its :");
        value = add_op(r, PL_RULE_IF, value, yes, read_choice(r));
    }
    r->depth--;
    return value;
}

/* ---- muParser's opinion ---- */

static double value_of(const struct pl_rule_tree *tree, size_t node, double point)
{
    const struct pl_rule_node *n = &tree->nodes[node];
    if (n->op == PL_RULE_NUMBER)
        return n->number;
    if (n->op == PL_RULE_WORD) {
        double value = point;
        for (const char *c = n->word; *c; c++)
            value = value * 0.75 + 0.004 * (unsigned char)*c;
        return value;
    }
    bool two = n->op >= PL_RULE_POWER, three = n->op == PL_RULE_IF;
    return pl_rule_compute(n->op, value_of(tree, n->a, point), two ? value_of(tree, n->b, point) : 0,
                           three ? value_of(tree, n->c, point) : 0);
}

struct variables {
    double values[16], point;
    size_t count;
};

static double *variable(void *self, const char *name)
{
    struct variables *v = self;
    struct pl_rule_node word = {.op = PL_RULE_WORD};
    struct pl_rule_tree one = {&word, 1, 1};
    snprintf(word.word, sizeof word.word, "%s", usual(name));
    v->values[v->count] = value_of(&one, 0, v->point);
    return &v->values[v->count++];
}

static bool is_near(double a, double b)
{
    return a == b || !isfinite(a) || !isfinite(b) || fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-300;
}

/* Where both come to another value at some point, one of them has read something else. */
static bool agrees(const struct pl_rule_tree *tree, const char *text, struct pl_text *why)
{
    static const double points[] = {0.37, -0.81, 2.6};
    bool good = true;
    for (size_t i = 0; i < sizeof points / sizeof *points && good; i++) {
        struct variables variables = {.point = points[i]};
        struct expression *theirs = pl_expression_new(text, variable, &variables, why);
        good = theirs && is_near(pl_expression_value(theirs), value_of(tree, tree->count - 1, points[i]));
        pl_expression_free(theirs);
    }
    if (!good && !why->length)
        pl_text_add(why, "muParser reads it in another way");
    return good;
}

static void close_blanks(char *text)
{
    for (; *text; text++)
        if (strchr("\t\r\n", *text))
            *text = ' ';
}

bool pl_rule_read(struct pl_rule_tree *tree, const char *text, struct pl_rule_fault *fault)
{
    *tree = (struct pl_rule_tree){0};
    struct reading r = {.text = text, .next = text, .start = text, .tree = tree, .fault = fault};
    if (strlen(text) > PL_RULE_LENGTH)
        fail_at(&r, text, "the formula is longer than 1000 characters");
    else
        step(&r);
    if (!r.failed)
        read_choice(&r);
    if (!r.failed && r.token != PL_TOKEN_END)
        fail_at(&r, r.start, is(&r, ")") ? "this ) closes nothing" : "an operator is missing before this");
    struct pl_text why = {0};
    char *plain = pl_copy(text);
    close_blanks(plain);
    if (!r.failed && !agrees(tree, plain, &why))
        fail_at(&r, text, pl_text(&why));
    free(plain);
    pl_text_release(&why);
    if (r.failed)
        pl_rule_tree_release(tree);
    return !r.failed;
}

void pl_rule_tree_release(struct pl_rule_tree *tree)
{
    free(tree->nodes);
    *tree = (struct pl_rule_tree){0};
}
