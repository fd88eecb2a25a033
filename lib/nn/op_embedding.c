/* Tokens, and the embedding of a vocabulary of V words in vectors of E features:
 *
 *   y[n] = keep[w] / (1-p) E[w], w the token of sample n;   dE[w] += keep[w] / (1-p) dy[n] for every n
 *
 * A dropped word is missing wherever it stands in the batch (Merity et al. 2018, section 4.3, after Gal and
 * Ghahramani 2016). */
#include "nn/nn_priv.h"

/* ---- tokens: written by pl_plan_tokens */

int pl_graph_tokens(struct pl_graph *g)
{
    return pl_graph_node(g, &pl_op_tokens, -1, -1, (struct pl_shape){1, 1, 1});
}

void pl_plan_tokens(struct pl_plan *p, const int32_t *tokens)
{
    for (int i = 0; i < p->count; i++)
        if (p->nodes[i].op == &pl_op_tokens)
            p->device->type->upload(p->device, pl_plan_storage_at(p, p->planned[i].value.storage), tokens,
                                    (size_t)pl_plan_samples(p) * sizeof *tokens);
}

const struct pl_operator pl_op_tokens = {.name = "tokens", .external = true, .words = true};

/* ---- embedding */

int pl_graph_embedding(struct pl_graph *g, int tokens, const char *name, int vocabulary, int features, double dropout,
                       int padding)
{
    if (!pl_graph_has(g, tokens))
        return -1;
    if (!g->nodes[tokens].op->words)
        return pl_graph_fail(g, "%s: an embedding is of tokens", name);
    if (vocabulary < 1 || features < 1)
        return pl_graph_fail(g, "%s: an embedding needs at least one word and one feature, not %d and %d", name,
                             vocabulary, features);
    if (!(dropout >= 0 && dropout < 1))
        return pl_graph_fail(g, "%s: a dropout probability must be in [0,1), not %g", name, dropout);
    int id = pl_graph_node(g, &pl_op_embedding, tokens, -1, (struct pl_shape){features, 1, 1});
    size_t shape[2] = {(size_t)vocabulary, (size_t)features};
    struct pl_node *n = &g->nodes[id];
    n->name = pl_graph_name(g, "%s", name);
    n->weight = pl_graph_table_add(g, &g->parameters, name, "weight", shape, 2,
                                   (struct pl_initial){PL_INITIAL_UNIFORM, 0.1});
    n->drop.probability = dropout;
    n->embedding.padding = padding;
    n->drop.layer = (uint64_t)g->dropouts++;
    return id;
}

static unsigned needs(const struct pl_node *n)
{
    (void)n;
    return PL_NEEDS_INPUT;
}

static size_t workspace(struct pl_plan *p, int id)
{
    struct pl_view y = pl_plan_value(p, id);
    return p->device->type->embedding_workspace(p->device, &y);
}

static void *tokens(const struct pl_plan *p, const struct pl_node *n)
{
    return pl_plan_storage_at(p, p->planned[n->inputs[0]].value.storage);
}

static bool drops(const struct pl_plan *p, const struct pl_node *n)
{
    return p->mode == PL_TRAINING && n->drop.probability > 0;
}

static void forward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_drop drop = pl_plan_drop(p, n);
    struct pl_view y = pl_plan_value(p, id);
    p->device->type->embedding_forward(p->device, pl_plan_parameter(p, PL_PARAMETERS, n->weight), tokens(p, n),
                                       drops(p, n) ? &drop : NULL, &y, pl_plan_work(p));
    pl_plan_moments(p, id);
}

static void backward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_drop drop = pl_plan_drop(p, n);
    struct pl_view dy = pl_plan_gradient(p, id);
    void *gradient = pl_plan_parameter(p, PL_GRADIENTS, n->weight);
    int vocabulary = (int)p->graph->parameters.entries[n->weight].shape[0];
    p->device->type->embedding_backward(p->device, tokens(p, n), drops(p, n) ? &drop : NULL, &dy, vocabulary,
                                        n->embedding.padding, gradient, p->planned[id].added, pl_plan_work(p));
}

const struct pl_operator pl_op_embedding = {
    .name = "embedding",
    .operation = PL_OPERATION_EMBEDDING,
    .reads_words = true,
    .needs = needs,
    .workspace = workspace,
    .forward = forward,
    .backward = backward,
};
