/* nn: a network as a static graph.
 *
 * Three objects:
 *   - a graph (struct pl_graph) is the network as the paper's table draws it: operators over images of
 *     channels x height x width, without a batch size or a device. Building it infers every shape.
 *   - a net (struct pl_net) is a graph on a device: its parameters, their gradients and the running
 *     statistics of its batch norms, each one contiguous arena with a table of named tensors.
 *   - a plan (struct pl_plan) is a net compiled for one batch size and one mode. Compiling fuses operators,
 *     chooses algorithms and gives every activation and gradient its place by liveness, so that a step
 *     allocates nothing. A net may have several plans (full and last partial batch, evaluation); they share
 *     one block of memory, so only one of them is between its input and its last result at a time.
 *
 * A sequence of T steps by B columns is a batch of T x B samples, step after step: what works on a sample works
 * on a step of a column. A plan of sequences is made for their greatest length and may run shorter ones. Where the
 * graph has recurrent layers a plan keeps their state, which each forward pass takes up and leaves behind.
 *
 * Tensors carry the names that PyTorch users expect (layer1.0.conv1.weight) and plain order
 * ([out][in][kernel][kernel]), whatever the device does inside.
 *
 * Threading: one net and its plans belong to one thread; a device computes with threads of its own. */
#ifndef PL_NN_H
#define PL_NN_H

#include "base/base.h"
#include "device/device.h"

struct pl_graph;
struct pl_net;
struct pl_plan;

/* ---- the graph */

struct pl_shape {
    int channels, height, width;
};

struct pl_graph *pl_graph_new(void);
void pl_graph_free(struct pl_graph *g);

