/* The weights that a run leaves, and the format of their files. */
#include "network_parts.h"

/* ---- files of weights */

static void test_weights_are_kept(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_safetensors file;
    struct pl_error err;
    struct breaker b;
    settings_of(&s, TASK "optimizer=sgd");
    run_broken(&s, 1, folder, 0, false, &b);
    recorder_release(&b.recorder);
    if (pl_safetensors_read(&file, file_path("weights.safetensors"), &err))
        fail_msg("%s", err.text);
    assert_string_equal(pl_settings_string(&file.metadata, "format", ""), "pt");
    const struct pl_safetensor *t = pl_safetensors_find(&file, "conv1.weight");
    assert_non_null(t);
    assert_string_equal(t->type, "F32");
    assert_int_equal(t->dims, 4);
    assert_int_equal(t->shape[0], 4);
    assert_int_equal(t->shape[1], 3);
    assert_non_null(pl_safetensors_find(&file, "bn2.running_mean"));
    assert_int_equal(file.count, 2 + 2 * 2 + 2 + 2 * 2); /* two convolutions, two norms, linear, statistics */
    char key[2 * PL_DIGEST_SIZE + 1], out[4096];
    snprintf(key, sizeof key, "%s", pl_settings_string(&file.metadata, "key", ""));
    pl_safetensors_release(&file);
    snprintf(out, sizeof out, "%s.copy", folder);
    assert_int_equal(pl_train_export_weights(folder, key, out, &err), 0);
    key[0] ^= 1;
    assert_int_equal(pl_train_export_weights(folder, key, out, &err), PL_ECORRUPT);
    assert_int_equal(pl_train_export_weights("/nonexistent", key, out, &err), PL_EMISSING);

    /* A run that starts at them, and takes no step to speak of, has them at its end. */
    pl_settings_set_string(&s, "weights", out);
    pl_settings_set_real(&s, "lambda", 1e-30);
    pl_settings_set_integer(&s, "epochs", 1);
    empty_folder();
    run_broken(&s, 1, folder, 0, false, &b);
    recorder_release(&b.recorder);
    struct pl_safetensors before, after;
    assert_int_equal(pl_safetensors_read(&before, out, &err), 0);
    assert_int_equal(pl_safetensors_read(&after, file_path("weights.safetensors"), &err), 0);
    for (size_t i = 0; i < before.count; i++) {
        const struct pl_safetensor *p = &before.tensors[i], *q = pl_safetensors_find(&after, p->name);
        if (!strstr(p->name, "running"))
            assert_memory_equal(p->data, q->data, p->count * sizeof(float));
    }
    pl_safetensors_release(&before);
    pl_safetensors_release(&after);

    /* Those of another model do not fit. */
    struct pl_settings wider = {0};
    settings_of(&wider,
                "dataset=glyphs model=cnn width=5 depth=2 train_images=44 test_images=20 epochs=1 optimizer=sgd");
    pl_settings_set_string(&wider, "weights", out);
    struct pl_run_request request = {.settings = &wider, .seed = 1, .threads = 1, .folder = NULL};
    struct pl_run_result result;
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    assert_int_equal(pl_train_run(&request, &sink, &result, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "conv1.weight has another shape"));
    recorder_release(&r);
    pl_settings_release(&wider);
    pl_settings_release(&s);
    unlink(out);
    empty_folder();
}

static void test_weights_need_not_be_kept(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(&s, TASK "optimizer=sgd keep_weights=false checkpoint_every=1");
    run_broken(&s, 1, folder, 0, false, &b);
    recorder_release(&b.recorder);
    assert_false(exists("weights.safetensors") || exists("checkpoint-1.safetensors"));
    pl_settings_release(&s);
}

static void test_safetensors_format(void **state)
{
    (void)state;
    float f[6] = {1, 2, 3, 4, 5, -0.0f};
    double d = NAN;
    uint64_t u[2] = {UINT64_MAX, 1};
    struct pl_settings metadata = {0};
    struct pl_text bytes = {0};
    struct pl_error err;
    struct pl_safetensor tensors[] = {
        {.name = "a \"quoted\" name", .type = "F32", .dims = 2, .shape = {2, 3}, .count = 6, .data = f},
        {.name = "scalar", .type = "F64", .dims = 0, .count = 1, .data = &d},
        pl_safetensor_list("u", "U64", u, 2),
        pl_safetensor_list("none", "F32", f, 0)};
    pl_settings_set_string(&metadata, "format", "pt");
    assert_int_equal(pl_safetensors_write(file_path("x"), &metadata, tensors, 4, &err), 0);
    assert_int_equal(pl_file_read(file_path("x"), 10000, &bytes, &err), 0);
    uint64_t length;
    memcpy(&length, bytes.text, 8);
    assert_int_equal(length % 8, 0);
    assert_int_equal(bytes.length, 8 + length + 6 * 4 + 8 + 16);
    struct pl_text header = {0};
    pl_text_add_bytes(&header, bytes.text + 8, (size_t)length);
    assert_non_null(strstr(pl_text(&header), "\"__metadata__\":{\"format\":\"pt\"}"));
    assert_non_null(strstr(pl_text(&header), "\"scalar\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}"));
    assert_non_null(strstr(pl_text(&header), "\"a \\\"quoted\\\" name\":{\"dtype\":\"F32\",\"shape\":[2,3],"
                                             "\"data_offsets\":[24,48]}"));
    assert_memory_equal(bytes.text + 8 + length + 24, f, sizeof f);
    struct pl_safetensors file;
    assert_int_equal(pl_safetensors_read(&file, file_path("x"), &err), 0);
    assert_int_equal(file.count, 4);
    double values[6];
    assert_true(pl_safetensor_values(pl_safetensors_find(&file, "a \"quoted\" name"), values));
    assert_true(values[4] == 5);
    uint64_t got[2];
    assert_int_equal(pl_safetensors_copy(&file, "u", "U64", 2, got, &err), 0);
    assert_true(got[0] == UINT64_MAX);
    assert_int_equal(pl_safetensors_copy(&file, "u", "U64", 1, got, &err), PL_ECORRUPT);
    assert_int_equal(pl_safetensors_copy(&file, "v", "U64", 1, got, &err), PL_ECORRUPT);
    pl_safetensors_release(&file);
    /* Every way of being cut, and every header that lies. */
    for (size_t size = 0; size < bytes.length; size++) {
        assert_int_equal(pl_file_write(file_path("x"), bytes.text, size, &err), 0);
        assert_int_equal(pl_safetensors_read(&file, file_path("x"), &err), PL_ECORRUPT);
    }
    static const char *const bad[] = {
        "[]",
        "{\"a\":1}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
        "{\"a\":{\"dtype\":\"F99\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387905],\"data_offsets\":[0,4]}}",
        "{\"__metadata__\":{\"x\":1}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pl_text_clear(&header);
        length = strlen(bad[i]);
        pl_text_add_bytes(&header, (const char *)&length, 8);
        pl_text_add(&header, bad[i]);
        pl_text_add_bytes(&header, "\0\0\0\0", 4);
        assert_int_equal(pl_file_write(file_path("x"), header.text, header.length, &err), 0);
        assert_int_equal(pl_safetensors_read(&file, file_path("x"), &err), PL_ECORRUPT);
    }
    assert_int_equal(pl_safetensors_read(&file, "/nonexistent", &err), PL_EMISSING);
    pl_text_release(&header);
    pl_text_release(&bytes);
    pl_settings_release(&metadata);
    empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_kept),
        cmocka_unit_test(test_weights_need_not_be_kept),
        cmocka_unit_test(test_safetensors_format),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
