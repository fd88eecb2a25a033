/* What is known of a metric by its name, and that poula's own metrics are declared. */
#include "recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "train_settings.h"

#define UP PL_MAXIMIZE
#define DOWN PL_MINIMIZE
#define NONE PL_NEUTRAL
#define UNKNOWN PL_UNDECLARED
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* B2: names in whole words, case aside; a name that says nothing is undeclared. */
static void names_tell_which_way_is_better(void **state)
{
    static const struct {
        enum pl_direction direction;
        const char *names;
    } cases[] = {
        {UP, "accuracy Accuracy Acc acc acc1 acc5 acc@1 Acc@5 top1 top5 top-5 top_1 top@5 Top1Acc test/acc_top1 "
             "val_acc_epoch val_acc valAcc valacc testacc testAcc Test.Accuracy accuracy_top_5 bAcc mAcc best_acc "
             "acc_norm acc_step"},
        {UP, "iou IoU mIoU valIoU mean_iou iou.road r2 R2 r_squared R2Score valR2 AUC auc ROC_AUC roc-auc auroc F1 "
             "f1 f1_score F1Score macroF1 macro_f1 f1-macro mAP map50 mAP50 mAP@0.5 AP50 bbox_mAP BLEU bleu4 ROUGE "
             "rougeL eval_rouge1 rouge1_fmeasure meteor kappa Kappa cohen_kappa dice Dice_coef_multilabel precision "
             "recall recall@10 ndcg nDCG@10 MRR hit_rate hits@10 pass@1 P@1 r@5 psnr PSNR ssim elo Elo win_rate "
             "success_rate WinRate reward return episode_reward_mean episode_return avgreturn eval/mean_reward "
             "returns log_likelihood likelihood elbo ELBO spearman pearsonr explained_variance true_positive_rate "
             "negative_predictive_value inception_score correct neg_mean_squared_error neg_log_loss sensitivity mcc "
             "ep_rew_mean rollout/ep_rew_mean AverageEpRet clip_score train_acc_step losses/explained_variance "
             "losses/accuracy Losses/val_acc"},
        {DOWN, "loss Loss LOSS train_Loss valLoss valloss trainloss val_loss_best validation-loss losses d_loss "
               "loss_cls loss_bbox loss_iou dice_loss acc_loss reward_loss loss/train Loss/test nll NLL mse rmse MSE "
               "mae error Error err test_err error_rate top1_error top5-err errors WER wer cer perplexity Perplexity "
               "ppl val_ppl bpc bpd bits_per_byte fid FID FID50k cross_entropy CrossEntropy ce xent kl kl_div "
               "KL_divergence distance distance_to_min inaccuracy Inaccuracy neg_log_likelihood "
               "negative_log_likelihood logloss log_loss brier_score false_positive_rate fpr eer objective cost "
               "regret mean_squared_error rmse_test theta_error reward_error generalization_gap approx_kl lpips "
               "calibration_error grad_loss scale_loss lr_loss false_negatives max_error residual_norm batch_loss "
               "losses/value_loss losses/approx_kl losses/train losses/total losses/train/1 best_loss"},
        {NONE, "lr LR learning_rate train/learning_rate lr-Adam/pg1 step steps global_step samples n_samples seconds "
               "epoch epoch_seconds time wall_time time/step samples_per_second eval_samples_per_second eval_runtime "
               "tokens/s it/s tokens_per_second gradient_norm grad_norm loss_grad_norm parameter_norm lambda "
               "momentum weight_decay theta theta2 averaged_theta2 batch_size loss_scale loss_weight kl_coef "
               "loss_time iteration total_steps gpu_mem elapsed fps return_code epochs acc_steps grad_acc_steps"},
        {UNKNOWN,
         "score test_score sharpness energy quality entropy foo x m val_foo acc_std loss_std loss_ratio "
         "loss_acc_ratio loss_acc cost_return error_acc neg_reward neg_loss acc_drop accuracy_delta "
         "sharpness_epoch coverage margin f mape_ratio lossy accelerate trace macro mapping recallable "
         "dropped similarity 1 _ std_reward Std_of_Reward StdEpRet reward_std std_loss time_to_acc steps_to_acc "
         "losses/q_values losses/actor error_reduction loss_reduction wer_gain best_acc_epoch best_val_loss_step "
         "map_size reward_penalty"},
    };
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t length;
        for (const char *name = cases[c].names; (name = pl_next_word(name, &length)); name += length) {
            char *one = pl_copy_bytes(name, length);
            enum pl_direction found = pl_metric_judge_name(one).direction;
            if (found != cases[c].direction)
                fail_msg("%s is %s, not %s", one, pl_direction_name(found), pl_direction_name(cases[c].direction));
            free(one);
        }
    }
}

