/* Steps have the same bits for any threads and after a stop; instruction sets agree. */
#include "optim_parts.h"

/* Copies of all state, as a checkpoint would hold them. */
struct snapshot {
    struct pl_optim_array arrays[MOST_ARRAYS];
    size_t count;
};

static size_t bytes_of(const struct pl_optim_array *array)
{
    return array->count * (array->kind == 'f' ? sizeof(float) : sizeof(double));
}

static void save(struct pl_optim *optim, struct snapshot *saved)
{
    saved->count = pl_optim_state(optim, saved->arrays, MOST_ARRAYS);
    assert_true(saved->count <= MOST_ARRAYS);
    for (size_t i = 0; i < saved->count; i++)
        saved->arrays[i].data = pl_copy_bytes(saved->arrays[i].data, bytes_of(&saved->arrays[i]));
}

static void restore(struct pl_optim *optim, struct snapshot *saved)
{
    struct pl_optim_array arrays[MOST_ARRAYS];
    assert_int_equal(pl_optim_state(optim, arrays, MOST_ARRAYS), saved->count);
    for (size_t i = 0; i < saved->count; i++) {
        assert_string_equal(arrays[i].name, saved->arrays[i].name);
        assert_int_equal(arrays[i].count, saved->arrays[i].count);
        assert_int_equal(arrays[i].kind, saved->arrays[i].kind);
        memcpy(arrays[i].data, saved->arrays[i].data, bytes_of(&arrays[i]));
        free(saved->arrays[i].data);
    }
}

/* Stops after each of the first steps and goes on in a fresh optimizer, whose settings and state are all it has. */
static void restored_state_continues_with_the_same_bits(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
            struct run whole;
            start(&whole, forms[f], (enum pl_element)element, 1, 1);
            train(&whole, 1, 12, NULL);
            for (uint64_t stop = 1; stop < 12; stop++) {
                struct run before, after;
                struct snapshot saved;
                start(&before, forms[f], (enum pl_element)element, 1, 1);
                start(&after, forms[f], (enum pl_element)element, 1, 1);
                train(&before, 1, stop, NULL);
                save(before.optim, &saved);
                restore(after.optim, &saved);
                memcpy(after.theta, before.theta, before.layout.length * before.size);
                assert_int_equal(pl_optim_steps(after.optim), stop);
                train(&after, stop + 1, 12, NULL);
                assert_same_run(&whole, &after, forms[f]);
                finish(&before);
                finish(&after);
            }
            finish(&whole);
        }
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
            struct run one;
            start(&one, forms[f], (enum pl_element)element, 1, 11);
            train(&one, 1, 5, NULL);
            for (int threads = 2; threads <= 3; threads++) {
                struct run more;
                start(&more, forms[f], (enum pl_element)element, threads, 11);
                train(&more, 1, 5, NULL);
                assert_same_run(&one, &more, forms[f]);
                finish(&more);
            }
            finish(&one);
        }
}

/* With the noise given, instruction sets with fused operations make the same bits, and the one without differs by
 * rounding at most. */
static void instruction_sets_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
            struct run best, fused, base;
            start(&best, forms[f], (enum pl_element)element, 1, 1);
            setenv("POULA_ISA", "avx2", 1);
            start(&fused, forms[f], (enum pl_element)element, 1, 1);
            setenv("POULA_ISA", "base", 1);
            start(&base, forms[f], (enum pl_element)element, 1, 1);
            unsetenv("POULA_ISA");
            void *xi = pl_arena(best.layout.length, best.size);
            for (size_t i = 0; i < best.layout.length; i++)
                put(&best, xi, i, mix(i, 99));
            train(&best, 1, 8, xi);
            train(&fused, 1, 8, xi);
            train(&base, 1, 8, xi);
            assert_same_run(&best, &fused, forms[f]);
            for (size_t t = 0; t < base.layout.count; t++)
                for (size_t k = 0; k < base.layout.tensors[t].count; k++) {
                    size_t i = base.layout.tensors[t].offset + k;
                    assert_near(get(&base, base.theta, i), get(&best, best.theta, i),
                                element == PL_FLOAT32 ? 1e-5 : 1e-13);
                }
            free(xi);
            finish(&best);
            finish(&fused);
            finish(&base);
        }
}

static void padding_is_never_touched(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct run run;
        start(&run, forms[f], PL_FLOAT32, 1, 1);
        train(&run, 1, 8, NULL);
        size_t used = 0;
        for (size_t t = 0; t < run.layout.count; t++) {
            const struct pl_tensor *tensor = &run.layout.tensors[t];
            assert_int_equal(tensor->offset % PL_TENSOR_ALIGN, 0);
            for (size_t i = used; i < tensor->offset; i++)
                assert_true(isnan(get(&run, run.theta, i)));
            for (size_t i = tensor->offset; i < tensor->offset + tensor->count; i++)
                assert_true(isfinite(get(&run, run.theta, i)));
            used = tensor->offset + tensor->count;
        }
        finish(&run);
    }
}

/* The noise of a step is what pl_optim_noise says. */
static void a_step_draws_the_noise_of_its_number(void **state)
{
    (void)state;
    for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
        struct run drawn, given;
        start(&drawn, "sgld beta=10", (enum pl_element)element, 1, 1);
        start(&given, "sgld beta=10", (enum pl_element)element, 1, 1);
        void *xi = pl_arena(given.layout.length, given.size);
        for (uint64_t step = 1; step <= 3; step++) {
            pl_optim_noise(pl_random_stream(1, PL_STREAM_NOISE), step, (enum pl_element)element, given.layout.length, 2,
                           xi);
            train(&drawn, step, step, NULL);
            train(&given, step, step, xi);
        }
        assert_same_run(&drawn, &given, "sgld");
        free(xi);
        finish(&drawn);
        finish(&given);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_state_continues_with_the_same_bits),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(padding_is_never_touched),
        cmocka_unit_test(a_step_draws_the_noise_of_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
