/* DenseNet121 (Huang et al. 2017, table 1) as the official experiments use it on 32 x 32 images. Every layer
 * of a block sees the features of all layers before it; its own are put in front of them. A transition halves
 * channels and image. */
#include "model/model_priv.h"

static const struct pl_setting settings[] = {
    {.key = "growth",
     .type = PL_INTEGER,
     .initial = "32",
     .range = "[1,1024]",
     .help = "features that each layer adds"},
    {.key = "blocks",
     .type = PL_INTEGER,
     .initial = "[6,12,24,16]",
     .range = "[1,100]",
     .help = "number of layers in each dense block",
     .list = true},
};

/* concat(conv3x3(relu(bn(conv1x1(relu(bn(x)))))), x) */
static int dense_layer(struct pl_graph *g, int x, const char *name, int growth)
{
    int y = pl_graph_relu(g, pl_graph_batch_norm(g, x, pl_graph_name(g, "%s.bn1", name)));
    y = pl_graph_conv2d(g, y, pl_graph_name(g, "%s.conv1", name), 4 * growth, 1, 1, 0, false);
    y = pl_graph_relu(g, pl_graph_batch_norm(g, y, pl_graph_name(g, "%s.bn2", name)));
    y = pl_graph_conv2d(g, y, pl_graph_name(g, "%s.conv2", name), growth, 3, 1, 1, false);
    return pl_graph_concat(g, y, x);
}

static int transition(struct pl_graph *g, int x, const char *name)
{
    int channels = pl_graph_shape(g, x).channels / 2;
    x = pl_graph_relu(g, pl_graph_batch_norm(g, x, pl_graph_name(g, "%s.bn", name)));
    x = pl_graph_conv2d(g, x, pl_graph_name(g, "%s.conv", name), channels, 1, 1, 0, false);
    return pl_graph_average_pool(g, x, 2, 2, 0);
}

static int build(const struct pl_settings *s, struct pl_graph *g, int x, int classes)
{
    int blocks[8], growth = (int)pl_settings_need_integer(s, "growth");
    int stages = pl_model_list(g, s, "blocks", blocks, 8);
    x = pl_graph_conv2d(g, x, "conv1", 2 * growth, 3, 1, 1, false);
    for (int stage = 1; stage <= stages; stage++) {
        for (int i = 0; i < blocks[stage - 1]; i++)
            x = dense_layer(g, x, pl_graph_name(g, "dense%d.%d", stage, i), growth);
        if (stage < stages)
            x = transition(g, x, pl_graph_name(g, "trans%d", stage));
    }
    x = pl_graph_relu(g, pl_graph_batch_norm(g, x, "bn"));
    return pl_graph_linear(g, pl_graph_global_pool(g, x), "linear", classes, true);
}

const struct pl_model pl_model_densenet121 = {
    .name = "densenet121",
    .help = "DenseNet121 for 32 x 32 images (Huang et al. 2017)",
    PL_MODEL_SETTINGS(settings),
    .build = build,
};
