/* Throws bytes at the reader of text: the first half is the training text, the rest another split. */
#include "fuzz.h"
#include "data/text/corpus_priv.h"

#include <stdlib.h>
#include <string.h>

/* Words joined by blanks, lines ended: what was read, in the plainest spelling. */
static void spell(const struct pl_tokens *tokens, const struct pl_vocabulary *v, struct pl_text *text)
{
    pl_text_add(text, " "); /* so that a byte order mark in front is part of a word again */
    for (size_t i = 0; i < tokens->count; i++) {
        const char *word = pl_text(&v->spelling) + v->starts[tokens->numbers[i]];
        pl_text_add(text, strcmp(word, PL_EOS) ? word : "\n");
        pl_text_add(text, " ");
    }
}

static void read_again(const struct pl_text *text, size_t words)
{
    struct pl_vocabulary v = {0};
    struct pl_tokens tokens = {0};
    if (pl_tokenize(&tokens, &v, "again", pl_text(text), text->length, PL_UNKNOWN_ADD, NULL) || v.count != words)
        abort(); /* the plainest spelling has the same words */
    pl_vocabulary_release(&v);
    free(tokens.numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    for (enum pl_unknown unknown = PL_UNKNOWN_REFUSE; unknown <= PL_UNKNOWN_ADD; unknown++) {
        struct pl_vocabulary v = {0};
        struct pl_tokens tokens = {0};
        struct pl_text text = {0};
        struct pl_error err = {0};
        int status = pl_tokenize(&tokens, &v, "train", bytes, size / 2, PL_UNKNOWN_ADD, &err);
        size_t words = v.count;
        if (!status) {
            spell(&tokens, &v, &text);
            read_again(&text, words);
            status = pl_tokenize(&tokens, &v, "test", bytes + size / 2, size - size / 2, unknown, &err);
        }
        if ((status != 0) != (err.text[0] != '\0') || (unknown != PL_UNKNOWN_ADD && v.count != words))
            abort(); /* a refusal says why, and no other split adds words unasked */
        for (size_t i = 0; i < tokens.count; i++)
            if (tokens.numbers[i] < 0 || (size_t)tokens.numbers[i] >= v.count)
                abort();
        pl_text_release(&text);
        pl_vocabulary_release(&v);
        free(tokens.numbers);
    }
    return 0;
}
