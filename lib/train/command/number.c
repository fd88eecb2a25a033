/* Numbers as programs print them. strtod decides what the digits mean, so 1e999 is infinite; here it is decided where a
 * number ends, because half of a text is a wrong number. */
#include "train/command/line.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Does text begin with word, without regard to case, and not go on with a letter, digit or _? */
static size_t begins(const char *text, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - text) < length || strncasecmp(text, word, length))
        return 0;
    const char *next = text + length;
    return next < end && (isalnum((unsigned char)*next) || *next == '_') ? 0 : length;
}

/* (...) at text, balanced: how many bytes; 0: there is none. */
static size_t parentheses(const char *text, const char *end)
{
    int depth = 0;
    if (text == end || *text != '(')
        return 0;
    for (const char *c = text; c < end; c++) {
        depth += (*c == '(') - (*c == ')');
        if (!depth)
            return (size_t)(c - text) + 1;
    }
    return 0;
}

/* The non-finite values as C, Python, awk and MSVC print them. */
static size_t nonfinite(const char *text, const char *end, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"nan", NAN},         {"inf", INFINITY}, {"infinity", INFINITY}, {"\xE2\x88\x9E", INFINITY},
                 {"1.#inf", INFINITY}, {"1.#qnan", NAN},  {"1.#snan", NAN},       {"1.#ind", NAN},
                 {"1.#j", INFINITY}};
    const char *word = text + (text < end && (*text == '-' || *text == '+'));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (words[i].word[0] == '1' ? (size_t)(end - word) < length || strncasecmp(word, words[i].word, length)
                                    : !begins(word, end, words[i].word))
            continue;
        *value = *text == '-' ? -words[i].value : words[i].value;
        if (!i)
            length += parentheses(word + length, end); /* nan(0x7), -nan(ind) */
        if (words[i].word[0] == '1')                   /* printf pads them: 1.#INF00 */
            while (word + length < end && word[length] == '0')
                length++;
        return (size_t)(word - text) + length;
    }
    return 0;
}

/* Digits with a point and an exponent; bytes, or 0. Thousands in groups are understood where nothing else can be meant:
 * with a point behind them, or more than one group. */
static size_t decimal(const char *text, const char *end, double *value)
{
    char plain[400];
    size_t length = 0, groups = 0, first = 0;
    const char *c = text;
    if (c < end && (*c == '-' || *c == '+'))
        plain[length++] = *c++;
    const char *digits = c;
    while (c < end && is_digit(*c) && length < 330)
        plain[length++] = *c++;
    first = (size_t)(c - digits);
    while (first && first <= 3 && digits[0] != '0' && end - c >= 4 && *c == ',' && is_digit(c[1]) && is_digit(c[2]) &&
           is_digit(c[3]) && !(end - c > 4 && is_digit(c[4])) && length < 330) {
        memcpy(plain + length, c + 1, 3);
        length += 3;
        groups++;
        c += 4;
    }
    bool point = c < end && *c == '.' && (first || (end - c > 1 && is_digit(c[1])));
    if (point) {
        plain[length++] = *c++;
        while (c < end && is_digit(*c) && length < 380)
            plain[length++] = *c++;
    }
    if (!first && !point)
        return 0;
    if (groups == 1 && !point)
        return 0; /* 1,234 is 1.234 in half of Europe */
    if (c < end && (*c == 'e' || *c == 'E' || *c == 'd' || *c == 'D')) {
        const char *e = c + 1;
        bool sign = e < end && (*e == '-' || *e == '+');
        e += sign;
        if (e < end && is_digit(*e) && (sign || *c == 'e' || *c == 'E')) { /* 1d5 may be days */
            plain[length++] = 'e';
            if (sign)
                plain[length++] = e[-1];
            size_t kept = 0;
            for (; e < end && is_digit(*e); e++)
                if (kept++ < 10)
                    plain[length++] = *e;
            c = e;
        }
    }
    plain[length] = '\0';
    if (c < end && is_digit(*c)) /* too many digits to hold */
        return 0;
    *value = strtod(plain, NULL); /* overflow gives an infinity, underflow zero */
    return (size_t)(c - text);
}

