#include "optim/optim.h"

#include <assert.h>
#include <stdlib.h>

void pl_layout_add(struct pl_layout *layout, const size_t *dimensions, int dims)
{
    assert(dims <= PL_TENSOR_DIMS);
    struct pl_tensor tensor = {
        .offset = layout->length, .count = 1, .rows = dims > 0 ? dimensions[0] : 1, .dims = dims};
    for (int i = 0; i < dims; i++) {
        assert(dimensions[i] > 0);
        tensor.count *= dimensions[i];
        tensor.shape[i] = dimensions[i];
    }
    layout->tensors = pl_resize(layout->tensors, layout->count + 1, sizeof *layout->tensors);
    layout->tensors[layout->count++] = tensor;
    layout->length += (tensor.count + PL_TENSOR_ALIGN - 1) / PL_TENSOR_ALIGN * PL_TENSOR_ALIGN;
}

void pl_layout_release(struct pl_layout *layout)
{
    free(layout->tensors);
    *layout = (struct pl_layout){0};
}
