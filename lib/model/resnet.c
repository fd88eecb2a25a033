/* ResNet18 and ResNet34 (He et al. 2016, table 1) as the official experiments use them on 32 x 32 images: a
 * 3x3 convolution in place of the 7x7 one and its pooling, four stages of basic blocks, an average over the
 * remaining 4 x 4 pixels. */
#include "model/model_priv.h"

#define BLOCKS_HELP "number of basic blocks in each stage; every stage after the first halves the image"

static const struct pl_setting settings18[] = {
    {.key = "width",
     .type = PL_INTEGER,
     .initial = "64",
     .range = "[1,4096]",
     .help = "channels of the first stage; each stage doubles them"},
    {.key = "blocks",
     .type = PL_INTEGER,
     .initial = "[2,2,2,2]",
     .range = "[1,100]",
     .help = BLOCKS_HELP,
     .list = true},
};
static const struct pl_setting settings34[] = {
    {.key = "width",
     .type = PL_INTEGER,
     .initial = "64",
     .range = "[1,4096]",
     .help = "channels of the first stage; each stage doubles them"},
    {.key = "blocks",
     .type = PL_INTEGER,
     .initial = "[3,4,6,3]",
     .range = "[1,100]",
     .help = BLOCKS_HELP,
     .list = true},
};

/* relu(bn(conv(relu(bn(conv(x))))) + shortcut(x)) */
static int basic_block(struct pl_graph *g, int x, const char *name, int channels, int stride)
{
    int y = pl_graph_conv2d(g, x, pl_graph_name(g, "%s.conv1", name), channels, 3, stride, 1, false);
    y = pl_graph_relu(g, pl_graph_batch_norm(g, y, pl_graph_name(g, "%s.bn1", name)));
    y = pl_graph_conv2d(g, y, pl_graph_name(g, "%s.conv2", name), channels, 3, 1, 1, false);
    y = pl_graph_batch_norm(g, y, pl_graph_name(g, "%s.bn2", name));
    if (stride != 1 || pl_graph_shape(g, x).channels != channels) {
        x = pl_graph_conv2d(g, x, pl_graph_name(g, "%s.shortcut.0", name), channels, 1, stride, 0, false);
        x = pl_graph_batch_norm(g, x, pl_graph_name(g, "%s.shortcut.1", name));
    }
    return pl_graph_relu(g, pl_graph_add(g, y, x));
}

static int build(const struct pl_settings *s, struct pl_graph *g, int x, int classes)
{
    int blocks[8], channels = (int)pl_settings_need_integer(s, "width");
    int stages = pl_model_list(g, s, "blocks", blocks, 8);
    x = pl_graph_conv2d(g, x, "conv1", channels, 3, 1, 1, false);
    x = pl_graph_relu(g, pl_graph_batch_norm(g, x, "bn1"));
    for (int stage = 0; stage < stages; stage++, channels *= 2)
        for (int i = 0; i < blocks[stage]; i++)
            x = basic_block(g, x, pl_graph_name(g, "layer%d.%d", stage + 1, i), channels, stage > 0 && i == 0 ? 2 : 1);
    return pl_graph_linear(g, pl_graph_global_pool(g, x), "linear", classes, true);
}

const struct pl_model pl_model_resnet18 = {
    .name = "resnet18",
    .help = "ResNet18 for 32 x 32 images (He et al. 2016)",
    PL_MODEL_SETTINGS(settings18),
    .build = build,
};

const struct pl_model pl_model_resnet34 = {
    .name = "resnet34",
    .help = "ResNet34 for 32 x 32 images (He et al. 2016)",
    PL_MODEL_SETTINGS(settings34),
    .build = build,
};
