/* device: the arithmetic of networks, behind one interface.
 *
 * A device stores activations in a layout of its own and computes each operator's forward and backward
 * pass over them. Two devices: `ref` (plain C, double precision, obvious: what everything else is compared
 * with) and `cpu` (own float kernels). Nothing above this module looks into device memory or assumes that a
 * device address can be dereferenced: data enters and leaves through write, read, upload and download, and the host
 * computes (optimizers, norms, checkpoints) on what the device lends. So a graphics card is a folder beside ref and
 * cpu; tests/unit/test_fenced.c trains on a device whose memory faults when the host touches it.
 *
 * Parameters, their gradients and running statistics lie in device memory in plain order ([out][in][kernel]
 * [kernel] for a convolution, one number per channel for a batch norm); a device that wants another order
 * repacks them inside its operators.
 *
 * Activations are described by a view. A view may cover some channels of a larger buffer, so that a
 * concatenation is a matter of addresses. Within a buffer every piece (the output of one operator) begins
 * at a multiple of the device's channel block; the stored channels of a piece beyond its own are zero.
 *
 * Invariants: operators allocate nothing and return no errors; what they need beside their operands is asked for
 * beforehand, and what went wrong on a device that computes on its own is said by synchronize. Results do not depend on
 * the number of threads. A device may be used by one thread at a time. */
#ifndef PL_DEVICE_H
#define PL_DEVICE_H

#include "base/base.h"

struct pl_drop {
    double probability; /* of being zeroed; kept elements are divided by 1 - probability */
    struct pl_random stream;
    uint64_t step; /* the mask is a function of stream, step, layer and element (NCHW order) */
    uint64_t layer;
    bool locked;         /* a mask for one step of a sequence, the same for all of them: [column][channel] */
    const uint8_t *keep; /* a mask to use in place of a drawn one, a byte an element (device address); or NULL */
};

struct pl_batch_norm {
    double epsilon;  /* added to the variance */
    double momentum; /* of the running statistics: running <- (1-momentum) running + momentum batch */
    bool relu;       /* a ReLU follows and is done in the same pass */
};

/* A batch norm that is still to be done to what lies in a view: what norm_forward is given besides. */
struct pl_deferred {
    const struct pl_batch_norm *norm; /* or NULL: there is none */
    const void *weight, *bias;
    const double *mean, *variance; /* the running ones, or NULL: the view's batch moments */
};

struct pl_view {
    void *data;      /* device address of the whole buffer */
    double *moments; /* device address, of the whole buffer: batch mean[stored], biased variance[stored]; or NULL */
    int batch, channels, height, width;
    int steps;         /* of a sequence, whose samples are [step][column], batch / steps columns; 1 for images */
    int first;         /* stored channel of the buffer at which the view begins */
    int stored;        /* stored channels of the buffer */
    const int *pieces; /* channels of each piece in the view, front first; their sum is channels */
    int piece_count;
    /* Where its probability is not 0: the locked dropout of a sequence that made these values. What it dropped is zero,
     * and a gradient there goes nowhere: devices may leave both out. */
    struct pl_drop made;
    /* The values are these, normalised. Only what device types say they read so (`normalises`) is given such views. */
    struct pl_deferred deferred;
};

/* A window that moves over an image: {vertical, horizontal}. */
struct pl_window {
    int kernel[2], stride[2], padding[2]; /* padding < kernel */
};

/* What a device decided for one convolution at one size. */
struct pl_convolution_choice {
    const char *forward, *backward_data, *backward_weights; /* algorithms: "plain", "direct", "winograd4", ... */
    size_t workspace;                                       /* bytes that its passes need */
};

enum pl_pooling { PL_POOL_MAX, PL_POOL_AVERAGE };

/* The tensors of an LSTM layer, or their gradients. Rows are the gates i, f, g, o, one after another. */
struct pl_lstm {
    int hidden;
    void *weight_ih, *weight_hh; /* [4 hidden][in], [4 hidden][hidden] */
    void *bias_ih, *bias_hh;     /* [4 hidden] */
};

/* What a penalty holds down, of x seen as a sequence: the mean of x^2, or the mean of (x[t+1] - x[t])^2, which
 * is zero for a single step. */
