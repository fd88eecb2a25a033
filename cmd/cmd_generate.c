#include "answer.h"

#include "data/text/corpus.h"
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

/* Words as a text, with lines where the model ends them. */
struct writer {
    bool in_line;
};

static bool write_word(void *self, const char *word)
{
    struct writer *w = self;
    bool ends = !strcmp(word, PL_EOS);
    if (ends)
        putchar('\n');
    else
        printf("%s%s", w->in_line ? " " : "", word);
    w->in_line = !ends;
    return !ferror(stdout);
}

/* Everything of the run that its text depends on; the rest of wish is the user's. */
static int generate(const struct pl_args *args, struct pl_store *store, const char *name, struct pl_generation *wish,
                    struct pl_error *err)
{
    struct pl_run_info info = {0};
    struct pl_settings settings = {0};
    struct pl_text folder = {0};
    int status = pl_store_run_info(store, name, &info, err);
    if (!status && info.status != PL_RUN_FINISHED)
        status = pl_fail(err, PL_EINPUT, "run %lld is %s: only a finished run has a model to write with",
                         (long long)info.run, pl_status_name(info.status));
    if (!status)
        status = pl_store_config(store, info.config, &settings, err);
    if (!status)
        status = pl_cmd_run_folder(args, store, &info, &folder, err);
    if (!status) {
        wish->folder = pl_text(&folder);
        wish->key = info.key;
        wish->settings = &settings;
        status = pl_train_generate(wish, err);
    }
    pl_text_release(&folder);
    pl_settings_release(&settings);
    pl_run_info_release(&info);
    return status;
}

static int run(const struct pl_args *args)
{
    struct writer writer = {0};
    struct pl_generation wish = {
        .data = pl_args_data(args), .prompt = pl_args_get(args, "prompt", NULL), .self = &writer, .word = write_word};
    struct pl_store *store;
    struct pl_error err;
    if (!pl_args_integer(args, "words", 1, 1000000000, 100, &wish.words) ||
        !pl_args_integer(args, "seed", 0, INT64_MAX, 1, &wish.seed) ||
        !pl_args_real(args, "temperature", 0, 1e6, 1, &wish.temperature))
        return 2;
    int code = pl_cmd_open(args, &store);
    if (code)
        return code;
    if (generate(args, store, args->arguments[0], &wish, &err))
        code = pl_cmd_fail(args, &err);
    else if (writer.in_line)
        putchar('\n');
    pl_store_close(store);
    return code;
}

static const struct pl_option options[] = {
    {.name = "words", .letter = 'n', .argument = "N", .help = "words to draw, ends of lines among them (default 100)"},
    {.name = "temperature",
     .letter = 't',
     .argument = "T",
     .help = "below 1 likely words become likelier, above 1 rarer; 0: always the likeliest (default 1)"},
    {.name = "seed", .argument = "N", .help = "another seed, another text (default 1)"},
    {.name = "prompt", .argument = "TEXT", .help = "words of the vocabulary that the text begins with"},
};

const struct pl_command pl_cmd_generate = {
    .name = "generate",
    .summary = "write text with the language model of a finished run",
    .arguments = "RUN",
    .description =
        "Draws one word after the other from the model that a run on text has left in its folder: with the averaged "
        "weights, if it averaged. Each word is drawn in proportion to exp(logit / T). The text begins as a line of the "
        "corpus does, and <eos> is written as the end of a line. The same command writes the same text.\n"
        "A run is named by its number or the beginning of its key. Its data set must still be there: the model knows "
        "words by their numbers only.",
    .example = "poula generate 1 --words 50 --temperature 0.8",
    PL_OPTIONS(options),
    .least = 1,
    .most = 1,
    .run = run,
};
