/* rule: an update rule that was written as formulas, in three forms.
 *
 * A **tree** is what one text says (rule_read.c); it is written back in one canonical way (rule_write.c). A **rule** is
 * the trees of an optimizer put together (rule_build.c): a list of values without repetition, each a number or a vector
 * of one number for each parameter. Numbers are computed once a step, in double; vectors a block at a time, by a short
 * list of operations over buffers (rule_pass.c, compiled for each instruction set and precision, as the formulas that
 * are written in C are). No operation is fused and no order changed, so every instruction set has the same bits, unless
 * it draws other noise. */
#ifndef PL_OPTIM_RULE_H
#define PL_OPTIM_RULE_H

#include "base/base.h"

enum {
    PL_RULE_STATES = 8,   /* most states */
    PL_RULE_NAME = 32,    /* bytes of a name, its end included */
    PL_RULE_LENGTH = 1000 /* most characters of a formula */
};

/* Functions of one number: name, and what computes it in double and in the precision of a build. */
#define PL_EACH_RULE_FUNCTION(X)                                                                                       \
    X(SIN, "sin", sin)                                                                                                 \
    X(COS, "cos", cos)                                                                                                 \
    X(TAN, "tan", tan)                                                                                                 \
    X(ASIN, "asin", asin)                                                                                              \
    X(ACOS, "acos", acos)                                                                                              \
    X(ATAN, "atan", atan)                                                                                              \
    X(SINH, "sinh", sinh)                                                                                              \
    X(COSH, "cosh", cosh)                                                                                              \
    X(TANH, "tanh", tanh)                                                                                              \
    X(ASINH, "asinh", asinh)                                                                                           \
    X(ACOSH, "acosh", acosh)                                                                                           \
    X(ATANH, "atanh", atanh)                                                                                           \
    X(LOG2, "log2", log2)                                                                                              \
    X(LOG10, "log10", log10)                                                                                           \
    X(LOG, "log", log)                                                                                                 \
    X(EXP, "exp", exp)                                                                                                 \
    X(SQRT, "sqrt", sqrt)                                                                                              \
    X(CBRT, "cbrt", cbrt)                                                                                              \
    X(ABS, "abs", fabs)                                                                                                \
    X(FLOOR, "floor", floor)                                                                                           \
    X(CEIL, "ceil", ceil)

/* Operations on two values: name, how strongly it binds, and its value. */
#define PL_EACH_RULE_OPERATOR(X)                                                                                       \
    X(OR, "||", 1, (a != 0 || b != 0))                                                                                 \
    X(AND, "&&", 2, (a != 0 && b != 0))                                                                                \
    X(EQUAL, "==", 3, (a == b))                                                                                        \
    X(UNEQUAL, "!=", 3, (a != b))                                                                                      \
    X(LESS, "<", 3, (a < b))                                                                                           \
    X(GREATER, ">", 3, (a > b))                                                                                        \
    X(AT_MOST, "<=", 3, (a <= b))                                                                                      \
    X(AT_LEAST, ">=", 3, (a >= b))                                                                                     \
    X(ADD, "+", 4, a + b)                                                                                              \
    X(SUBTRACT, "-", 4, a - b)                                                                                         \
    X(MULTIPLY, "*", 5, a *b)                                                                                          \
    X(DIVIDE, "/", 5, a / b)

/* enum pl_rule_op, in the order of the tables. */
enum pl_rule_op {
    /* leaves: those of a tree, ... */
    PL_RULE_NUMBER,
    PL_RULE_WORD,
    /* ... those of a rule that are numbers, ... */
    PL_RULE_T,
    PL_RULE_LAMBDA,
    PL_RULE_EPSILON,
    PL_RULE_BETA,
    PL_RULE_NORM_G,
    PL_RULE_NORM_THETA,
    /* ... and vectors; from the third on states */
    PL_RULE_THETA,
    PL_RULE_G,
    PL_RULE_XI,
    PL_RULE_STATE,
    /* of one value */
    PL_RULE_NEGATE,
    PL_RULE_RINT,
    PL_RULE_SIGN,
#define NAME(name, spelling, function) PL_RULE_##name,
    PL_EACH_RULE_FUNCTION(NAME)
#undef NAME
    /* of two */
    PL_RULE_POWER,
    PL_RULE_ATAN2,
    PL_RULE_MIN,
    PL_RULE_MAX,
#define NAME(name, spelling, strength, value) PL_RULE_##name,
    PL_EACH_RULE_OPERATOR(NAME)
#undef NAME
        PL_RULE_IF, /* of three */
    PL_RULE_COPY
};

/* ---- trees ---- */

struct pl_rule_node {
    enum pl_rule_op op;
    uint16_t a, b, c; /* operands, each before it in the list */
    uint16_t at;      /* character of the text, for words */
    double number;
    char word[PL_RULE_NAME]; /* in its usual spelling: lambda of λ and lr */
};