enum pl_penalty { PL_PENALTY_ACTIVATION, PL_PENALTY_CHANGE };
enum { PL_PENALTIES = 2 };

/* What the loss writes to device memory. */
struct pl_loss_result {
    double loss;    /* mean over the batch */
    double correct; /* samples whose largest logit (the first, of equals) is at the label */
};

struct pl_device;

/* What becomes of memory that the host borrows. */
enum pl_lending {
    PL_LEND_READ,   /* the host only reads it */
    PL_LEND_CHANGE, /* the device sees what the host has changed */
    PL_LEND_SPEND   /* the host changes it, and the device may see that or not: it will be written anew */
};

/* ---- What a device computes.
 *
 * PL_PASSES_NAME has the passes of the operation PL_OPERATION_NAME, a line each: PASS(NAME, PARAMETERS, ARGUMENTS) for
 * what computes, SIZE for how many bytes of memory one needs, as work (its content of no interest afterwards) or as a
 * reserve. The device itself, which comes first, is left out there. Whatever must know every pass is made from these
 * lists: the members of struct pl_device_type, prototypes and tables of ref and cpu, pl_device_supports, and the fence
 * of tests/unit/fenced.h.
 *
 * In all operators y is written whole, and dx is written, or added to where accumulate is true. Operands may overlap
 * only where said. */

/* What every device has. Host arrays are in NCHW order, the view's own channels only. copy: y = x; accumulate:
 * y += x. */
#define PL_PASSES_NONE(PASS, SIZE)                                                                                     \
    PASS(write, (const struct pl_view *y, const void *host, enum pl_element element), (y, host, element))              \
    PASS(read, (const struct pl_view *x, void *host, enum pl_element element), (x, host, element))                     \
    PASS(copy, (const struct pl_view *x, const struct pl_view *y), (x, y))                                             \
    PASS(accumulate, (const struct pl_view *x, const struct pl_view *y), (x, y))

/* y = w * x + b (bias may be NULL); with moments, the batch moments of y are filled in as well. A linear layer is a
 * convolution whose kernel is the whole image. Gradients of weight and bias are overwritten; dbias is NULL where there
 * is no bias. */
#define PL_PASSES_CONVOLUTION(PASS, SIZE)                                                                              \
    PASS(convolution_choose,                                                                                           \
         (const struct pl_window *c, const struct pl_view *x, const struct pl_view *y,                                 \
          struct pl_convolution_choice *choice),                                                                       \
         (c, x, y, choice))                                                                                            \
    PASS(convolution_forward,                                                                                          \
         (const struct pl_window *c, const struct pl_view *x, const void *weight, const void *bias,                    \
          const struct pl_view *y, bool moments, void *work),                                                          \
         (c, x, weight, bias, y, moments, work))                                                                       \
    PASS(convolution_backward_data,                                                                                    \
         (const struct pl_window *c, const struct pl_view *dy, const void *weight, const struct pl_view *dx,           \
          bool accumulate, void *work),                                                                                \
         (c, dy, weight, dx, accumulate, work))                                                                        \
    PASS(convolution_backward_weights,                                                                                 \
         (const struct pl_window *c, const struct pl_view *x, const struct pl_view *dy, void *dweight, void *dbias,    \
          void *work),                                                                                                 \
         (c, x, dy, dweight, dbias, work))

/* Batch norm. In training: moments of x first (once for all norms that read x), then the norm with mean and variance
 * NULL; in evaluation they are the running statistics. residual (or NULL) is added before the ReLU. y may be x or
 * residual. Backward: y is needed where there was a residual and a ReLU, else NULL. dresidual (or NULL) receives dy
 * masked by the ReLU; one of dx (when not accumulating) and dresidual may be dy. */
