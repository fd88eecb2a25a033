/* Expressions over named numbers, by muParser. */
#ifndef PL_BASE_EXPRESSION_H
#define PL_BASE_EXPRESSION_H

#include "base/base.h"

/* One step through an expression: *start and *length say where the token stands; *s is moved behind it. A function is a
 * name before a parenthesis. */
enum pl_token { PL_TOKEN_END, PL_TOKEN_NUMBER, PL_TOKEN_NAME, PL_TOKEN_FUNCTION, PL_TOKEN_OTHER, PL_TOKEN_BAD };
enum pl_token pl_expression_token(const char **s, const char **start, size_t *length);
extern const char pl_expression_functions[]; /* names of all there are */

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
