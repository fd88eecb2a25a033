/* model: networks by name. Each model is one const descriptor and one short builder over lib/nn that reads
 * like the table in its paper; its settings bring their own names, ranges and help.
 *
 * A graph ends with the logits (one a class); whoever trains it appends the loss. */
#ifndef PL_MODEL_H
#define PL_MODEL_H

#include "base/base.h"
#include "nn/nn.h"

struct pl_model {
    const char *name;
    const char *help; /* one line: what it is and where it is from */
    const struct pl_setting *settings;
    size_t setting_count;
    bool text; /* reads tokens, not images: x are tokens, and the classes are the vocabulary */
    /* Builds onto g, from the image x to the logits; returns their number (see pl_graph_conv2d on errors).
     * settings are checked; absent ones take their defaults. */
    int (*build)(const struct pl_settings *settings, struct pl_graph *g, int x, int classes);
};

extern const struct pl_registry pl_model_registry; /* of struct pl_model */
size_t pl_model_count(void);
const struct pl_model *pl_model_at(size_t index); /* in alphabetical order */
const struct pl_model *pl_model_find(const char *name);

/* Builds the model named by the setting "model" for images of the given shape and so many classes; or for text, where
 * the shape is all zero and the classes are the words of the vocabulary. *logits is the number of the graph's last
 * operator so far. Fails with PL_EINPUT (unknown model; settings or images that do not fit; a model of text for images,
 * or of images for text). */
int pl_model_build(struct pl_graph **g, const struct pl_settings *settings, struct pl_shape image, int classes,
                   int *logits, struct pl_error *err);

#endif
