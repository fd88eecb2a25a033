/* A network of the user's own, written in the spec as a list of operators, one short text each:
 *
 *   layers: [conv 32, batchnorm, relu, maxpool 2, mark a, conv 32, batchnorm, relu, add a, globalpool, linear classes]
 *
 *   conv CHANNELS [kernel=3] [stride=1] [padding=KERNEL/2] [bias=1]
 *   linear FEATURES|classes [bias=1]
 *   batchnorm, relu, globalpool
 *   maxpool KERNEL [stride=KERNEL] [padding=0], averagepool likewise
 *   dropout PROBABILITY
 *   mark NAME: names the value at this point;  from NAME: goes on from there
 *   add NAME: adds the named value;  concat NAME: puts this value's channels in front of the named one's
 *
 * Parameters are called layers.N.weight, N being the position in the list, from 0. */
#include "model/model_priv.h"

#include <jansson.h>

#include <string.h>

static const struct pl_setting settings[] = {
    {.key = "layers",
     .type = PL_STRING,
     .help = "the operators in order, such as [conv 32, batchnorm, relu, maxpool 2, linear classes]",
     .list = true},
};

enum { MARKS = 64, WORD = 32 };

/* One line of the list, taken apart. */
struct line {
    char verb[WORD];
    char argument[WORD];               /* the word behind the verb, or "" */
    int kernel, stride, padding, bias; /* -1: not given */
};

struct builder {
    struct pl_graph *g;
    int classes;
    size_t index; /* of the line */
    struct {
        char name[WORD];
        int value;
    } marks[MARKS];
    size_t mark_count;
};

static int wrong(struct builder *b, const char *text, const char *reason)
{
    return pl_graph_fail(b->g, "layers, operator %zu (\"%.60s\"): %s", b->index, text, reason);
}

static bool read_option(const char *word, struct line *line)
{
    static const char *const keys[] = {"kernel=", "stride=", "padding=", "bias="};
    int *const values[] = {&line->kernel, &line->stride, &line->padding, &line->bias};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int64_t number;
        size_t length = strlen(keys[i]);
        if (strncmp(word, keys[i], length))
            continue;
        if (!pl_integer_read(word + length, &number) || number < 0 || number > 100000)
            return false;
        *values[i] = (int)number;
        return true;
    }
    return false;
}

/* VERB [ARGUMENT] [key=value ...]; returns what is wrong, or NULL. */
static const char *read_line(const char *text, struct line *line)
{
    *line = (struct line){.kernel = -1, .stride = -1, .padding = -1, .bias = -1};
    size_t length, count = 0;
    for (const char *w = text; (w = pl_next_word(w, &length)); w += length, count++) {
        char word[WORD];
        if (length >= sizeof word)
            return "a word is too long";
        memcpy(word, w, length);
        word[length] = '\0';
        if (count == 0)
            memcpy(line->verb, word, length + 1);
        else if (strchr(word, '=')) {
            if (!read_option(word, line))
                return "options are kernel=, stride=, padding= and bias=, each with a whole number";
        } else if (count == 1)
            memcpy(line->argument, word, length + 1);
        else
            return "more words than this operator takes";
    }
    return count ? NULL : "an empty text is no operator";
}

static int or_else(int value, int otherwise)
{
    return value >= 0 ? value : otherwise;
}

static bool whole_argument(const struct line *line, int *value)
{
    int64_t number;
    if (!pl_integer_read(line->argument, &number) || number < 1 || number > 1000000)
        return false;
    *value = (int)number;
    return true;
}

/* conv and linear. */
static int weighted(struct builder *b, const struct line *line, const char *text, int x)
{
    bool linear = !strcmp(line->verb, "linear");
    const char *name = pl_graph_name(b->g, "layers.%zu", b->index);
    int channels;
    if (linear && !strcmp(line->argument, "classes"))
        channels = b->classes;
    else if (!whole_argument(line, &channels))
        return wrong(b, text,
                     linear ? "linear needs a number of features, or the word classes"
                            : "conv needs a number of channels");
    bool bias = or_else(line->bias, 1) != 0;
    if (linear)
        return pl_graph_linear(b->g, x, name, channels, bias);
    int kernel = or_else(line->kernel, 3);
    return pl_graph_conv2d(b->g, x, name, channels, kernel, or_else(line->stride, 1),
                           or_else(line->padding, kernel / 2), bias);
}

