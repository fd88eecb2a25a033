/* Expressions such as 5e-4*sqrt(lambda), evaluated by muParser. They are scanned here first: muParser would
 * also take assignments, several values, and numbers that a spec refuses. */
#include "base/expression.h"

#include <ctype.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_EXPRESSION = 1000 };

struct expression {
    muParserHandle_t parser;
};

const char
    pl_expression_functions[] = "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh log2 log10 log ln "
                                "exp sqrt cbrt sign rint abs floor ceil min max sum avg pow";
static const char constants[] = "pi inf _pi _e";

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (is_name_start(s[n]) || isdigit((unsigned char)s[n]))
        n++;
    return n;
}

/* Length of a number at s; 0 when it is malformed. */
static size_t number_length(const char *s)
{
    size_t n = strspn(s, "0123456789");
    if (n > 1 && s[0] == '0')
        return 0;
    if (s[n] == '.')
        n += 1 + strspn(s + n + 1, "0123456789");
    if (s[n] == 'e' || s[n] == 'E') {
        size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
        size_t exponent = strspn(s + n + 1 + sign, "0123456789");
        if (!exponent)
            return 0;
        n += 1 + sign + exponent;
    }
    return n == 1 && *s == '.' ? 0 : is_name_start(s[n]) || s[n] == '.' ? 0 : n;
}

enum pl_token pl_expression_token(const char **s, const char **start, size_t *length)
{
    *s += strspn(*s, " ");
    *start = *s;
    *length = 1;
    if (!**s)
        return PL_TOKEN_END;
    enum pl_token token = PL_TOKEN_OTHER;
    if (isdigit((unsigned char)**s) || **s == '.') {
        *length = number_length(*s);
        token = *length ? PL_TOKEN_NUMBER : PL_TOKEN_BAD;
    } else if (is_name_start(**s)) {
        *length = name_length(*s);
        token = (*s)[*length + strspn(*s + *length, " ")] == '(' ? PL_TOKEN_FUNCTION : PL_TOKEN_NAME;
    } else if (!strncmp(*s, "==", 2) || !strncmp(*s, "<=", 2) || !strncmp(*s, ">=", 2) || !strncmp(*s, "!=", 2) ||
               !strncmp(*s, "&&", 2) || !strncmp(*s, "||", 2)) {
        *length = 2;
    } else if (!strchr("+-*/^(),<>?:", **s)) {
        token = PL_TOKEN_BAD;
    }
    *s += *length;
    return token;
}

static const char *skip_mark(const char *expression)
{
    return expression + (*expression == '=');
}

static bool add_name(struct expression_names *names, const char *start, size_t length, struct pl_text *why)
{
    enum { MOST = sizeof names->names / sizeof *names->names };
    char word[sizeof *names->names] = "";
    if (length >= sizeof word) {
        pl_text_add(why, "contains a name that is too long");
        return false;
    }
    memcpy(word, start, length);
    if (pl_has_word(constants, word))
        return true;
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->names[i], word))
            return true;
    if (names->count == MOST) {
        pl_text_add(why, "uses more than 16 other settings");
        return false;
    }
    memcpy(names->names[names->count++], word, sizeof word);
    return true;
}

static bool is_function(const char *start, size_t length)
{
    char word[16] = "";
    if (length >= sizeof word)
        return false;
    memcpy(word, start, length);
    return pl_has_word(pl_expression_functions, word);
}

/* What is wrong with a token where it stands, behind that character, or NULL. *wanted: must a value come next? */
static const char *misplaced(enum pl_token token, const char *start, char behind, bool *wanted)
{
    bool value = token == PL_TOKEN_NUMBER || token == PL_TOKEN_NAME, sign = *start == '+' || *start == '-';
    bool opens = value || token == PL_TOKEN_FUNCTION || *start == '(', needs = !opens && !sign && *wanted;
    if (needs && token != PL_TOKEN_END && *start == '*' && behind == '*')
        return "a power is written ^, not **";
    if (opens && !*wanted)
        return "an operator is missing";
    *wanted = !value && *start != ')';
    return needs ? "a value is missing" : NULL;
}

/* Values and operators take turns: muParser would take "1 2" for 12. */
static bool take_turns(const char *expression, struct pl_text *why)
{
    const char *s = skip_mark(expression), *start, *wrong = NULL;
    size_t length;
    bool wanted = true;
    for (enum pl_token token = PL_TOKEN_BAD; token != PL_TOKEN_END && !wrong;) {
        token = pl_expression_token(&s, &start, &length);
        wrong = misplaced(token, start, start > expression ? start[-1] : '\0', &wanted);
    }
    if (wrong)
        pl_text_addf(why, "is neither a number nor an expression: %s (at character %zu)", wrong,
                     (size_t)(start - expression) + 1);
    return !wrong;
}

