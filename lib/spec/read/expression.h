/* Expressions over settings, by muParser. */
#ifndef PL_SPEC_EXPRESSION_H
#define PL_SPEC_EXPRESSION_H

#include "base/base.h"

/* The names an expression uses, each once, as spelled. Returns false after filling why. */
struct expression_names {
    char names[16][64];
    size_t count;
};
bool pl_expression_scan(const char *expression, struct expression_names *names, struct pl_text *why);
/* Compiles an expression; variable says where the value of a name (as spelled) stands. Returns NULL after
 * filling why. */
struct expression;
struct expression *pl_expression_new(const char *expression, double *(*variable)(void *self, const char *name),
                                     void *self, struct pl_text *why);
/* NaN when it has no value. */
double pl_expression_value(struct expression *expression);
void pl_expression_free(struct expression *expression);

#endif
