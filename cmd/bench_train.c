/* poula bench train: whole training steps, on images or a text that are drawn. */
#include "bench_parts.h"

#include <stdlib.h>
#include <string.h>

/* What only a text has may not be given for images. */
static bool check_kind(const struct pl_args *args, const struct pl_model *model, struct pl_error *err)
{
    static const char *const of_text[] = {"bptt", "words"};
    for (size_t i = 0; i < sizeof of_text / sizeof *of_text && !model->text; i++)
        if (pl_args_has(args, of_text[i])) {
            pl_fail(err, PL_EINPUT, "--%s is for models of text; %s is for images", of_text[i], model->name);
            return false;
        }
    return true;
}

/* False after a complaint. */
static bool read_sizes(const struct pl_args *args, struct pl_bench_training *b)
{
    const bool text = b->model->text;
    if (!pl_args_integer(args, "batch", 1, 65536, text ? 20 : 128, &b->batch) ||
        !pl_args_integer(args, "bptt", 1, 10000, 70, &b->bptt) ||
        !pl_args_integer(args, "words", 2, 10000000, 10000, &b->words) ||
        !pl_args_integer(args, "steps", 1, 10000, 5, &b->steps) ||
        !pl_args_integer(args, "busy", 0, 1000, 0, &b->busy) ||
        !pl_args_integer(args, "rounds", 1, 1000, 5, &b->rounds) ||
        !pl_args_integer(args, "threads", 1, 1024, 1, &b->threads))
        return false;
    if (!b->busy && pl_args_has(args, "rounds")) {
        pl_cmd_usage_error(args, "--rounds goes with --busy");
        return false;
    }
    if (!b->busy)
        b->rounds = 1;
    if (b->busy && b->profile) {
        pl_cmd_usage_error(args, "--profile is for a machine at rest: leave --busy out");
        return false;
    }
    return true;
}

int pl_bench_train_command(const struct pl_args *args)
{
    const char *model = pl_args_get(args, "model", "vgg11"), *optimizer = pl_args_get(args, "optimizer", "theopoula");
    struct pl_bench_training b = {.model = pl_model_find(model),
                                  .optimizer = pl_optim_find(optimizer),
                                  .layers = pl_args_get(args, "layers", NULL),
                                  .precision = pl_args_get(args, "precision", "fast"),
                                  .profile = pl_args_has(args, "profile")};
    struct pl_error err;
    if (!b.model) {
        pl_registry_fail(&pl_model_registry, model, &err);
        return pl_cmd_fail(args, &err);
    }
    if (!read_sizes(args, &b))
        return 2;
    if (!check_kind(args, b.model, &err))
        return pl_cmd_fail(args, &err);
    if (!b.optimizer) {
        pl_registry_fail(pl_optim_registry(), optimizer, &err);
        return pl_cmd_fail(args, &err);
    }
    b.given = pl_bench_given_of(args);
    int status = pl_bench_training_run(&b, &err);
    if (!status)
        pl_bench_training_print(&b, pl_cmd_format(args, &pl_format_text)->kind == PL_FORMAT_TREE);
    pl_bench_training_release(&b);
    free((void *)b.given.words);
    return status ? pl_cmd_fail(args, &err) : 0;
}
