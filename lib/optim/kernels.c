#include "optim/optim_priv.h"

#include <assert.h>

extern const struct pl_kernels pl_kernels_base_float, pl_kernels_base_double;
#ifdef __x86_64__
extern const struct pl_kernels pl_kernels_avx2_float, pl_kernels_avx2_double;
extern const struct pl_kernels pl_kernels_avx512_float, pl_kernels_avx512_double;
#endif

const struct pl_kernels *pl_optim_kernels(enum pl_isa isa, enum pl_element element)
{
    static const struct pl_kernels *const builds[PL_ISA_COUNT][2] = {
        [PL_ISA_BASE] = {&pl_kernels_base_float, &pl_kernels_base_double},
#ifdef __x86_64__
        [PL_ISA_AVX2] = {&pl_kernels_avx2_float, &pl_kernels_avx2_double},
        [PL_ISA_AVX512] = {&pl_kernels_avx512_float, &pl_kernels_avx512_double},
#endif
    };
    assert(builds[isa][element]);
    return builds[isa][element];
}
