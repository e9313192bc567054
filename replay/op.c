// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of operations and of reasons to skip. */
#include "replay/plan.h"

static const char *const op_names[PT_OP_COUNT] = {
	"read",    "load",    "store",    "write",  "fsync", "fdatasync", "sync_range",
	"fadvise", "madvise", "truncate", "unlink", "close", "end",
};

static const char *const skip_names[PT_SKIP_COUNT] = { "metadata", "no_file", "no_range",
						       "beyond_eof", "advice" };

const char *pt_op_name(unsigned int kind)
{
	return kind < PT_OP_COUNT ? op_names[kind] : NULL;
}

const char *pt_skip_name(unsigned int skip)
{
	return skip < PT_SKIP_COUNT ? skip_names[skip] : NULL;
}
