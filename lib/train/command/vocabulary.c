/* The lists of words behind reading lines of text. */
#include "train/command/vocabulary.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool pl_word_among(struct pl_word word, const char *list)
{
    char text[PL_WORD_MOST + 1];
    if (!word.length || word.length > PL_WORD_MOST)
        return false;
    for (size_t i = 0; i < word.length; i++)
        text[i] = (char)tolower((unsigned char)word.text[i]);
    text[word.length] = '\0';
    return pl_has_word(list, text);
}

bool pl_word_is_position(struct pl_word word)
{
    return pl_line_is_position(word.text, word.length);
}

bool pl_word_is_level(struct pl_word word)
{
    return pl_word_among(word, "info debug warn warning error trace notice critical") &&
           isupper((unsigned char)*word.text);
}

bool pl_word_is_stop(struct pl_word word)
{
    return pl_word_among(
        word, "a an the is was are were be to of at in for with by from on after before than as and or that this vs "
              "we it no not so now took using used found got has have had saved saving loaded loading wrote "
              "reached improved reducing reduced increased decreased finished done trained");
}

bool pl_word_is_qualifier(struct pl_word word)
{
    return pl_word_among(
        word, "train training valid validation val test testing eval evaluation dev avg average mean best total "
              "final running last min max");
}

bool pl_word_is_other_set(struct pl_word word)
{
    return pl_word_among(word, "valid validation val test testing eval evaluation dev");
}

bool pl_word_is_set(struct pl_word word)
{
    return pl_word_is_other_set(word) || pl_word_among(word, "train training");
}

bool pl_word_is_beginning(struct pl_word word)
{
    return pl_word_among(word, "start starting begin beginning train training");
}

bool pl_word_is_unit(struct pl_word word, double *seconds)
{
    static const struct {
        const char *names;
        double seconds;
    } units[] = {
        {"s sec secs second seconds nats bits", 1},
        {"ms msec milliseconds", 1e-3},
        {"us", 1e-6},
        {"ns", 1e-9},
        {"min mins minute minutes", 60},
        {"h hr hrs hour hours", 3600},
        {"k m g b kb mb gb tb kib mib gib bytes it/s s/it img/s images/s imgs/s ex/s examples/s samples/s tok/s "
         "tokens/s tokens/sec samples/sec steps/s batches/s s/step ms/step s/epoch x",
         0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pl_word_among(word, units[i].names)) {
            *seconds = units[i].seconds;
            return true;
        }
    return false;
}

bool pl_word_is_place(struct pl_word word)
{
    static const char *const endings[] = {".py", ".cc", ".cpp", ".c",   ".h",   ".cu",
                                          ".go", ".rs", ".jl",  ".lua", ".java"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (word.length > length && !memcmp(word.text + word.length - length, endings[i], length))
            return true;
    }
    return pl_word_among(word, "cuda gpu cpu mps xpu localhost");
}

bool pl_word_is_zone(struct pl_word word)
{
    return pl_word_among(word,
                         "utc gmt wet west cet cest eet eest bst msk est edt cst cdt mst mdt pst pdt akst hst ist "
                         "jst kst hkt sgt aest aedt nzst nzdt") &&
           isupper((unsigned char)*word.text);
}

bool pl_word_is_date(struct pl_word word)
{
    return pl_word_is_zone(word) ||
           (pl_word_among(word,
                          "jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june "
                          "july august september october november december") &&
            isupper((unsigned char)*word.text));
}

bool pl_word_is_weekday(struct pl_word word)
{
    return pl_word_among(word, "mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday");
}

bool pl_word_is_digest(struct pl_word word)
{
    for (size_t i = word.length; i; i--)
        if (!isalnum((unsigned char)word.text[i - 1])) {
            word.text += i;
            word.length -= i;
            break;
        }
    return pl_word_among(word, "git sha sha1 sha256 md5 commit hash digest revision");
}

size_t pl_line_picture(const char *text, const char *end, bool *arrow)
{
    const unsigned char *u = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    *arrow = left > 2 && u[0] == 0xE2 &&
             (u[1] == 0x86 || u[1] == 0x87 || u[1] == 0x9E || (u[1] == 0x9F && u[2] >= 0xB0) || u[1] == 0xA4);
    if (left > 2 && u[0] == 0xE2 &&
        (*arrow || u[1] == 0x80 || u[1] == 0x89 || (u[1] >= 0x94 && u[1] <= 0x9D) || (u[1] >= 0xA0 && u[1] <= 0xA3) ||
         u[1] == 0xAC))
        return 3;
    if (left > 1 && u[0] == 0xC2 && (u[1] == 0xB7 || u[1] == 0xB1)) /* a dot; a deviation's plus-minus */
        return 2;
    return left > 3 && u[0] == 0xF0 && u[1] == 0x9F ? 4 : 0;
}
