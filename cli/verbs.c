// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of verbs. Keep it alphabetical. */
#include "cli/verbs.h"

/* One a line, whatever a formatter would make of it. */
/* clang-format off */
const struct pt_verb *const pt_verbs[] = {
	&pt_verb_compare,
	&pt_verb_convert,
	&pt_verb_dump,
	&pt_verb_hist,
	&pt_verb_info,
	&pt_verb_lab,
	&pt_verb_mrc,
	&pt_verb_record,
	&pt_verb_replay,
	&pt_verb_report,
	&pt_verb_synth,
	&pt_verb_timeline,
	&pt_verb_verify,
	&pt_verb_whatif,
	NULL,
};
/* clang-format on */