#define PL_PASSES_NORM(PASS, SIZE)                                                                                     \
    SIZE(norm_workspace, (const struct pl_view *x), (x))                                                               \
    PASS(moments, (const struct pl_view *x, void *work), (x, work))                                                    \
    PASS(norm_running, (const struct pl_batch_norm *n, const struct pl_view *x, double *mean, double *variance),       \
         (n, x, mean, variance))                                                                                       \
    PASS(norm_forward,                                                                                                 \
         (const struct pl_batch_norm *n, const struct pl_view *x, const void *weight, const void *bias,                \
          const double *mean, const double *variance, const struct pl_view *residual, const struct pl_view *y,         \
          void *work),                                                                                                 \
         (n, x, weight, bias, mean, variance, residual, y, work))                                                      \
    PASS(norm_backward,                                                                                                \
         (const struct pl_batch_norm *n, const struct pl_view *x, const struct pl_view *y, const struct pl_view *dy,   \
          const void *weight, const void *bias, void *dweight, void *dbias, const struct pl_view *dx, bool accumulate, \
          const struct pl_view *dresidual, void *work),                                                                \
         (n, x, y, dy, weight, bias, dweight, dbias, dx, accumulate, dresidual, work))

/* y = max(x, 0), y may be x; dx = dy where y > 0, dx may be dy. */
#define PL_PASSES_RELU(PASS, SIZE)                                                                                     \
    PASS(relu_forward, (const struct pl_view *x, const struct pl_view *y), (x, y))                                     \
    PASS(relu_backward, (const struct pl_view *y, const struct pl_view *dy, const struct pl_view *dx), (y, dy, dx))

/* y = a + b, or its ReLU, whose backward pass is then that of a ReLU; y may be a or b. */
#define PL_PASSES_ADD(PASS, SIZE)                                                                                      \
    PASS(add, (const struct pl_view *a, const struct pl_view *b, bool relu, const struct pl_view *y), (a, b, relu, y))

/* Maximum: padding never wins, the gradient goes to the first largest of a window. Average: padding counts as zeros.
 * x and y of the backward pass are read for the maximum only. */
#define PL_PASSES_POOL(PASS, SIZE)                                                                                     \
    PASS(pool_forward,                                                                                                 \
         (enum pl_pooling kind, const struct pl_window *p, const struct pl_view *x, const struct pl_view *y),          \
         (kind, p, x, y))                                                                                              \
    PASS(pool_backward,                                                                                                \
         (enum pl_pooling kind, const struct pl_window *p, const struct pl_view *x, const struct pl_view *y,           \
          const struct pl_view *dy, const struct pl_view *dx, bool accumulate),                                        \
         (kind, p, x, y, dy, dx, accumulate))

/* y = mask * x / (1-p); its own backward pass. y may be x. A locked mask is for sequences. */
#define PL_PASSES_DROPOUT(PASS, SIZE)                                                                                  \
    SIZE(dropout_workspace, (const struct pl_view *x), (x))                                                            \
    PASS(dropout, (const struct pl_drop *drop, const struct pl_view *x, const struct pl_view *y, void *work),          \
         (drop, x, y, work))

/* y = row `token` of a matrix [vocabulary][channels]; tokens (int32, one a sample) are device addresses. The mask of
 * drop (or NULL) has one element a row. Backward overwrites dmatrix, or adds to it; row `padding` (-1: none) gets
 * nothing from it. */
#define PL_PASSES_EMBEDDING(PASS, SIZE)                                                                                \
    SIZE(embedding_workspace, (const struct pl_view *y), (y))                                                          \
    PASS(embedding_forward,                                                                                            \
         (const void *matrix, const void *tokens, const struct pl_drop *drop, const struct pl_view *y, void *work),    \
         (matrix, tokens, drop, y, work))                                                                              \
    PASS(embedding_backward,                                                                                           \
         (const void *tokens, const struct pl_drop *drop, const struct pl_view *dy, int vocabulary, int padding,       \
          void *dmatrix, bool accumulate, void *work),                                                                 \
         (tokens, drop, dy, vocabulary, padding, dmatrix, accumulate, work))

/* An LSTM layer over a sequence. state holds h [column][hidden] and then c likewise, before the first step, and
 * receives them after the last. The mask of drop (or NULL) is for weight_hh, an element an entry; the gradient passes
 * through it. reserve is device memory that a forward pass fills for its backward pass. dx may be NULL. The gradient
 * with respect to the state before the first step is not computed. */
