/* The training on text that tests of language models stop, repeat and compare. */
#ifndef PL_TEST_LANGUAGE_PARTS_H
#define PL_TEST_LANGUAGE_PARTS_H

#include "recorder.h"
#include "data/text/corpus.h"
#include "train/network/network.h"
#include "train/network/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "old_checkpoint.h"
#include "train_runs.h"

/* All five dropouts, both penalties, windows of varying length, two layers, tokens that fill no row. */
#define TASK                                                                                                           \
    "dataset=markov model=awd_lstm nlayers=2 emsize=8 nhid=12 vocabulary=10 branches=3 train_tokens=260 "              \
    "valid_tokens=91 test_tokens=41 batch=4 valid_batch=3 test_batch=2 bptt=12 epochs=3 "

#endif
