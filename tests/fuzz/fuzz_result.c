// SPDX-License-Identifier: GPL-2.0-or-later
/* Results of replays from any bytes: refused with words, or every metric can be asked for. */
#include <stdlib.h>

#include "formats/result.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_result res;
	double v;
	int r = pt_result_parse((const char *)data, size, "fuzz", &res, &diag);

	if (r < 0) {
		if (!*diag.text)
			abort();
		return 0;
	}
	for (size_t run = 0; run <= pt_result_runs(&res); run++)
		for (const struct pt_metric *m = pt_metrics; m->name; m++)
			(void)pt_result_value(&res, run, m->path, &v);
	pt_result_done(&res);
	return 0;
}
