/* Operations of rules over blocks: each a loop that compilers turn into vectors. What goes in and what comes out may be
 * one array. */
#include "optim/rule_pass.h"

#include <string.h>

#if REAL_BITS == 32
#define REAL_FUNCTION(name) name##f
#else
#define REAL_FUNCTION(name) name
#endif

/* Where the operands of a step are; numbers, where they are no vectors. */
struct operands {
    real *to;
    const real *a, *b, *c;
    real x, y;
    size_t n;
};

#define LOOP(value)                                                                                                    \
    do {                                                                                                               \
        real *to = o->to;                                                                                              \
        const size_t n = o->n;                                                                                         \
        APART                                                                                                          \
        for (size_t i = 0; i < n; i++)                                                                                 \
            to[i] = (real)(value);                                                                                     \
    } while (0)

/* A value of a and b, either of which may be a number. */
#define PAIR(name, value)                                                                                              \
    static inline real name##_of(real a, real b)                                                                       \
    {                                                                                                                  \
        return (real)(value);                                                                                          \
    }                                                                                                                  \
    static void name(const struct operands *o, unsigned form)                                                          \
    {                                                                                                                  \
        const real *a = o->a, *b = o->b, x = o->x, y = o->y;                                                           \
        if (form == 0)                                                                                                 \
            LOOP(name##_of(a[i], b[i]));                                                                               \
        else if (form == 1)                                                                                            \
            LOOP(name##_of(x, b[i]));                                                                                  \
        else                                                                                                           \
            LOOP(name##_of(a[i], y));                                                                                  \
    }

#define OPERATOR(name, spelling, strength, value) PAIR(pass_##name, value)
PL_EACH_RULE_OPERATOR(OPERATOR)
#undef OPERATOR
PAIR(pass_MIN, a < b || a != a ? a : b)
PAIR(pass_MAX, a > b || a != a ? a : b)

/* Small whole powers are products: of squares, from the lowest bit of the exponent on. */
static real whole_power(real x, unsigned exponent)
{
    real power = exponent & 1 ? x : 1;
    for (exponent >>= 1; exponent; exponent >>= 1) {
        x *= x;
        power = exponent & 1 ? power * x : power;
    }
    return power;
}

static void raise(const struct operands *o, unsigned form)
{
    const real *a = o->a, *b = o->b, x = o->x, y = o->y;
    const double size = fabs((double)y);
    if (form == 0)
        LOOP(REAL_FUNCTION(pow)(a[i], b[i]));
    else if (form == 1)
        LOOP(REAL_FUNCTION(pow)(x, b[i]));
    else if (y == 2)
        LOOP(a[i] * a[i]);
    else if (y == (real)0.5)
        LOOP(real_sqrt(a[i]));
    else if (size <= 16 && size == floor(size) && y > 0)
        LOOP(whole_power(a[i], (unsigned)size));
    else if (size <= 16 && size == floor(size))
        LOOP(1 / whole_power(a[i], (unsigned)size));
    else
        LOOP(REAL_FUNCTION(pow)(a[i], y));
}

static void take_step(const struct operands *o, enum pl_rule_op op, unsigned form)
{
    const real *a = o->a, *b = o->b, *c = o->c, x = o->x;
    switch (op) {
    case PL_RULE_COPY:
        if (form)
            LOOP(x);
        else
            LOOP(a[i]);
        break;
    case PL_RULE_NEGATE:
        LOOP(-a[i]);
        break;
    case PL_RULE_RINT:
        LOOP(REAL_FUNCTION(floor)(a[i] + (real)0.5));
        break;
    case PL_RULE_SIGN:
        LOOP(sign_of(a[i]));
        break;
#define CASE(name, spelling, function)                                                                                 \
    case PL_RULE_##name:                                                                                               \
        LOOP(REAL_FUNCTION(function)(a[i]));                                                                           \
        break;
        PL_EACH_RULE_FUNCTION(CASE)
#undef CASE
    case PL_RULE_ATAN2:
        LOOP(REAL_FUNCTION(atan2)(a[i], b[i]));
        break;
    case PL_RULE_POWER:
        raise(o, form);
        break;
    case PL_RULE_MIN:
        pass_MIN(o, form);
        break;
    case PL_RULE_MAX:
        pass_MAX(o, form);
        break;
#define CASE(name, spelling, strength, value)                                                                          \
    case PL_RULE_##name:                                                                                               \
        pass_##name(o, form);                                                                                          \
        break;
        PL_EACH_RULE_OPERATOR(CASE)
#undef CASE
    case PL_RULE_IF:
        LOOP(a[i] != 0 ? b[i] : c[i]);
        break;
    default: /* leaves are no steps */
        break;
    }
}

void KERNEL(pl_rule_run)(const struct pl_rule *rule, const double *numbers, real *const *places, size_t n)
{
    real buffers[PL_RULE_BUFFERS][PL_BLOCK] __attribute__((aligned(64)));
    real *at[PL_PLACES];
    memcpy(at, places, PL_PLACE_BUFFER * sizeof *at);
    for (size_t k = 0; k < PL_RULE_BUFFERS; k++)
        at[PL_PLACE_BUFFER + k] = buffers[k];
    for (size_t s = 0; s < rule->step_count; s++) {
        const struct pl_rule_step *step = &rule->steps[s];
        struct operands o = {.to = at[step->to], .n = n};
        if (step->form & 1)
            o.x = (real)numbers[step->operands[0]];
        else
            o.a = at[step->operands[0]];
        if (step->form & 2)
            o.y = (real)numbers[step->operands[1]];
        else
            o.b = at[step->operands[1]];
        o.c = at[step->operands[2]];
        take_step(&o, (enum pl_rule_op)step->op, step->form);
    }
}