#define PL_PASSES_LSTM(PASS, SIZE)                                                                                     \
    SIZE(lstm_reserve, (const struct pl_view *x, int hidden, bool drop), (x, hidden, drop))                            \
    SIZE(lstm_workspace, (const struct pl_view *x, int hidden), (x, hidden))                                           \
    PASS(lstm_forward,                                                                                                 \
         (const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x, void *state,                   \
          const struct pl_view *y, void *reserve, void *work),                                                         \
         (w, drop, x, state, y, reserve, work))                                                                        \
    PASS(lstm_backward,                                                                                                \
         (const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x, const struct pl_view *dy,      \
          const struct pl_lstm *dw, const struct pl_view *dx, bool accumulate, void *reserve, void *work),             \
         (w, drop, x, dy, dw, dx, accumulate, reserve, work))

/* *value (double, a device address) = coefficient times the penalty;  dx = dy + its gradient, dx may be dy. */
#define PL_PASSES_PENALTY(PASS, SIZE)                                                                                  \
    SIZE(penalty_workspace, (const struct pl_view *x), (x))                                                            \
    PASS(penalty_forward,                                                                                              \
         (enum pl_penalty kind, double coefficient, const struct pl_view *x, void *value, void *work),                 \
         (kind, coefficient, x, value, work))                                                                          \
    PASS(penalty_backward,                                                                                             \
         (enum pl_penalty kind, double coefficient, const struct pl_view *x, const struct pl_view *dy,                 \
          const struct pl_view *dx),                                                                                   \
         (kind, coefficient, x, dy, dx))

/* Mean cross-entropy of softmax(x) with target (1-s) onehot(label) + s/classes, for x of height and width 1; dx is its
 * gradient, or NULL, and may be x. labels (int32, one a sample) and result (struct pl_loss_result) are device
 * addresses. */
#define PL_PASSES_LOSS(PASS, SIZE)                                                                                     \
    SIZE(loss_workspace, (const struct pl_view *x), (x))                                                               \
    PASS(cross_entropy,                                                                                                \
         (const struct pl_view *x, const void *labels, double smoothing, const struct pl_view *dx, void *result,       \
          void *work),                                                                                                 \
         (x, labels, smoothing, dx, result, work))

/* All operations: EACH(NAME, PASS, SIZE). */
#define PL_EACH_OPERATION(EACH, PASS, SIZE)                                                                            \
    EACH(NONE, PASS, SIZE)                                                                                             \
    EACH(CONVOLUTION, PASS, SIZE)                                                                                      \
    EACH(NORM, PASS, SIZE)                                                                                             \
    EACH(RELU, PASS, SIZE)                                                                                             \
    EACH(ADD, PASS, SIZE)                                                                                              \
    EACH(POOL, PASS, SIZE)                                                                                             \
    EACH(DROPOUT, PASS, SIZE)                                                                                          \
    EACH(EMBEDDING, PASS, SIZE)                                                                                        \
    EACH(LSTM, PASS, SIZE)                                                                                             \
    EACH(PENALTY, PASS, SIZE)                                                                                          \
    EACH(LOSS, PASS, SIZE)

/* All passes of all operations. */
#define PL_PASSES_OF(name, PASS, SIZE) PL_PASSES_##name(PASS, SIZE)
#define PL_EACH_PASS(PASS, SIZE) PL_EACH_OPERATION(PL_PASSES_OF, PASS, SIZE)

#define PL_LIST(...) __VA_ARGS__ /* parameters or arguments without their brackets */

/* What an operator of a network needs of a device. */
enum pl_operation {
#define PL_OPERATION_NAME(name, PASS, SIZE) PL_OPERATION_##name,
    PL_EACH_OPERATION(PL_OPERATION_NAME, , )
#undef PL_OPERATION_NAME
        PL_OPERATIONS
};

/* One device type; pl_device_registry lists them. A type may leave out the functions of an operator
 * (pl_device_supports): networks that have it are refused when they are built. */
struct pl_device_type {
    const char *name;
    enum pl_element element; /* of activations, parameters and gradients; statistics are double */
    int channel_block;       /* stored channels come in multiples of this */
    bool normalises;         /* 1x1 convolutions at stride 1 take an x that is still to be normalised, to the same bits:
                                convolution_choose, _forward and _backward_weights */

