/* base: what every other module stands on. One umbrella over the small headers of this folder.
 *
 * Invariants: nothing here prints or exits; nothing keeps state between calls except the out-of-memory handler and
 * the files that a signal removes (leftover.h); every function may be called from any thread on distinct objects. */
#ifndef PL_BASE_H
#define PL_BASE_H

#include "base/element.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/registry.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/random.h"
#include "base/setting.h"
#include "base/file.h"
#include "base/output.h"
#include "base/host.h"
#include "base/parallel.h"

#endif
