/* The numbers of arenas: parameters, gradients, the state of optimizers. */
#ifndef PL_BASE_ELEMENT_H
#define PL_BASE_ELEMENT_H

#include <stddef.h>

enum pl_element { PL_FLOAT32, PL_FLOAT64 };
static inline size_t pl_element_size(enum pl_element element)
{
    return element == PL_FLOAT32 ? sizeof(float) : sizeof(double);
}

/* Tensors begin at a multiple of so many elements, so that threads and vectors split arenas alike. */
enum { PL_TENSOR_ALIGN = 32 };

#endif