/* tensor(0.9, device='cuda:0'), np.float64(0.9): bytes of the whole, or 0. */
static size_t wrapped(const char *text, const char *end, double *value)
{
    static const char *const wrappers[] = {
        "tensor",  "Tensor",   "array",   "Array",   "DeviceArray", "Parameter",  "Decimal", "mpf",    "float",
        "float16", "bfloat16", "float32", "float64", "float128",    "longdouble", "int",     "int8",   "int16",
        "int32",   "int64",    "uint8",   "uint16",  "uint32",      "uint64",     "Float32", "Float64"};
    const char *c = text, *word = text;
    while (c < end && (isalnum((unsigned char)*c) || *c == '_' || *c == '.')) {
        if (*c == '.')
            word = c + 1; /* np., torch., tf. */
        c++;
    }
    bool known = false;
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers && !known; i++)
        known = (size_t)(c - word) == strlen(wrappers[i]) && !memcmp(word, wrappers[i], (size_t)(c - word));
    size_t whole = known ? parentheses(c, end) : 0;
    if (!whole)
        return 0;
    const char *inside = c + 1, *close = c + whole - 1;
    bool list = false; /* tensor([0.9]); with more than one element it is no number */
    for (; inside < close && strchr(" '\"[", *inside); inside++)
        list = list || *inside == '[';
    size_t length = nonfinite(inside, close, value);
    if (!length)
        length = decimal(inside, close, value);
    inside += length;
    for (; length && inside < close && strchr(" '\"]", *inside); inside++)
        list = list && *inside != ']';
    if (list)
        return 0;
    return length && (inside == close || *inside == ',') ? (size_t)(c - text) + whole : 0;
}

/* A unit of time, right behind the number or after a blank: its seconds, or 0. */
static double unit_seconds(const char *unit, size_t length)
{
    static const struct {
        const char *names;
        double seconds;
    } units[] = {{"s sec secs second seconds", 1},
                 {"ms msec msecs millisecond milliseconds", 1e-3},
                 {"us usec \xC2\xB5s \xCE\xBCs microseconds", 1e-6},
                 {"ns nanoseconds", 1e-9},
                 {"min mins minute minutes", 60},
                 {"h hr hrs hour hours", 3600}};
    char word[16];
    if (!length || length >= sizeof word)
        return 0;
    memcpy(word, unit, length);
    word[length] = '\0';
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pl_has_word(units[i].names, word))
            return units[i].seconds;
    return 0;
}

/* 1h 2m 3s, 1 min 30 s, 1 hour, 2 minutes and 3 seconds: its bytes; 0 where there are not two parts at least. A unit
 * that names what follows ("time 1 h 2 m=3") is none. */
static size_t long_time(const char *text, const char *end, double *value)
{
    double longest = INFINITY, total = 0, number;
    const char *at = text, *stop = text;
    int parts = 0;
    for (;;) {
        size_t length = at < end && is_digit(*at) ? decimal(at, end, &number) : 0;
        const char *unit = at + length + (length && at + length < end && at[length] == ' '), *after = unit;
        while (after < end && (isalpha((unsigned char)*after) || (unsigned char)*after >= 0x80))
            after++;
        size_t letters = (size_t)(after - unit);
        double seconds = length ? unit_seconds(unit, letters) : 0;
        if (length && letters == 1 && *unit == 'm') /* alone it may be millions */
            seconds = 60;
        if (length && (begins(unit, after, "d") || begins(unit, after, "day") || begins(unit, after, "days")))
            seconds = 86400;
        if (!seconds || seconds >= longest)
            break;
        total += number * seconds;
        longest = seconds;
        stop = after;
        parts++;
        at = after + (after < end && *after == ',');
        while (at < end && *at == ' ')
            at++;
        if (end - at > 4 && !memcmp(at, "and ", 4))
            at += 4;
    }
    const char *next = stop;
    while (next < end && *next == ' ')
        next++;
    bool named = next < end && (*next == '=' || *next == ':' || (is_digit(*next) && next > stop));
    if (parts < 2 || named || (stop < end && (isalnum((unsigned char)*stop) || *stop == '_')))
        return 0;
    *value = total;
    return (size_t)(stop - text);
}

/* An apostrophe between digits, as in Switzerland's 1'234.5: its bytes, or 0. */
static size_t apostrophe(const char *text, const char *c, const char *end)
{
    size_t length = *c == '\'' ? 1 : end - c > 3 && !memcmp(c, "\xE2\x80\x99", 3) ? 3 : 0;
    return length && c > text && is_digit(c[-1]) && c + length < end && is_digit(c[length]) ? length : 0;
}

/* Where a run of characters that may belong to a number ends. */
static const char *run_end(const char *text, const char *end)
{
    const char *c = text;
    while (c < end) {
        size_t mark = apostrophe(text, c, end);
        if (mark) {
            c += mark;
            continue;
        }
        unsigned char u = (unsigned char)*c;
        bool next = c + 1 < end && c + 1 > text && (isalnum((unsigned char)c[1]) || (unsigned char)c[1] >= 0x80);
        bool number = c + 1 < end && is_digit(c[1]);
        bool more = isalnum(u) || u == '_' || u == '%' || u == '#' || (u == '.' && next) ||
                    (u == ',' && number && c > text && is_digit(c[-1])) || (strchr(":/-+", u) && next && c > text) ||
                    (c == text && (u == '-' || u == '+' || u == '.')) || (u >= 0x80 && u != 0xE2);
        if (!more)
            break;
        c++;
    }
    return c;
}