/* Formats a layer name into memory that the graph owns. */
const char *pl_graph_name(struct pl_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each operator returns the number of its output. When an argument makes no sense (a window larger than the
 * image, shapes that differ) the graph remembers the first sentence that says so, and that operator and all
 * that build on it return -1; pl_graph_check reports it, so that a builder need not look after every line. */
int pl_graph_input(struct pl_graph *g, struct pl_shape shape);
int pl_graph_conv2d(struct pl_graph *g, int x, const char *name, int channels, int kernel, int stride, int padding,
                    bool bias);
int pl_graph_linear(struct pl_graph *g, int x, const char *name, int features, bool bias); /* flattens x */
int pl_graph_batch_norm(struct pl_graph *g, int x, const char *name); /* epsilon 1e-5, momentum 0.1 */
int pl_graph_relu(struct pl_graph *g, int x);
int pl_graph_max_pool(struct pl_graph *g, int x, int kernel, int stride, int padding);
int pl_graph_average_pool(struct pl_graph *g, int x, int kernel, int stride, int padding);
int pl_graph_global_pool(struct pl_graph *g, int x); /* the average over the image */
int pl_graph_dropout(struct pl_graph *g, int x, double probability);
int pl_graph_add(struct pl_graph *g, int a, int b);
int pl_graph_concat(struct pl_graph *g, int front, int back); /* channels of front, then those of back */
/* One token a sample, given by pl_plan_tokens: the input of an embedding. */
int pl_graph_tokens(struct pl_graph *g);
/* Rows of a matrix NAME.weight [vocabulary][features]; with the given probability a word is dropped: its row is zero
 * wherever it stands. The row of the word `padding` (-1: none) gets no gradient from here. Initially U(-0.1, 0.1). */
int pl_graph_embedding(struct pl_graph *g, int tokens, const char *name, int vocabulary, int features, double dropout,
                       int padding);
/* An LSTM layer over the steps of a sequence, with PyTorch's tensors NAME.weight_ih_l0, weight_hh_l0, bias_ih_l0 and
 * bias_hh_l0 (gates i, f, g, o), initially U(-1/sqrt(hidden), 1/sqrt(hidden)). dropout is the probability of an entry
 * of weight_hh being dropped for the length of a step of training. */
int pl_graph_lstm(struct pl_graph *g, int x, const char *name, int hidden, double dropout);
/* A dropout with one mask a column and feature, the same for all steps of a sequence (Gal and Ghahramani 2016). */
int pl_graph_locked_dropout(struct pl_graph *g, int x, double probability);
/* y = x E' + b, E being the matrix of an embedding, which thus has two gradients; a bias NAME.bias, initially 0. One
 * layer at most is tied to an embedding. */
int pl_graph_tied_linear(struct pl_graph *g, int x, const char *name, int embedding);
/* y = x; in training the penalty, times the coefficient, is added to what is minimised (Merity et al. 2018, AR and
 * TAR). */
int pl_graph_penalty(struct pl_graph *g, int x, enum pl_penalty kind, double coefficient);
/* Softmax cross-entropy, the mean over the batch, with label smoothing in [0,1). The last operator. */
int pl_graph_cross_entropy(struct pl_graph *g, int x, double smoothing);

/* Initial distribution of a parameter; by default a convolution or linear layer draws weight and bias from
 * U(-1/sqrt(fan_in), 1/sqrt(fan_in)), a batch norm starts at weight 1 and bias 0. */
struct pl_initial {
    enum { PL_INITIAL_CONSTANT, PL_INITIAL_UNIFORM, PL_INITIAL_NORMAL } kind;
    double value; /* the constant; the bound; the standard deviation */
};
void pl_graph_initial(struct pl_graph *g, int layer, struct pl_initial weight, struct pl_initial bias);

/* For builders of networks: makes the graph wrong with a sentence of their own, and returns -1. */
int pl_graph_fail(struct pl_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
int pl_graph_check(const struct pl_graph *g, struct pl_error *err);
/* Has a device everything that this network needs? PL_EINPUT names an operator that it lacks. To be asked before a plan
 * is estimated; pl_net_new asks by itself. */
int pl_graph_fits(const struct pl_graph *g, const struct pl_device *device, struct pl_error *err);
/* Shape of an operator's output; all zero for -1. */
struct pl_shape pl_graph_shape(const struct pl_graph *g, int x);

/* One named tensor of an arena. */
struct pl_parameter {
    const char *name;
    int dims;
    size_t shape[4];
    size_t count;  /* elements */
    size_t offset; /* of the first element in its arena, a multiple of PL_TENSOR_ALIGN */
    struct pl_initial initial;
};

/* The tensors that are trained, and the running statistics, in the order in which the graph was built. */
const struct pl_parameter *pl_graph_parameters(const struct pl_graph *g, size_t *count);
const struct pl_parameter *pl_graph_statistics(const struct pl_graph *g, size_t *count);
size_t pl_graph_parameter_count(const struct pl_graph *g);   /* elements of all trained tensors */
uint64_t pl_graph_multiplications(const struct pl_graph *g); /* multiply-adds of one forward pass of one image */

/* The graph as a table: one line an operator, as built (before any fusion). */
struct pl_layer {
    const char *name, *operation; /* "features.0", "conv 3x3" */
    struct pl_shape shape;        /* of the output */
    size_t parameters;
    uint64_t multiplications; /* convolutions and linear layers */
};
size_t pl_graph_layer_count(const struct pl_graph *g);
/* operation is written to text, which must outlive the use of layer->operation. */
void pl_graph_layer(const struct pl_graph *g, size_t index, struct pl_layer *layer, struct pl_text *text);

/* ---- the net */

/* Allocates the arenas. Graph and device must outlive the net. Fails with the graph's own error or with
 * PL_EMEMORY. */
int pl_net_new(struct pl_net **net, const struct pl_graph *g, struct pl_device *device, struct pl_error *err);
void pl_net_free(struct pl_net *net);

/* Draws initial parameters (a function of the stream, the tensor's number and the element) and resets the
 * running statistics. */
void pl_net_initialise(struct pl_net *net, struct pl_random stream);

/* The stream that dropout masks are drawn from. */
void pl_net_dropout(struct pl_net *net, struct pl_random stream);

/* Gives a dropout of the graph (numbered from 0 as they were added, those of embeddings and LSTM layers among them)
 * a mask of the caller's, a byte an element, in place of drawn ones; NULL: drawn again. An embedding's mask has an
 * element a word, an LSTM's one an entry of weight_hh, a locked one [column][feature], any other NCHW. For comparisons
 * with other programs. Fails with PL_EMEMORY. */
int pl_net_mask(struct pl_net *net, int dropout, const uint8_t *keep, size_t count, struct pl_error *err);

enum pl_arena_kind { PL_PARAMETERS, PL_GRADIENTS, PL_STATISTICS };
/* Elements of an arena, padding included. Statistics are double, the others the device's element. */
size_t pl_net_length(const struct pl_net *net, enum pl_arena_kind kind);
/* Lends an arena to the host until it is taken back; no plan runs meanwhile. Padding between tensors is zero at the
 * start and never used. See struct pl_device_type: NULL for want of memory, the first time only. */
void *pl_net_lend(struct pl_net *net, enum pl_arena_kind kind, enum pl_lending how);
void pl_net_take_back(struct pl_net *net, enum pl_arena_kind kind, enum pl_lending how, void *lent);

/* Copies one named tensor out or in, in plain order. Fails with PL_EMISSING for an unknown name. */
int pl_net_get(const struct pl_net *net, enum pl_arena_kind kind, const char *name, double *values,
               struct pl_error *err);
int pl_net_set(struct pl_net *net, enum pl_arena_kind kind, const char *name, const double *values,
               struct pl_error *err);

/* ---- the plan */

enum pl_mode {
    PL_TRAINING,  /* forward and backward; batch statistics; dropout */
    PL_EVALUATION /* forward only; running statistics */
};

/* Compiles for a batch size and makes room for it in the memory that the net's plans share. The net must
 * outlive the plan. Fails with PL_EMEMORY, naming the size. */
int pl_plan_new(struct pl_plan **plan, struct pl_net *net, int batch, enum pl_mode mode, struct pl_error *err);
/* For sequences of at most so many steps. A recurrent state starts at zero. */
int pl_plan_new_sequence(struct pl_plan **plan, struct pl_net *net, int columns, int steps, enum pl_mode mode,
                         struct pl_error *err);
void pl_plan_free(struct pl_plan *plan);

/* The length of the sequences from now on, from 1 to the one the plan was made for (as it is at first). Costs
 * nothing. */
void pl_plan_steps(struct pl_plan *plan, int steps);

/* The recurrent state: for every LSTM layer in the graph's order h [column][hidden], then c. A forward pass begins
 * with it and leaves the state after its last step; it belongs to the plan, so that evaluation does not disturb
 * training. Doubles hold a device's element exactly. */
size_t pl_plan_state_length(const struct pl_plan *plan); /* numbers; 0 where nothing is recurrent */
void pl_plan_state_get(const struct pl_plan *plan, double *values);
void pl_plan_state_set(struct pl_plan *plan, const double *values); /* NULL: zero */

/* Bytes that training or evaluating takes: parameters, gradients, statistics and the plan, without making
 * any of them. */
size_t pl_plan_estimate(const struct pl_graph *g, struct pl_device *device, int batch, enum pl_mode mode);
size_t pl_plan_estimate_sequence(const struct pl_graph *g, struct pl_device *device, int columns, int steps,
                                 enum pl_mode mode);
size_t pl_plan_memory(const struct pl_plan *plan); /* bytes of the plan alone */

/* The batch: images in NCHW order, or tokens; one label a sample. The samples of a sequence are [step][column]. */
void pl_plan_input(struct pl_plan *plan, const void *images, enum pl_element element);
void pl_plan_tokens(struct pl_plan *plan, const int32_t *tokens);
void pl_plan_labels(struct pl_plan *plan, const int32_t *labels);

/* Forward pass; in training, step numbers the dropout masks, and the running statistics move on. */
void pl_plan_forward(struct pl_plan *plan, uint64_t step);
/* Backward pass of the last forward pass: overwrites the gradients. Training only. */
void pl_plan_backward(struct pl_plan *plan);
/* Cross-entropy of the last forward pass and (correct may be NULL) the number of right answers. */
double pl_plan_loss(struct pl_plan *plan, int64_t *correct);
/* The sum of the penalties of one kind in the last forward pass of training, coefficients included: what is minimised
 * is the loss plus these. 0 in evaluation. */
double pl_plan_penalty(struct pl_plan *plan, enum pl_penalty kind);
/* The input of the loss (of the last operator where there is none), NCHW. Valid until the next step; but when training
 * on sequences the gradient may be written over the logits, and there is nothing to read. */
void pl_plan_output(struct pl_plan *plan, void *logits, enum pl_element element);

/* The plan as a table: what runs, after fusion. With profiling on, seconds are summed over all steps. */
struct pl_plan_step {
    const char *name, *operation;
    const char *forward, *backward_data, *backward_weights; /* algorithms of a convolution, else "" */
    double forward_seconds, backward_seconds;
    uint64_t multiplications; /* of the whole batch's forward pass */
    size_t bytes;             /* of its output */
};
size_t pl_plan_step_count(const struct pl_plan *plan);
/* operation is written to text, as by pl_graph_layer. */
void pl_plan_step(const struct pl_plan *plan, size_t index, struct pl_plan_step *step, struct pl_text *text);
void pl_plan_profile(struct pl_plan *plan, bool on); /* also sets the sums to zero */

#endif