bool pl_expression_scan(const char *expression, struct expression_names *names, struct pl_text *why)
{
    *names = (struct expression_names){0};
    if (strlen(expression) > LONGEST_EXPRESSION) {
        pl_text_addf(why, "is longer than %d characters", LONGEST_EXPRESSION);
        return false;
    }
    const char *s = skip_mark(expression), *start;
    size_t length, depth = 0;
    for (enum pl_token token; (token = pl_expression_token(&s, &start, &length)) != PL_TOKEN_END;) {
        if (token == PL_TOKEN_NAME && !add_name(names, start, length, why))
            return false;
        if (token == PL_TOKEN_FUNCTION && !is_function(start, length)) {
            pl_text_addf(why, "is neither a number nor an expression: there is no function %.*s; there are %s",
                         length < 40 ? (int)length : 40, start, pl_expression_functions);
            return false;
        }
        if (token == PL_TOKEN_OTHER && *start == '(')
            depth++;
        if ((token == PL_TOKEN_OTHER && ((*start == ')' && !depth--) || (*start == ',' && !depth))) ||
            token == PL_TOKEN_BAD) {
            pl_text_addf(why,
                         "is neither a number nor an expression of numbers, settings, + - * / ^ ( ) and functions "
                         "(at character %zu)",
                         (size_t)(start - expression) + 1);
            return false;
        }
    }
    if (depth) {
        pl_text_add(why, "is not an expression: a ( is not closed");
        return false;
    }
    return take_turns(expression, why);
}

/* muParser's default handler prints; the error is asked for afterwards instead. */
static void ignore_error(muParserHandle_t parser)
{
    (void)parser;
}

static muFloat_t power(muFloat_t x, muFloat_t y)
{
    return pow(x, y);
}

static void define(muParserHandle_t parser)
{
    mupDefineFun2(parser, "pow", power, 1);
    mupDefineFun1(parser, "cbrt", cbrt, 1);
    mupDefineFun1(parser, "floor", floor, 1);
    mupDefineFun1(parser, "ceil", ceil, 1);
    mupDefineConst(parser, "pi", 3.14159265358979323846);
    mupDefineConst(parser, "inf", INFINITY);
}

/* The expression with every name replaced by its variable, spelled v0, v1, ...: keys may have letters that
 * muParser does not take for names. */
static void translate(const char *expression, const struct expression_names *names, struct pl_text *out)
{
    const char *s = skip_mark(expression), *start;
    size_t length;
    for (enum pl_token token; (token = pl_expression_token(&s, &start, &length)) != PL_TOKEN_END;) {
        size_t i = names->count;
        if (token == PL_TOKEN_NAME)
            for (i = 0; i < names->count; i++)
                if (strlen(names->names[i]) == length && !memcmp(names->names[i], start, length))
                    break;
        if (i < names->count)
            pl_text_addf(out, " v%zu ", i);
        else
            pl_text_add_bytes(out, start, length);
    }
}

struct expression *pl_expression_new(const char *text, double *(*variable)(void *self, const char *name), void *self,
                                     struct pl_text *why)
{
    struct expression_names names;
    if (!pl_expression_scan(text, &names, why))
        return NULL;
    struct expression *expression = pl_new(sizeof *expression);
    struct pl_text translated = {0};
    expression->parser = mupCreate(muBASETYPE_FLOAT);
    mupSetErrorHandler(expression->parser, ignore_error);
    define(expression->parser);
    for (size_t i = 0; i < names.count; i++) {
        char name[24];
        snprintf(name, sizeof name, "v%zu", i);
        mupDefineVar(expression->parser, name, variable(self, names.names[i]));
    }
    translate(text, &names, &translated);
    mupSetExpr(expression->parser, pl_text(&translated));
    int values = 0;
    mupEvalMulti(expression->parser, &values);
    bool wrong = mupError(expression->parser), good = !wrong && values == 1; /* asking forgets the error */
    if (!good)
        pl_text_addf(why, "is neither a number nor an expression: %s",
                     wrong ? mupGetErrorMsg(expression->parser) : "it has several values");
    pl_text_release(&translated);
    if (good)
        return expression;
    pl_expression_free(expression);
    return NULL;
}

double pl_expression_value(struct expression *expression)
{
    double value = mupEval(expression->parser);
    if (mupError(expression->parser)) {
        mupErrorReset(expression->parser);
        return NAN;
    }
    return value;
}

void pl_expression_free(struct expression *expression)
{
    if (!expression)
        return;
    mupRelease(expression->parser);
    free(expression);
}