/* What stands behind a number makes it something else: a number of another kind or with a unit, which somebody would
 * want; or a time of day, a version, a file, a digest, which nobody would. */
static enum pl_spelling judge(const char *rest, const char *stop)
{
    size_t length = (size_t)(stop - rest), letters = 0, digits = 0, slashes = 0;
    for (const char *c = rest; c < stop; c++) {
        letters += isalpha((unsigned char)*c) || *c == '%' || (unsigned char)*c >= 0x80;
        digits += is_digit(*c) || strchr("_,'", *c) || (*c == '.' && c > rest);
        slashes += *c == '/';
    }
    bool unit = length <= 12 && letters + slashes == length && slashes <= 1;
    bool digit_like = digits == length;
    bool base = length > 1 && strchr("xXpP", *rest) && letters + digits == length;
    return unit || digit_like || base ? PL_SPELLED_ODD : PL_SPELLED_CLOCK;
}

static enum pl_spelling spelled_nothing(const char *text, const char *end, const char **after)
{
    static const char *const words[] = {"None", "null", "n/a", "#na#", "na", "nil", "---", "--", "-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = begins(text, end, words[i]);
        if (length && (text + length == end || strchr(" \t,;|)]}", text[length]))) {
            *after = text + length;
            return PL_SPELLED_NOTHING;
        }
    }
    return PL_SPELLED_NOT;
}

/* Behind a number: is that all? Otherwise it is no number, whatever it is. */
static enum pl_spelling finish(const char *text, const char *number_end, const char *end, double *value,
                               const char **after)
{
    const char *run = run_end(text, end), *stop = run > number_end ? run : number_end;
    *after = stop;
    if (stop == number_end) {
        size_t digits = end - stop > 3 && *stop == '(' ? strspn(stop + 1, "0123456789") : 0;
        bool exponent = digits && end - stop > (ptrdiff_t)digits + 3 && stop[digits + 1] == ')' &&
                        strchr("eE", stop[digits + 2]) && strchr("0123456789+-", stop[digits + 3]);
        return exponent ? PL_SPELLED_ODD : PL_SPELLED_NUMBER; /* 1.2(3)e-5 */
    }
    if (*number_end == '%' && stop == number_end + 1)
        return PL_SPELLED_PERCENT;
    double seconds = unit_seconds(number_end, (size_t)(stop - number_end));
    if (seconds) {
        *value *= seconds;
        return PL_SPELLED_DURATION;
    }
    double whole, deviation;
    size_t sign = !strncmp(number_end, "\xC2\xB1", 2) ? 2 : !strncmp(number_end, "+/-", 3) ? 3 : *number_end == '+';
    bool points = memchr(text, '.', (size_t)(number_end - text)) &&
                  memchr(number_end, '.', (size_t)(stop - number_end));
    if (sign && (sign > 1 || points) && stop - number_end > (ptrdiff_t)sign &&
        decimal(number_end + sign, stop, &deviation) == (size_t)(stop - number_end) - sign)
        return PL_SPELLED_NUMBER;
    if (*number_end == '/' && decimal(number_end + 1, stop, &whole) == (size_t)(stop - number_end - 1))
        return PL_SPELLED_FRACTION;
    return judge(number_end, stop);
}

enum pl_spelling pl_line_value(const char *text, const char *end, double *value, const char **after)
{
    double number = NAN;
    *after = text;
    if (end - text > 3 && !memcmp(text, "\xE2\x88\x92", 3) && (is_digit(text[3]) || text[3] == '.')) {
        enum pl_spelling spelling = pl_line_value(text + 3, end, value, after); /* a typographer's minus */
        *value = -*value;
        return spelling;
    }
    size_t length = wrapped(text, end, &number);
    if (length) {
        *value = number;
        *after = text + length;
        return PL_SPELLED_NUMBER;
    }
    length = long_time(text, end, &number);
    if (length) {
        *value = number;
        *after = text + length;
        return PL_SPELLED_DURATION;
    }
    length = nonfinite(text, end, &number);
    if (!length)
        length = decimal(text, end, &number);
    if (length) {
        enum pl_spelling spelling = finish(text, text + length, end, &number, after);
        *value = number;
        return spelling;
    }
    const char *digit = text + (text < end && (*text == '-' || *text == '+' || *text == '.'));
    if (digit < end && is_digit(*digit)) { /* 1,234 and its kind */
        *after = run_end(text, end);
        return PL_SPELLED_ODD;
    }
    return spelled_nothing(text, end, after);
}

bool pl_line_number(const char *text, const char *end, double *value)
{
    const char *after;
    while (text < end && isspace((unsigned char)*text))
        text++;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    double number;
    enum pl_spelling spelling = pl_line_value(text, end, &number, &after);
    if (after != end || (spelling != PL_SPELLED_NUMBER && spelling != PL_SPELLED_PERCENT))
        return false;
    *value = number;
    return true;
}
