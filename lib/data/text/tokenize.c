/* Text to tokens: words between white space, <eos> after every line, as in the published program for AWD-LSTM. White
 * space is that of ASCII. */
#include "data/text/corpus_priv.h"

#include <string.h>

enum { WORD_MOST = 1000, VOCABULARY_MOST = 1 << 24 };

static const char space[] = " \t\r\v\f";

struct line {
    const char *name; /* of the file */
    size_t number;
    const char *bytes;
    size_t length;
};

static int check_line(const struct line *line, struct pl_error *err)
{
    size_t bad;
    const char *zero = line->length ? memchr(line->bytes, '\0', line->length) : NULL;
    if (zero)
        return pl_fail(err, PL_ECORRUPT, "%s:%zu: byte %zu of the line is zero; a corpus must be plain text in UTF-8",
                       line->name, line->number, (size_t)(zero - line->bytes) + 1);
    if (!pl_utf8_valid(line->bytes, line->length, &bad))
        return pl_fail(err, PL_ECORRUPT,
                       "%s:%zu: byte %zu of the line is 0x%02x, which is not UTF-8; a corpus must be plain "
                       "text in UTF-8",
                       line->name, line->number, bad + 1, (unsigned char)line->bytes[bad]);
    return 0;
}

static int fail_word(const struct line *line, const char *word, size_t length, enum pl_unknown unknown,
                     struct pl_error *err)
{
    if (unknown == PL_UNKNOWN_REPLACE)
        return pl_fail(
            err, PL_ECORRUPT,
            "%s:%zu: the word \"%.*s\" does not occur in the training text, and neither does " PL_UNKNOWN_WORD
            ", which unknown_words: replace would read instead",
            line->name, line->number, (int)length, word);
    return pl_fail(err, PL_ECORRUPT,
                   "%s:%zu: the word \"%.*s\" does not occur in the training text, whose words are the "
                   "vocabulary; it must be written as " PL_UNKNOWN_WORD
                   " (unknown_words: replace reads it so, unknown_words: "
                   "add makes it a word of the vocabulary)",
                   line->name, line->number, (int)length, word);
}

/* The number of a word, or a negative code. */
static int32_t look_up(struct pl_vocabulary *v, const struct line *line, const char *word, size_t length,
                       enum pl_unknown unknown, struct pl_error *err)
{
    if (length > WORD_MOST)
        return pl_fail(err, PL_ECORRUPT,
                       "%s:%zu: there is a word of %zu bytes; a corpus must have white space between words, "
                       "which have up to %d bytes",
                       line->name, line->number, length, WORD_MOST);
    int32_t number = pl_vocabulary_find(v, word, length);
    if (number < 0 && unknown == PL_UNKNOWN_REPLACE)
        number = pl_vocabulary_find(v, PL_UNKNOWN_WORD, strlen(PL_UNKNOWN_WORD));
    if (number >= 0)
        return number;
    if (unknown != PL_UNKNOWN_ADD)
        return fail_word(line, word, length, unknown, err);
    if (v->count >= VOCABULARY_MOST)
        return pl_fail(err, PL_ECORRUPT, "%s:%zu: there are more than %d different words", line->name, line->number,
                       VOCABULARY_MOST);
    return pl_vocabulary_add(v, word, length);
}

static void push(struct pl_tokens *tokens, int32_t number)
{
    pl_grow((void **)&tokens->numbers, &tokens->capacity, tokens->count + 1, sizeof *tokens->numbers);
    tokens->numbers[tokens->count++] = number;
}

static int take_line(struct pl_tokens *tokens, struct pl_vocabulary *v, const struct line *line,
                     enum pl_unknown unknown, struct pl_error *err)
{
    const char *at = line->bytes, *end = line->bytes + line->length;
    int status = check_line(line, err);
    if (status)
        return status;
    while (at < end) {
        const char *word = at;
        while (at < end && !strchr(space, *at)) /* no byte is zero, which strchr would find */
            at++;
        if (at > word) {
            int32_t number = look_up(v, line, word, (size_t)(at - word), unknown, err);
            if (number < 0)
                return number;
            push(tokens, number);
        }
        at += at < end;
    }
    int32_t eos = look_up(v, line, PL_EOS, strlen(PL_EOS), PL_UNKNOWN_ADD, err);
    if (eos >= 0)
        push(tokens, eos);
    return eos < 0 ? eos : 0;
}

int pl_tokenize(struct pl_tokens *tokens, struct pl_vocabulary *vocabulary, const char *name, const char *bytes,
                size_t size, enum pl_unknown unknown, struct pl_error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* that some editors write in front of UTF-8 */
    size_t at = size >= 3 && !memcmp(bytes, mark, 3) ? 3 : 0;
    struct line line = {.name = name};
    if (at == size)
        return pl_fail(err, PL_ECORRUPT, "%s is empty, but must hold text: lines of words", name);
    while (at < size) {
        const char *end = memchr(bytes + at, '\n', size - at);
        line.bytes = bytes + at;
        line.length = end ? (size_t)(end - line.bytes) : size - at;
        line.number++;
        int status = take_line(tokens, vocabulary, &line, unknown, err);
        if (status)
            return status;
        at += line.length + (end != NULL);
    }
    return 0;
}