static int pool(struct builder *b, const struct line *line, const char *text, int x)
{
    int kernel;
    if (!whole_argument(line, &kernel))
        return wrong(b, text, "pooling needs the size of its window");
    int stride = or_else(line->stride, kernel), padding = or_else(line->padding, 0);
    return *line->verb == 'm' ? pl_graph_max_pool(b->g, x, kernel, stride, padding)
                              : pl_graph_average_pool(b->g, x, kernel, stride, padding);
}

/* mark, from, add and concat. */
static int named(struct builder *b, const struct line *line, const char *text, int x)
{
    size_t i = 0;
    while (i < b->mark_count && strcmp(b->marks[i].name, line->argument))
        i++;
    if (!strcmp(line->verb, "mark")) {
        if (!*line->argument || i == MARKS)
            return wrong(b, text, *line->argument ? "too many marks" : "mark needs a name");
        memcpy(b->marks[i].name, line->argument, sizeof line->argument);
        b->marks[i].value = x;
        b->mark_count += i == b->mark_count;
        return x;
    }
    if (i == b->mark_count)
        return wrong(b, text, "nothing was marked with this name");
    int other = b->marks[i].value;
    if (!strcmp(line->verb, "from"))
        return other;
    return *line->verb == 'a' ? pl_graph_add(b->g, x, other) : pl_graph_concat(b->g, x, other);
}

static int apply(struct builder *b, const char *text, int x)
{
    struct line line;
    double probability;
    const char *problem = read_line(text, &line);
    if (problem)
        return wrong(b, text, problem);
    if (pl_has_word("conv linear", line.verb))
        return weighted(b, &line, text, x);
    if (pl_has_word("maxpool averagepool", line.verb))
        return pool(b, &line, text, x);
    if (pl_has_word("mark from add concat", line.verb))
        return named(b, &line, text, x);
    if (!strcmp(line.verb, "dropout"))
        return pl_number_read(line.argument, &probability) ? pl_graph_dropout(b->g, x, probability)
                                                           : wrong(b, text, "dropout needs a probability");
    if (*line.argument && pl_has_word("batchnorm relu globalpool", line.verb))
        return wrong(b, text, "this operator takes no argument");
    if (!strcmp(line.verb, "batchnorm"))
        return pl_graph_batch_norm(b->g, x, pl_graph_name(b->g, "layers.%zu", b->index));
    if (!strcmp(line.verb, "relu"))
        return pl_graph_relu(b->g, x);
    if (!strcmp(line.verb, "globalpool"))
        return pl_graph_global_pool(b->g, x);
    return wrong(b, text,
                 "operators are conv, linear, batchnorm, relu, maxpool, averagepool, globalpool, dropout, "
                 "mark, from, add and concat");
}

static int build(const struct pl_settings *s, struct pl_graph *g, int x, int classes)
{
    struct builder b = {.g = g, .classes = classes};
    const char *text = pl_settings_string(s, "layers", NULL);
    json_t *list = text ? json_loads(text, 0, NULL) : NULL, *item;
    size_t index;
    if (!json_is_array(list) || !json_array_size(list))
        x = pl_graph_fail(g, "layers must be a list of operators");
    json_array_foreach(list, index, item)
    {
        b.index = index;
        if (!json_is_string(item))
            x = wrong(&b, "", "every operator is a text, such as conv 32 kernel=5");
        else
            x = apply(&b, json_string_value(item), x);
        if (x < 0)
            break;
    }
    json_decref(list);
    struct pl_shape out = pl_graph_shape(g, x);
    if (x >= 0 && (out.channels != classes || out.height != 1 || out.width != 1))
        x = pl_graph_fail(g,
                          "layers end in %d x %d x %d, but must end in one logit for each of %d classes: add "
                          "\"linear classes\"",
                          out.channels, out.height, out.width, classes);
    return x;
}

const struct pl_model pl_model_layers = {
    .name = "layers",
    .help = "a network of your own, as a list of operators",
    PL_MODEL_SETTINGS(settings),
    .build = build,
};
