#ifndef PL_MODEL_PRIV_H
#define PL_MODEL_PRIV_H

#include "model/model.h"

extern const struct pl_model pl_model_awd_lstm, pl_model_cnn, pl_model_densenet121, pl_model_layers, pl_model_mlp,
    pl_model_resnet18, pl_model_resnet34, pl_model_vgg11;

#define PL_MODEL_SETTINGS(table) .settings = table, .setting_count = sizeof table / sizeof *table

/* The whole numbers of a list setting (a JSON array), at most capacity of them; -1 when it is not such a
 * list, after which the graph is wrong. */
int pl_model_list(struct pl_graph *g, const struct pl_settings *settings, const char *key, int *values, int capacity);

#endif
