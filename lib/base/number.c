#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* poula never calls setlocale, so printf and strtod keep the "C" locale's decimal point. */

static size_t put(char spelling[PL_NUMBER_SIZE], const char *text)
{
    const size_t length = strlen(text);
    memcpy(spelling, text, length + 1);
    return length;
}

size_t pl_number_write(double value, char spelling[PL_NUMBER_SIZE])
{
    if (isnan(value))
        return put(spelling, "nan");
    if (isinf(value))
        return put(spelling, value > 0 ? "inf" : "-inf");
    /* Most settings are short decimals or whole numbers; those need no search. */
    if (fabs(value) < 1e9 && value == (double)(int32_t)value && !(value == 0 && signbit(value)))
        return (size_t)snprintf(spelling, PL_NUMBER_SIZE, "%d", (int32_t)value);
    for (int digits = 15; digits <= 17; digits++) {
        int n = snprintf(spelling, PL_NUMBER_SIZE, "%.*g", digits, value);
        if (digits == 17 || strtod(spelling, NULL) == value)
            return (size_t)n;
    }
    return 0;
}

static bool is_decimal(const char *s)
{
    s += *s == '+' || *s == '-';
    const char *whole = s;
    while (isdigit((unsigned char)*s))
        s++;
    size_t before = (size_t)(s - whole), after = 0;
    if (before > 1 && *whole == '0')
        return false; /* 010 is eight to YAML 1.1 and ten to YAML 1.2 */
    if (*s == '.') {
        const char *fraction = ++s;
        while (isdigit((unsigned char)*s))
            s++;
        after = (size_t)(s - fraction);
    }
    if (!before && !after)
        return false;
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        if (!isdigit((unsigned char)*s))
            return false;
        while (isdigit((unsigned char)*s))
            s++;
    }
    return *s == '\0';
}

static bool is_infinity(const char *s, double *value)
{
    bool negative = *s == '-';
    s += *s == '+' || *s == '-';
    s += *s == '.';
    if (strcmp(s, "inf") && strcmp(s, "Inf") && strcmp(s, "INF") && strcmp(s, "infinity"))
        return false;
    *value = negative ? -INFINITY : INFINITY;
    return true;
}

bool pl_number_read(const char *text, double *value)
{
    if (is_infinity(text, value))
        return true;
    if (!is_decimal(text))
        return false;
    double number = strtod(text, NULL);
    if (isinf(number))
        return false;
    *value = number;
    return true;
}

bool pl_integer_read(const char *text, int64_t *value)
{
    const char *s = text + (*text == '+' || *text == '-');
    if (!isdigit((unsigned char)*s) || (*s == '0' && s[1]))
        return false;
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || *end)
        return false;
    *value = number;
    return true;
}

bool pl_count_read(const char *text, int64_t *value)
{
    char digits[40];
    size_t n = strlen(text);
    if (!n || n >= sizeof digits)
        return false;
    double scale = 1;
    switch (text[n - 1]) {
    case 'k':
    case 'K':
        scale = 1e3;
        n--;
        break;
    case 'M':
        scale = 1e6;
        n--;
        break;
    case 'G':
        scale = 1e9;
        n--;
        break;
    }
    memcpy(digits, text, n);
    digits[n] = '\0';
    double number;
    if (!pl_number_read(digits, &number))
        return false;
    number *= scale;
    if (!(fabs(number) < 9e18) || number != floor(number))
        return false;
    *value = (int64_t)number;
    return true;
}
