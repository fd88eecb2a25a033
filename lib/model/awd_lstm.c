/* AWD-LSTM (Merity, Keskar and Socher 2018): an embedding, LSTM layers, and a decoder that shares the embedding's
 * matrix, with five dropouts and two penalties. Settings carry the names of the authors' program, except that its
 * alpha and beta are called ar and tar here. Defaults are those for Penn Treebank.
 *
 * Their program looks words up with padding_idx = -1, which PyTorch takes for the last row: so the vocabulary's last
 * word learns from the decoder alone. `padding: false` lets it learn like the others. */
#include "model/model_priv.h"

static const struct pl_setting settings[] = {
    {.key = "nlayers", .type = PL_INTEGER, .initial = "3", .range = "[1,16]", .help = "number of LSTM layers"},
    {.key = "emsize",
     .type = PL_INTEGER,
     .initial = "400",
     .range = "[1,100000]",
     .help = "features of a word; of the last layer too, when tied"},
    {.key = "nhid",
     .type = PL_INTEGER,
     .initial = "1150",
     .range = "[1,100000]",
     .help = "hidden units of the other layers",
     .idle_when = "nlayers=1 and tied=true"},
    {.key = "tied", .type = PL_BOOLEAN, .initial = "true", .help = "the decoder's weights are the embedding's"},
    {.key = "padding",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "the last word's embedding gets no gradient, as published"},
    {.key = "dropoute",
     .type = PL_REAL,
     .initial = "0.1",
     .range = "[0,1)",
     .help = "probability of dropping a word from the embedding"},
    {.key = "dropouti",
     .type = PL_REAL,
     .initial = "0.4",
     .range = "[0,1)",
     .help = "probability of dropping a feature of the embedded words"},
    {.key = "wdrop",
     .type = PL_REAL,
     .initial = "0.5",
     .range = "[0,1)",
     .help = "probability of dropping a recurrent weight"},
    {.key = "dropouth",
     .type = PL_REAL,
     .initial = "0.25",
     .range = "[0,1)",
     .help = "probability of dropping a feature between two layers",
     .idle_when = "nlayers=1"},
    {.key = "dropout",
     .type = PL_REAL,
     .initial = "0.4",
     .range = "[0,1)",
     .help = "probability of dropping a feature of the last layer"},
    {.key = "ar",
     .type = PL_REAL,
     .initial = "2",
     .range = "[0,1e30]",
     .help = "weight of the mean square of the output after dropout"},
    {.key = "tar",
     .type = PL_REAL,
     .initial = "1",
     .range = "[0,1e30]",
     .help = "weight of the mean square change of the output from step to step"},
};

static int decode(const struct pl_settings *s, struct pl_graph *g, int x, int embedding, int vocabulary)
{
    if (pl_settings_need_boolean(s, "tied"))
        return pl_graph_tied_linear(g, x, "decoder", embedding);
    x = pl_graph_linear(g, x, "decoder", vocabulary, true);
    struct pl_initial weight = {PL_INITIAL_UNIFORM, 0.1}, bias = {PL_INITIAL_CONSTANT, 0};
    pl_graph_initial(g, x, weight, bias);
    return x;
}

static int build(const struct pl_settings *s, struct pl_graph *g, int x, int vocabulary)
{
    int layers = (int)pl_settings_need_integer(s, "nlayers"), emsize = (int)pl_settings_need_integer(s, "emsize");
    int nhid = (int)pl_settings_need_integer(s, "nhid");
    int padding = pl_settings_need_boolean(s, "padding") ? vocabulary - 1 : -1;
    double dropoute = pl_settings_need_real(s, "dropoute");
    int embedding = pl_graph_embedding(g, x, "encoder", vocabulary, emsize, dropoute, padding);
    x = pl_graph_locked_dropout(g, embedding, pl_settings_need_real(s, "dropouti"));
    for (int l = 0; l < layers; l++) {
        bool last = l == layers - 1;
        int hidden = last && pl_settings_need_boolean(s, "tied") ? emsize : nhid;
        x = pl_graph_lstm(g, x, pl_graph_name(g, "rnns.%d", l), hidden, pl_settings_need_real(s, "wdrop"));
        if (last)
            x = pl_graph_penalty(g, x, PL_PENALTY_CHANGE, pl_settings_need_real(s, "tar"));
        x = pl_graph_locked_dropout(g, x,
                                    last ? pl_settings_need_real(s, "dropout") : pl_settings_need_real(s, "dropouth"));
    }
    x = pl_graph_penalty(g, x, PL_PENALTY_ACTIVATION, pl_settings_need_real(s, "ar"));
    return decode(s, g, x, embedding, vocabulary);
}

const struct pl_model pl_model_awd_lstm = {
    .name = "awd_lstm",
    .help = "AWD-LSTM, a recurrent network for text (Merity, Keskar and Socher 2018)",
    PL_MODEL_SETTINGS(settings),
    .text = true,
    .build = build,
};
