/* VGG11 (Simonyan and Zisserman 2015, table 1, column A) as the official experiments use it on 32 x 32
 * images: five halvings down to 1 x 1, then a classifier of three layers of 512. Widths are given in units
 * of `width`, 64 in the paper. */
#include "model/model_priv.h"

#include <math.h>

static const struct pl_setting settings[] = {
    {.key = "batchnorm", .type = PL_BOOLEAN, .initial = "true", .help = "batch norm after every convolution"},
    {.key = "width",
     .type = PL_INTEGER,
     .initial = "64",
     .range = "[1,4096]",
     .help = "channels of the first stage; the others follow"},
    {.key = "dropout",
     .type = PL_REAL,
     .initial = "0.5",
     .range = "[0,1)",
     .help = "probability of dropping a unit of the classifier"},
};

enum { POOL = 0 };

/* N(0, 2 / (kernel^2 out)), He et al. 2015 by fan-out; bias 0. */
static int convolution(struct pl_graph *g, int x, int index, int channels)
{
    int id = pl_graph_conv2d(g, x, pl_graph_name(g, "features.%d", index), channels, 3, 1, 1, true);
    struct pl_initial weight = {PL_INITIAL_NORMAL, sqrt(2.0 / (9.0 * channels))}, bias = {PL_INITIAL_CONSTANT, 0};
    pl_graph_initial(g, id, weight, bias);
    return id;
}

static int build(const struct pl_settings *s, struct pl_graph *g, int x, int classes)
{
    static const int column_a[] = {1, POOL, 2, POOL, 4, 4, POOL, 8, 8, POOL, 8, 8, POOL};
    bool batchnorm = pl_settings_need_boolean(s, "batchnorm");
    int width = (int)pl_settings_need_integer(s, "width"), index = 0;
    double dropout = pl_settings_need_real(s, "dropout");
    for (size_t i = 0; i < sizeof column_a / sizeof *column_a; i++) {
        if (column_a[i] == POOL) {
            x = pl_graph_max_pool(g, x, 2, 2, 0);
            index++;
            continue;
        }
        x = convolution(g, x, index++, column_a[i] * width);
        if (batchnorm)
            x = pl_graph_batch_norm(g, x, pl_graph_name(g, "features.%d", index++));
        x = pl_graph_relu(g, x);
        index++;
    }
    x = pl_graph_dropout(g, x, dropout);
    x = pl_graph_relu(g, pl_graph_linear(g, x, "classifier.1", 8 * width, true));
    x = pl_graph_dropout(g, x, dropout);
    x = pl_graph_relu(g, pl_graph_linear(g, x, "classifier.4", 8 * width, true));
    return pl_graph_linear(g, x, "classifier.6", classes, true);
}

const struct pl_model pl_model_vgg11 = {
    .name = "vgg11",
    .help = "VGG11 with batch norm for 32 x 32 images (Simonyan and Zisserman 2015)",
    PL_MODEL_SETTINGS(settings),
    .build = build,
};
