/* Two things have plans: networks (pl_plan) and sweeps (pl_sweep_plan). With -DWRONG a sweep's is given to a network.
 */
#include "nn/nn.h"
#include "sweep/sweep.h"

void forward(struct pl_plan *network, struct pl_sweep_plan *sweep);

void forward(struct pl_plan *network, struct pl_sweep_plan *sweep)
{
    pl_sweep_plan_release(sweep);
#ifdef WRONG
    pl_plan_forward(sweep, 0);
#endif
    pl_plan_forward(network, 0);
}
