#include "device/cpu/kernels/curves.h"
#include "device/cpu/kernels/table.h"

void PL_CPU_NAME(curve)(enum pl_cpu_curve curve, const float *x, float *y, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        const vec v = load(x + i);
        store(y + i, curve == PL_CPU_EXP ? exp_vec(v) : curve == PL_CPU_TANH ? tanh_vec(v) : sigmoid_vec(v));
    }
}