/* L2: a run whose loss is not finite has diverged, whatever its program calls a loss. */
static void names_tell_what_is_a_loss(void **state)
{
    static const char losses[] = "loss Loss LOSS train_Loss valloss nll mse cross_entropy ce CE bpc error perplexity "
                                 "ppl objective log_likelihood elbo kl rmse logloss loss_iou acc_loss test/nll "
                                 "neg_log_likelihood cost losses neg_loss loss_acc";
    static const char others[] = "accuracy energy wer fid distance loss_scale loss_grad_norm loss_std loss_ratio lr "
                                 "seconds score grad_norm sharpness glossy reward theta losses/q_values "
                                 "losses/accuracy loss_reduction best_loss_epoch";
    size_t length;
    (void)state;
    for (int is = 1; is >= 0; is--)
        for (const char *name = is ? losses : others; (name = pl_next_word(name, &length)); name += length) {
            char *one = pl_copy_bytes(name, length);
            if (pl_metric_judge_name(one).loss != is)
                fail_msg("%s is %s a loss", one, is ? "not told to be" : "told to be");
            free(one);
        }
}

/* B3: names that are measured on validation data. */
static void names_tell_the_data(void **state)
{
    static const struct {
        const char *name;
        enum pl_metric_set set;
    } cases[] = {
        {"valid_accuracy", PL_SET_VALID}, {"val_acc", PL_SET_VALID},        {"val/accuracy", PL_SET_VALID},
        {"dev_loss", PL_SET_VALID},       {"eval_accuracy", PL_SET_VALID},  {"validation-loss", PL_SET_VALID},
        {"valLoss", PL_SET_VALID},        {"valacc", PL_SET_VALID},         {"loss/Val", PL_SET_VALID},
        {"test_loss", PL_SET_TEST},       {"eval_test_acc", PL_SET_TEST},   {"train_acc", PL_SET_TRAIN},
        {"trainLoss", PL_SET_TRAIN},      {"train_eval_acc", PL_SET_TRAIN}, {"loss", PL_SET_UNKNOWN},
        {"std_dev", PL_SET_UNKNOWN},      {"validity", PL_SET_UNKNOWN},     {"testimony", PL_SET_UNKNOWN},
        {"latest_loss", PL_SET_UNKNOWN},  {"device", PL_SET_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (pl_metric_judge_name(cases[i].name).set != cases[i].set)
            fail_msg("%s is of set %d", cases[i].name, pl_metric_judge_name(cases[i].name).set);
}

/* B4: what a person would look at has the lower rank. */
static void ranks_put_first_what_is_looked_at(void **state)
{
    static const char *const orders[] = {
        "test_acc val_acc val_loss train_acc train_loss",
        ("test_accuracy valid_accuracy accuracy test_perplexity valid_perplexity perplexity test_loss valid_loss loss "
         "train_accuracy train_perplexity train_loss distance"),
        "val/mIoU val/loss train/mIoU train/loss lr",
        "eval_accuracy eval_f1 eval_loss train_loss",
        "test_bleu loss grad_norm",
        "top1 loss_cls",
        "test_wer test_loss",
        "episode_reward value_loss entropy",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        size_t length, before = 0;
        for (const char *name = orders[i]; (name = pl_next_word(name, &length)); name += length) {
            char *one = pl_copy_bytes(name, length);
            size_t rank = pl_train_metric_rank(one);
            if (name > orders[i] && rank <= before)
                fail_msg("%s has rank %zu, and the one before it %zu", one, rank, before);
            before = rank;
            free(one);
        }
    }
}

/* The rule must not say otherwise than the descriptors do, so that the same name in a program's output means the
 * same. */
static void own_metrics_agree_with_the_rule(void **state)
{
    static const char own[] = "w1 w2 tv sliced_tv tv_floor sliced_tv_floor sliced_w1 sliced_w2 escaped averaged_from "
                              "tamed_share boosted_share w1_floor "
                              "w2_floor sliced_w1_floor sliced_w2_floor"; /* names that say nothing to others */
    struct pl_metric_source sources[PL_METRIC_SOURCES];
    size_t count = pl_metric_sources(sources), seen = 0;
    (void)state;
    assert_in_range(count, 4, COUNT(sources));
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sources[s].count; i++, seen++) {
            const struct pl_metric *m = &sources[s].metrics[i];
            struct pl_metric told = pl_metric_judge_name(m->name);
            assert_non_null(m->help);
            assert_ptr_equal(pl_metric_find(m->name), m); /* no name stands twice */
            if (pl_has_word(own, m->name))
                continue;
            if (told.direction != m->direction || (pl_direction_is_choice(m->direction) && told.set != m->set) ||
                told.clock != m->clock || told.loss != m->loss)
                fail_msg("%s: direction %d for %d, set %d for %d, clock %d for %d, loss %d for %d", m->name,
                         told.direction, m->direction, told.set, m->set, told.clock, m->clock, told.loss, m->loss);
            if (m->rank != PL_RANK_LAST && told.rank != m->rank)
                fail_msg("%s: rank %u for %u", m->name, told.rank, m->rank);
        }
    assert_in_range(seen, 40, 1000);
}

static void every_recorded_metric_is_declared(void **state)
{
    static const char *const runs[] = {
        "problem=rastrigin optimizer=theopoula dimension=1 iterations=20 record=5 record_shares=true average=on",
        "problem=rastrigin optimizer=sgd dimension=2 iterations=20 record=5 average=on",
        "problem=rastrigin optimizer=sgd dimension=3 iterations=20 record=5 average=on",
        "problem=langevin target=quadratic optimizer=sgld beta=2 dimension=1 chains=20 iterations=20 record=2",
        "problem=langevin target=quadratic optimizer=sgld beta=2 dimension=2 chains=20 iterations=20 record=2",
        "dataset=glyphs model=mlp train_images=40 test_images=8 valid=8 batch=8 epochs=2 optimizer=theopoula "
        "average=on record_shares=true record_batches=2",
        "dataset=markov model=awd_lstm nlayers=1 emsize=4 nhid=4 vocabulary=10 branches=3 train_tokens=60 "
        "valid_tokens=31 test_tokens=21 batch=2 valid_batch=2 test_batch=2 bptt=6 epochs=2 optimizer=asgd "
        "record_batches=2",
    };
    bool seen[200] = {false};
    struct pl_metric_source sources[PL_METRIC_SOURCES];
    size_t count = pl_metric_sources(sources);
    (void)state;
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct pl_settings s = {0};
        struct pl_run_result result = {0};
        struct recorder r;
        struct pl_error err;
        settings_of(&s, runs[i]);
        struct pl_sink sink = recorder_sink(&r);
        struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1};
        if (pl_train_check(&s, &err) || pl_train_run(&request, &sink, &result, &err))
            fail_msg("%s", err.text);
        if (result.outcome != PL_FINISHED)
            fail_msg("%s: %s", runs[i], result.reason);
        for (int m = 0; m < r.metric_count; m++) {
            size_t at = 0;
            if (!pl_metric_find(r.metrics[m]))
                fail_msg("%s records %s, which is not declared", runs[i], r.metrics[m]);
            for (size_t k = 0; k < count; k++)
                for (size_t j = 0; j < sources[k].count; j++, at++)
                    seen[at] = seen[at] || !strcmp(sources[k].metrics[j].name, r.metrics[m]);
        }
        recorder_release(&r);
        pl_settings_release(&s);
    }
    for (size_t k = 0, at = 0; k < count; k++) /* and none is declared that is never recorded */
        for (size_t j = 0; j < sources[k].count; j++, at++)
            if (!seen[at])
                fail_msg("%s is declared, but no run recorded it", sources[k].metrics[j].name);
}

static void better_is_never_what_is_not_finite(void **state)
{
    (void)state;
    assert_true(pl_direction_better(UP, 1, NAN));
    assert_true(pl_direction_better(UP, 2, 1));
    assert_true(pl_direction_better(DOWN, -2, 1));
    assert_false(pl_direction_better(UP, 1, 1));
    assert_false(pl_direction_better(UP, INFINITY, 1));
    assert_false(pl_direction_better(DOWN, NAN, NAN));
    assert_false(pl_direction_better(NONE, 1, NAN));
    assert_false(pl_direction_better(UNKNOWN, 1, NAN));
    assert_false(pl_train_is_repeatable("seconds_load"));
    assert_false(pl_train_is_repeatable("eval_samples_per_second"));
    assert_true(pl_train_is_repeatable("loss"));
    assert_true(pl_train_is_repeatable("anything"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_which_way_is_better),
        cmocka_unit_test(names_tell_what_is_a_loss),
        cmocka_unit_test(names_tell_the_data),
        cmocka_unit_test(ranks_put_first_what_is_looked_at),
        cmocka_unit_test(own_metrics_agree_with_the_rule),
        cmocka_unit_test(every_recorded_metric_is_declared),
        cmocka_unit_test(better_is_never_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
