/* Inside nn: the operator descriptors, the graph's nodes, and what a plan knows about them.
 *
 * An operator is one const descriptor and stands in one file op_*.c together with its shape inference, its
 * forward and backward pass and the flow of its gradients; what graphs and plans must know of it stands in the
 * descriptor, and only rewrite.c, which fuses pairs of operators, names any. To add one: write that file, give
 * it a function in nn.h and passes in lib/device (docs/engine.md). What other files must name of it (its descriptor,
 * its members of a node) stands here. */
#ifndef PL_NN_PRIV_H
#define PL_NN_PRIV_H

#include "nn/nn.h"

enum { PL_INPUTS = 2 };

/* What a backward pass reads of its operator's activations. */
enum pl_needs { PL_NEEDS_NOTHING = 0, PL_NEEDS_INPUT = 1, PL_NEEDS_OUTPUT = 2 };

struct pl_node;
struct pl_operator {
    const char *name;
    enum pl_operation operation; /* what it needs of a device */
    bool external;               /* the output is written before a pass begins, from outside */
    bool words;                  /* the output is a number of a word for each sample, not features */
    bool reads_words;
    bool aliases;       /* the output is the input, where that lies */
    bool gathers;       /* the output consists of the inputs, which are made in its buffer */
    bool in_place;      /* the output may be written over the input */
    bool reads_moments; /* in training it reads its input's batch moments, and its output can be made again from them */
    bool free_after;    /* the output's buffer may hold its gradient, once nobody reads the output any more */
    bool loss;          /* a plan that ends in it can be trained */
    /* In these functions n may stand in a graph or, rewritten, in a plan. */
    void (*describe)(const struct pl_node *n, struct pl_text *text);                /* NULL: by its name */
    uint64_t (*multiplications)(const struct pl_graph *g, const struct pl_node *n); /* of one sample; NULL: 0 */
    size_t (*state)(const struct pl_node *n); /* numbers that a column of a sequence carries on; NULL: 0 */
    bool (*identity)(const struct pl_node *n, enum pl_mode mode); /* changes nothing; NULL: never */
    unsigned (*needs)(const struct pl_node *n);                   /* a set of enum pl_needs; NULL: nothing */
    void (*flow)(struct pl_plan *p, int id);                      /* decides where the inputs' gradients go */
    size_t (*workspace)(struct pl_plan *p, int id);               /* NULL: none */
    size_t (*reserve)(struct pl_plan *p, int id);                 /* bytes kept for the backward pass; NULL: none */
    void (*forward)(struct pl_plan *p, int id);
    void (*backward)(struct pl_plan *p, int id); /* NULL: nothing to compute */
};

extern const struct pl_operator pl_op_input, pl_op_convolution, pl_op_norm, pl_op_relu, pl_op_pool, pl_op_dropout,
    pl_op_add, pl_op_concat, pl_op_copy, pl_op_loss, pl_op_tokens, pl_op_embedding, pl_op_lstm, pl_op_penalty;

/* One operator and its output. */
struct pl_node {
    const struct pl_operator *op; /* NULL in a plan: fused away or not needed */
    const char *name;
    int inputs[PL_INPUTS], input_count;
    struct pl_shape shape;
    const int *pieces; /* channels of the parts that a concatenation put together; else one piece */
    int piece_count;
    int parent, parent_piece; /* the concatenation whose buffer holds this output, and where; or -1 */
    int weight, bias;         /* numbers in the parameter table, or -1 */
    int recurrent_weight, recurrent_bias;
    int mean, variance; /* numbers in the statistics table, or -1 */

    struct { /* of dropout, embedding and lstm, which drop things */
        double probability;
        uint64_t layer; /* its number among them */
        bool locked;    /* one mask for all steps */
    } drop;
    union { /* by operator */
        struct {
            struct pl_window window;
            bool linear; /* a layer whose kernel is the whole image */
        } convolution;
        struct {
            struct pl_window window;
            enum pl_pooling kind;
        } pool;
        struct pl_batch_norm norm;
        struct {
            bool relu; /* with the ReLU that follows it */
        } sum;
        struct {
            int padding; /* the word whose row gets no gradient from it, or -1 (it may get one from a layer that is
                            tied) */
        } embedding;
        struct {
            enum pl_penalty kind;
            double coefficient;
        } penalty;
        struct {
            double smoothing;
        } loss;
    };
};