struct pl_rule_tree {
    struct pl_rule_node *nodes; /* the last is the whole */
    size_t count, capacity;
};

/* What is wrong with a text, and where: character number at, from 0. */
struct pl_rule_fault {
    size_t at;
    char why[300];
};

/* Reads a formula; muParser has to read the same. Returns false after filling fault. */
bool pl_rule_read(struct pl_rule_tree *tree, const char *text, struct pl_rule_fault *fault);
void pl_rule_tree_release(struct pl_rule_tree *tree);
void pl_rule_write(const struct pl_rule_tree *tree, struct pl_text *out);
/* The names and formulas of a text "m = 0.9*m + 0.1*g; v = g^2", in the order of names. */
struct pl_rule_states {
    struct pl_rule_state {
        char name[PL_RULE_NAME];
        size_t at; /* where its formula begins in the text */
        struct pl_rule_tree tree;
    } list[PL_RULE_STATES];
    size_t count;
};
bool pl_rule_states_read(struct pl_rule_states *states, const char *text, struct pl_rule_fault *fault);
void pl_rule_states_release(struct pl_rule_states *states);
void pl_rule_states_write(const struct pl_rule_states *states, struct pl_text *out);
/* Is it a name that a state or a parameter can have? Else why says why not. */
bool pl_rule_name_is_legal(const char *name, const char **why);

/* One operation on numbers, as the passes over vectors have it. */
double pl_rule_compute(enum pl_rule_op op, double a, double b, double c);

/* ---- rules ---- */

/* Where vectors are. */
enum {
    PL_PLACE_THETA,
    PL_PLACE_G,
    PL_PLACE_XI,
    PL_PLACE_NORM_G, /* of chains, each of which has its own */
    PL_PLACE_NORM_THETA,
    PL_PLACE_STATE,
    PL_PLACE_BUFFER = PL_PLACE_STATE + PL_RULE_STATES,
    PL_RULE_BUFFERS = 24,
    PL_PLACES = PL_PLACE_BUFFER + PL_RULE_BUFFERS,
    PL_RULE_VALUES = 1000
};

/* One operation over a block: operands are places, or numbers where form says so. */
struct pl_rule_step {
    uint8_t op, to, form; /* form: bit k is set where operand k is a number */
    uint16_t operands[3];
};

struct pl_rule {
    char names[PL_RULE_STATES][PL_RULE_NAME + 8]; /* of states, as checkpoints have them: "state/m" */
    size_t state_count;
    struct pl_rule_value {
        enum pl_rule_op op;
        uint16_t a, b, c;
        uint16_t state; /* of a leaf that is one */
        bool vector;
        double number;
    } * values;
    size_t count;
    uint16_t result; /* the value that theta becomes */
    struct pl_rule_step *steps;
    size_t step_count;
    bool uses_norm_g, uses_norm_theta;
    uint16_t noise[8]; /* numbers that xi is multiplied with, wherever it stands */
    size_t noise_count;
    bool always_noisy; /* it also stands elsewhere */
};

/* The numbers that a rule starts from. */
struct pl_rule_inputs {
    double t, lambda, epsilon, beta, norm_g, norm_theta;
};

/* What a word means that is neither built in nor a state: true and its value, or false. */
typedef bool pl_rule_parameter(void *self, const char *word, double *value);

/* Puts a rule together. With chains, norms are vectors. Fails with PL_EINPUT: a word that means nothing, a state that
 * no formula uses, a rule that is too long. */
int pl_rule_build(struct pl_rule **rule, const struct pl_rule_states *states, const struct pl_rule_tree *update,
                  bool chains, pl_rule_parameter *parameter, void *self, struct pl_error *err);
void pl_rule_free(struct pl_rule *rule);
/* The rule that the settings of a run spell out. Fails with PL_EINPUT, as pl_rule_build does and for texts that are no
 * formulas. */
int pl_formula_build(const struct pl_settings *settings, bool chains, struct pl_rule **rule, struct pl_error *err);

/* Without update: do tame and boost make a polygonal scheme (poula.c)? Settings are complete. */
int pl_formula_judge(const struct pl_settings *settings, struct pl_error *err);
/* Computes the numbers of a rule: PL_RULE_VALUES places at most, as many as it has values. */
void pl_rule_numbers(const struct pl_rule *rule, const struct pl_rule_inputs *inputs, double *numbers);
/* What theta becomes, for one element by itself whose xi and states are 0. */
double pl_rule_evaluate(const struct pl_rule *rule, const struct pl_rule_inputs *inputs, double theta, double g);
/* poula.c: looks at the conditions on a polygonal scheme. The rule's result is H_lambda. Fails with PL_EINPUT, saying
 * which does not hold. */
int pl_poula_check(const struct pl_rule *rule, const struct pl_rule_inputs *inputs, double growth,
                   struct pl_error *err);
/* Is xi multiplied with anything but 0? */
bool pl_rule_is_noisy(const struct pl_rule *rule, const double *numbers);

#endif