    bool (*has_kernels)(enum pl_isa isa); /* in this build, for an instruction set; NULL: none is told from another */
    int (*open)(struct pl_device *d,
                struct pl_error *err);  /* NULL: nothing to prepare. What fails leaves nothing behind */
    void (*close)(struct pl_device *d); /* after all memory was released; NULL: nothing to give back */
    /* Waits for everything that was asked for. Fails with PL_EIO where some of it, since the last call, went wrong.
     * NULL: what a function does is done when it returns, and does not fail. */
    int (*synchronize)(struct pl_device *d, struct pl_error *err);

    size_t (*buffer_size)(int batch, int stored, int height, int width); /* bytes of an activation buffer */

#define PL_PASS_MEMBER(name, parameters, arguments) void (*name)(struct pl_device * d, PL_LIST parameters);
#define PL_SIZE_MEMBER(name, parameters, arguments) size_t (*name)(struct pl_device * d, PL_LIST parameters);
    PL_EACH_PASS(PL_PASS_MEMBER, PL_SIZE_MEMBER)
#undef PL_PASS_MEMBER
#undef PL_SIZE_MEMBER

    /* Memory of the device: zeroed and aligned to 64 bytes; NULL when refused. */
    void *(*allocate)(struct pl_device *d, size_t bytes);
    void (*release)(struct pl_device *d, void *memory);
    void (*upload)(struct pl_device *d, void *to, const void *host, size_t bytes);
    void (*download)(struct pl_device *d, const void *from, void *host, size_t bytes);
    /* Lends what allocate gave to the host, at an address of the host, until it is taken back; meanwhile the device has
     * no use of it. Where its memory is the host's that is the memory itself, elsewhere a copy. bytes and how are the
     * same in both calls. NULL when there is no memory for a copy, which the first loan of a piece of memory finds out:
     * the device keeps the room until the memory is released. */
    void *(*lend)(struct pl_device *d, void *memory, size_t bytes, enum pl_lending how);
    void (*take_back)(struct pl_device *d, void *memory, void *lent, size_t bytes, enum pl_lending how);
};

struct pl_device_options {
    int threads; /* at least 1 */
    bool exact;  /* `precision: exact`: direct convolutions only */
};

struct pl_device {
    const struct pl_device_type *type;
    struct pl_device_options options;
    void *state; /* the device's own */
};

/* The devices in alphabetical order, with the help of the setting `device`: X(NAME, HELP), SEPARATOR between them. */
#define PL_DEVICES(X, SEPARATOR) X(cpu, "own float kernels") SEPARATOR X(ref, "plain C in double, slow")
#define PL_DEVICE_WORD(name, help) #name
#define PL_DEVICE_HELP(name, help) #name ": " help
#define PL_DEVICE_WORDS PL_DEVICES(PL_DEVICE_WORD, " ")  /* "cpu ref" */
#define PL_DEVICE_HELPS PL_DEVICES(PL_DEVICE_HELP, "; ") /* "cpu: own float kernels; ref: ..." */

extern const struct pl_registry pl_device_registry; /* of struct pl_device_type */
const struct pl_device_type *pl_device_type_at(size_t index);
const char *pl_device_help(size_t index); /* what the device is, in a few words */

/* Opens a device by name. Fails with PL_EINPUT for one that is unknown or cannot work on this machine. */
int pl_device_open(struct pl_device **device, const char *name, const struct pl_device_options *options,
                   struct pl_error *err);
void pl_device_close(struct pl_device *device); /* NULL is fine */

/* The first function of an operation that the type leaves out; NULL: it has them all. */
const char *pl_device_lacks(const struct pl_device_type *type, enum pl_operation operation);
bool pl_device_supports(const struct pl_device_type *type, enum pl_operation operation);
/* See struct pl_device_type. */
int pl_device_synchronize(struct pl_device *device, struct pl_error *err);

/* Stored channels that a piece of channels takes. */
static inline int pl_device_stored(const struct pl_device_type *type, int channels)
{
    return (channels + type->channel_block - 1) / type->channel_block * type->channel_block;
}

/* Output size of a convolution or pooling along one side: 0 or less where the window does not fit. */
static inline int pl_window_places(int size, int kernel, int stride, int padding)
{
    int room = size + 2 * padding - kernel;
    return room < 0 ? 0 : room / stride + 1;
}

#endif
