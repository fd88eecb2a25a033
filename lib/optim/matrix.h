/* Matrices of doubles for rules that look at a tensor as such: products, powers and bases of symmetric matrices, and
 * the sides of tensors. All are stored row by row.
 *
 * A side of a tensor is one of its dimensions with the others flattened: a matrix with as many rows as the dimension is
 * long. (A scalar has one side of length 1.) Products are dealt out to threads; an element is always the same sum in
 * the same order, unfused, so that results depend neither on threads nor on the instruction set. Eigenvalues are GSL's.
 */
#ifndef PL_OPTIM_MATRIX_H
#define PL_OPTIM_MATRIX_H

#include "optim/optim_priv.h"

/* c = a b: rows x inner times inner x columns. No part of c may lie in a or b. */
void pl_matrix_product(const struct pl_optim *optim, const double *a, const double *b, double *c, size_t rows,
                       size_t inner, size_t columns);
void pl_matrix_transpose(const double *a, double *b, size_t rows, size_t columns); /* b gets columns x rows */

/* out = h^power of a symmetric n x n matrix whose eigenvalues count as at least least; not finite where h is not. work
 * has room for 2 n n numbers. */
void pl_matrix_power(const struct pl_optim *optim, const double *h, size_t n, double power, double least, double *out,
                     double *work);

/* The eigenvectors of a symmetric n x n matrix as the rows of q, largest eigenvalue first. Where eigenvalues vanish
 * beside the largest (1e-13 of it) a basis of what is left comes from the unit vectors: again and again the one that is
 * furthest from all rows so far, the first of equal ones. work has room for n n numbers. */
void pl_matrix_basis(const double *h, size_t n, double *q, double *work);

/* Makes the n rows of p, one after the other, orthonormal (Gram and Schmidt, twice), which is the transposed Q of the
 * QR factorization of p transposed, up to signs. A row that depends on those before it (1e-13 of the longest) gives way
 * to the row of old with its number, and where that fails too to a unit vector, as in pl_matrix_basis. */
void pl_matrix_orthonormalise(double *p, const double *old, size_t n);

int pl_side_count(const struct pl_tensor *tensor);
size_t pl_side_length(const struct pl_tensor *tensor, int side);
/* The tensor as the matrix of a side, and back. */
void pl_side_unfold(const struct pl_tensor *tensor, int side, const double *x, double *matrix);
void pl_side_fold(const struct pl_tensor *tensor, int side, const double *matrix, double *x);
/* Which sides have matrices of their own: those of at most most elements, and of vectors only with vectors. The numbers
 * of all tensors before index lie in front of its own; with index the number of tensors this is the length of all. */
bool pl_side_counts(const struct pl_tensor *tensor, int side, size_t most, bool vectors);
size_t pl_side_place(const struct pl_layout *layout, size_t index, size_t most, bool vectors);
/* h <- keep h + add G G', G the matrix of a side. work has room for 2 elements and n n. */
void pl_side_collect(const struct pl_optim *optim, const struct pl_tensor *tensor, int side, const double *g,
                     double keep, double add, double *h, double *work);
/* x <- m times the matrix of a side. work has room for 2 elements. */
void pl_side_multiply(const struct pl_optim *optim, const struct pl_tensor *tensor, int side, const double *m,
                      double *x, double *work);

#endif
