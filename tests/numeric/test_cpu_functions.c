/* x */
#include "cpu_tensor.h"
#include <float.h>

static void cross_entropy_agrees(void **state)
{
    (void)state;
    static const int classes[] = {2, 10, 100, 513, 2000};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const struct pl_cpu_shape s = pl_cpu_shape(9, classes[i], 1, 1);
        struct tensor x = tensor_new(&s), d = tensor_new(&s);
        tensor_fill(&x, 1);
        for (size_t j = 0; j < x.count; j++) /* exponentials that overflow unless shifted */
            x.plain[j] = (i % 2 ? 1000 : -1000) + 20 * x.plain[j];
        x.plain[3] = x.plain[1]; /* the first of equals, where these are the largest */
        tensor_push(&x);
        for (int smooth = 0; smooth < 2; smooth++) {
            const double smoothing = 0.1 * smooth;
            int32_t labels[9], best[9];
            double losses[9], wanted[9];
            for (int n = 0; n < 9; n++) {
                const double *row = x.plain + n * s.channels;
                double sum = 0;
                int top = 0;
                labels[n] = n * 7 % s.channels;
                for (int c = 0; c < s.channels; c++)
                    top = row[c] > row[top] ? c : top;
                for (int c = 0; c < s.channels; c++)
                    sum += exp(row[c] - row[top]);
                wanted[n] = 0;
                for (int c = 0; c < s.channels; c++) {
                    const double target = smoothing / s.channels + (c == labels[n] ? 1 - smoothing : 0);
                    const double log_p = row[c] - row[top] - log(sum);
                    wanted[n] -= target * log_p;
                    d.plain[n * s.channels + c] = (exp(log_p) - target) / 9;
                }
                best[n] = top;
            }
            FOR_ISAS (isa, k) {
                int32_t got[9];
                tensor_clear(&d);
                k->cross_entropy(&s, x.data, labels, smoothing, 1.0 / 9, losses, got, d.data, 2);
                assert_error(tensor_error(&d), 1e-6, "gradient");
                for (int n = 0; n < 9; n++) {
                    assert_error(fabs(losses[n] - wanted[n]), (classes[i] > 100 ? 3e-7 : 1e-10) * (1 + wanted[n]),
                                 "loss");
                    assert_int_equal(got[n], best[n]);
                }
            }
        }
        x.data[0] = NAN;
        double losses[9];
        const int32_t labels[9] = {1};
        pl_cpu_kernels(PL_ISA_BASE)->cross_entropy(&s, x.data, labels, 0, 1, losses, NULL, NULL, 1);
        assert_true(isnan(losses[0]) && !isnan(losses[1]));
        tensor_free(&x);
        tensor_free(&d);
    }
}

/* How far the curves are from the true values, in units of the last place, over every 9973rd float. */
static void curves_are_exact(void **state)
{
    (void)state;
    enum { COUNT = 1 << 16, STEP = 9973 };
    float *x = pl_arena(COUNT, sizeof *x), *y = pl_arena(COUNT, sizeof *y);
    double worst[PL_CPU_CURVES];
    FOR_ISAS (isa, k) {
        for (enum pl_cpu_curve curve = 0; curve < PL_CPU_CURVES; curve++)
            worst[curve] = 0;
        for (uint64_t first = 0; first < UINT64_C(1) << 32; first += (uint64_t)COUNT * STEP) {
            for (uint64_t i = 0; i < COUNT; i++) {
                const uint32_t bits = (uint32_t)(first + i * STEP);
                memcpy(&x[i], &bits, sizeof bits);
            }
            for (enum pl_cpu_curve curve = 0; curve < PL_CPU_CURVES; curve++) {
                k->curve(curve, x, y, COUNT);
                for (size_t i = 0; i < COUNT; i++) {
                    const double v = (double)x[i], want = curve == PL_CPU_EXP    ? exp(v)
                                                          : curve == PL_CPU_TANH ? tanh(v)
                                                                                 : 1 / (1 + exp(-v));
                    if (isnan(v)) {
                        assert_true(isnan(y[i]));
                    } else if (want > (double)FLT_MAX) {
                        assert_true(isinf(y[i]));
                    } else if (fabs(want) < (double)FLT_MIN) {
                        assert_true(fabs((double)y[i] - want) <= (double)FLT_MIN);
                    } else {
                        const double unit = ldexp(1, ilogb(want) - 23);
                        worst[curve] = fmax(worst[curve], fabs((double)y[i] - want) / unit);
                    }
                }
            }
        }
        for (enum pl_cpu_curve curve = 0; curve < PL_CPU_CURVES; curve++)
            assert_error(worst[curve], 2, "curve %d, %s", (int)curve, pl_isa_name(isa));
    }
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cross_entropy_agrees),
        cmocka_unit_test(curves_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
