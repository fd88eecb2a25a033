/* The training on images that tests of networks stop, repeat and compare. */
#ifndef PL_TEST_NETWORK_PARTS_H
#define PL_TEST_NETWORK_PARTS_H

#include "recorder.h"
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

/* Everything that makes a batch depend on where it stands: dropout, augmentation, a smaller last batch. */
#define TASK                                                                                                           \
    "dataset=glyphs model=cnn width=4 depth=2 dropout=0.2 train_images=56 test_images=20 valid=12 batch=16 epochs=3 "

#endif
