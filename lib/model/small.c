/* Small networks for quick sweeps. */
#include "model/model_priv.h"

static const struct pl_setting cnn_settings[] = {
    {.key = "width",
     .type = PL_INTEGER,
     .initial = "16",
     .range = "[1,4096]",
     .help = "channels of the first stage; each stage doubles them"},
    {.key = "depth",
     .type = PL_INTEGER,
     .initial = "3",
     .range = "[1,8]",
     .help = "number of stages; each halves the image"},
    {.key = "batchnorm", .type = PL_BOOLEAN, .initial = "true", .help = "batch norm after every convolution"},
    {.key = "dropout",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1)",
     .help = "probability of dropping a feature before the last layer"},
};

/* depth times [conv3x3, (batch norm), ReLU, 2x2 max pool], the average over the image, one linear layer. */
static int cnn(const struct pl_settings *s, struct pl_graph *g, int x, int classes)
{
    int channels = (int)pl_settings_need_integer(s, "width"), depth = (int)pl_settings_need_integer(s, "depth");
    bool batchnorm = pl_settings_need_boolean(s, "batchnorm");
    for (int i = 0; i < depth; i++, channels *= 2) {
        x = pl_graph_conv2d(g, x, pl_graph_name(g, "conv%d", i + 1), channels, 3, 1, 1, !batchnorm);
        if (batchnorm)
            x = pl_graph_batch_norm(g, x, pl_graph_name(g, "bn%d", i + 1));
        x = pl_graph_max_pool(g, pl_graph_relu(g, x), 2, 2, 0);
    }
    x = pl_graph_dropout(g, pl_graph_global_pool(g, x), pl_settings_need_real(s, "dropout"));
    return pl_graph_linear(g, x, "linear", classes, true);
}

static const struct pl_setting mlp_settings[] = {
    {.key = "hidden",
     .type = PL_INTEGER,
     .initial = "[128,64]",
     .range = "[1,100000]",
     .help = "units of each hidden layer",
     .list = true},
    {.key = "dropout",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1)",
     .help = "probability of dropping a hidden unit"},
};

/* The image as one vector, then linear layers with a ReLU between them. */
static int mlp(const struct pl_settings *s, struct pl_graph *g, int x, int classes)
{
    int hidden[16], layers = pl_model_list(g, s, "hidden", hidden, 16);
    double dropout = pl_settings_need_real(s, "dropout");
    for (int i = 0; i < layers; i++) {
        x = pl_graph_relu(g, pl_graph_linear(g, x, pl_graph_name(g, "linear%d", i + 1), hidden[i], true));
        x = pl_graph_dropout(g, x, dropout);
    }
    return pl_graph_linear(g, x, pl_graph_name(g, "linear%d", layers + 1), classes, true);
}

const struct pl_model pl_model_cnn = {
    .name = "cnn",
    .help = "a small convolutional network: stages of 3x3 convolution, batch norm, ReLU and pooling",
    PL_MODEL_SETTINGS(cnn_settings),
    .build = cnn,
};

const struct pl_model pl_model_mlp = {
    .name = "mlp",
    .help = "a multilayer perceptron: linear layers with ReLUs over the flattened image",
    PL_MODEL_SETTINGS(mlp_settings),
    .build = mlp,
};