struct pl_tensor_table {
    struct pl_parameter *entries;
    size_t count, capacity;
    size_t length; /* arena elements so far */
};

struct pl_graph {
    struct pl_node *nodes;
    size_t count, capacity;
    struct pl_tensor_table parameters, statistics;
    int dropouts;
    struct pl_pool pool;
    struct pl_error error; /* code 0: none */
};

/* Adds a node over the given inputs (-1: absent) with one piece of shape.channels; returns its number, or
 * -1 when the graph is already wrong or an input is. */
int pl_graph_node(struct pl_graph *g, const struct pl_operator *op, int a, int b, struct pl_shape shape);
/* Is x an output of this graph (else, or after an error, -1 is to be returned)? */
bool pl_graph_has(const struct pl_graph *g, int x);
int pl_graph_table_add(struct pl_graph *g, struct pl_tensor_table *table, const char *layer, const char *suffix,
                       const size_t *shape, int dims, struct pl_initial initial);
/* Gives a node the pieces of another. */
void pl_graph_same_pieces(struct pl_graph *g, int node, int like);
/* Multiply-adds of one image's forward pass. */
uint64_t pl_node_multiplications(const struct pl_graph *g, const struct pl_node *n);
void pl_node_describe(const struct pl_node *n, struct pl_text *text);

struct pl_net {
    const struct pl_graph *graph;
    struct pl_device *device;
    void *arenas[3]; /* device memory, by enum pl_arena_kind */
    struct pl_random dropout;
    void **masks; /* for every dropout of the graph: device memory, or NULL */
    void *shared; /* the memory of all plans */
    size_t shared_bytes;
};

/* Channels first .. of a buffer in the plan's memory. */
struct pl_place {
    int storage; /* or -1: nowhere */
    int first;   /* stored channel */
};

struct pl_storage {
    int stored, height, width; /* an activation; stored 0: bytes of something else */
    size_t bytes, offset;
    int from, to; /* first and last time at which it is in use */
    int moments;  /* storage of its batch moments, or -1 */
};

/* How the gradient reaches one input. */
struct pl_flow {
    enum { PL_FLOW_NONE, PL_FLOW_SHARE, PL_FLOW_WRITE, PL_FLOW_ADD } kind;
    struct pl_place place;    /* where the input's gradient is at that time */
    struct pl_place original; /* ADD: where it must first be copied from (it is still read there), or nowhere */
};

/* What a plan knows about one node. */
struct pl_planned {
    bool wants;            /* a parameter stands before it: it has a gradient */
    bool moments;          /* batch moments of its output are wanted */
    bool deferred;         /* a batch norm that its only reader does while it reads: the output is nowhere */
    struct pl_place value; /* its output */
    struct pl_place again; /* in the backward pass, where the output is recomputed instead of kept */
    struct pl_place gradient;
    struct pl_place masked; /* where dy goes behind the mask of a ReLU or dropout: dy's own place or another */
    struct pl_flow flow[PL_INPUTS];
    int rerun;    /* node to recompute before this one's backward pass, or -1 */
    int reserve;  /* storage of what the forward pass leaves for the backward pass, or -1 */
    bool added;   /* the weight's gradient is there when the backward pass runs: a later node's too */
    size_t state; /* first number of a recurrent layer's state */
    struct pl_convolution_choice choice;
    double seconds[2];
};

