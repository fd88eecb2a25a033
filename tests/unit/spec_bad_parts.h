/* The beginning of specs that are refused. */
#ifndef PL_TEST_SPEC_BAD_PARTS_H
#define PL_TEST_SPEC_BAD_PARTS_H

#include "spec_check.h"

#define HEAD "study: s\n" TASK

#endif
