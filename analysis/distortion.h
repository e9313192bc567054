/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which metrics an emulated machine distorts: results name classes of them in "distorted"
 * ("activations", "cpu", "latency", "psi", "throughput"; replay/lab/accel.h says why).
 */
#ifndef PT_ANALYSIS_DISTORTION_H
#define PT_ANALYSIS_DISTORTION_H

#include "analysis/circumstances.h"

/* Whether any result says that it distorts the class that @m is in. */
int pt_distortion_concerns(const struct pt_metric *m, const struct pt_result_group *groups,
			   size_t n);

#endif