struct pl_plan {
    struct pl_net *net; /* NULL while estimating */
    const struct pl_graph *graph;
    struct pl_device *device;
    int columns;           /* the batch size of images */
    int steps, most_steps; /* of a sequence, now and at most; 1 for images */
    bool sequence;
    enum pl_mode mode;
    void *state;           /* of the recurrent layers, in device memory of its own; NULL: none */
    size_t state_length;   /* numbers */
    struct pl_node *nodes; /* the graph's, rewritten; same numbers */
    struct pl_planned *planned;
    int count;
    int output; /* what pl_plan_output reads */
    int loss;   /* the loss node, or -1 */
    struct pl_storage *storages;
    size_t storage_count, storage_capacity;
    size_t workspace, labels, result; /* offsets in the plan's memory; behind the result one double a penalty */
    size_t bytes;
    uint64_t step;
    bool backward; /* which pass is running */
    bool profile;
};

/* Where an operator that reads node x finds it: the output, or the input of a norm that is deferred. */
static inline struct pl_place pl_plan_source(const struct pl_plan *p, int x, bool backward)
{
    if (p->planned[x].deferred)
        x = p->nodes[x].inputs[0];
    return backward && p->planned[x].again.storage >= 0 ? p->planned[x].again : p->planned[x].value;
}

/* rewrite.c: drops what the mode does not need and fuses what follows one another. */
void pl_plan_rewrite(struct pl_plan *p);

/* memory.c: storages and their places in memory. */
int pl_plan_storage(struct pl_plan *p, const struct pl_node *like); /* room for an activation like this one's */
int pl_plan_bytes(struct pl_plan *p, size_t bytes);
void pl_plan_touch(struct pl_plan *p, struct pl_place place, int time); /* in use at that time */
void pl_plan_arrange(struct pl_plan *p, size_t from);                   /* offsets of all storages, from this byte on */

/* flow.c: places of gradients, for use in an operator's flow function. */
void pl_flow_into(struct pl_plan *p, int id, int input);  /* an own buffer, or added to what is there */
void pl_flow_reuse(struct pl_plan *p, int id, int input); /* the same, in dy's buffer where that may be overwritten */
void pl_flow_over(struct pl_plan *p, int id, int input);  /* over the input's value, if nobody else reads that */
/* What lies at place, unchanged; nothing where the input has no gradient. */
void pl_flow_share(struct pl_plan *p, int id, int input, struct pl_place place);
struct pl_place pl_flow_mask(struct pl_plan *p, int id); /* where a masked dy goes */
int pl_plan_stored(const struct pl_plan *p, const int *pieces, int count);
/* The place of input's channels within a concatenation. */
struct pl_place pl_plan_slice(const struct pl_plan *p, struct pl_place whole, const struct pl_node *concat, int piece);
static inline int pl_forward_time(const struct pl_plan *p, int id)
{
    (void)p;
    return id;
}
static inline int pl_backward_time(const struct pl_plan *p, int id)
{
    return 2 * p->count - id;
}

/* run.c: views and addresses while a plan runs. */
struct pl_view pl_plan_view(const struct pl_plan *p, int id, struct pl_place place); /* shaped like id's output */
struct pl_view pl_plan_value(const struct pl_plan *p, int id);
struct pl_view pl_plan_gradient(const struct pl_plan *p, int id);
void *pl_plan_parameter(const struct pl_plan *p, enum pl_arena_kind kind, int number); /* NULL for -1 */
void *pl_plan_work(const struct pl_plan *p);
void *pl_plan_storage_at(const struct pl_plan *p, int storage);
void *pl_plan_penalty_at(const struct pl_plan *p, int id); /* where the value of penalty id goes */
/* The mask of a node's dropout in this step. */
struct pl_drop pl_plan_drop(const struct pl_plan *p, const struct pl_node *n);
static inline int pl_plan_samples(const struct pl_plan *p)
{
    return p->columns * p->steps;
}
/* Fills in the batch moments of id's output where they are wanted and not made by the operator itself. */
void pl_plan_moments(struct pl_plan *p, int id);
/* Prepares the gradient of an input (copying it where needed) and says whether to add to it. */
bool pl_flow_begin(struct pl_plan *p, int id, int input, struct pl_view *dx);
/* Adds what lies at place to an input's gradient where the flow is not shared. */
void pl_flow_finish(struct pl_plan *p, int id, int input, struct pl_place place);

#endif
