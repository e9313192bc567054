#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# skewed reads under both LRUs of two kernels in the lab: a replay's verdict beside the real thing's
. tests/soak/lab/common

record_reads zipf "$dir/skew.ptape" 64M 48M --theta 0.8 --accesses 150000
# shellcheck disable=SC2046 # words
lab native 64M $(classic_and_mglru 6.12 7.3) "$dir/skew.ptape" \
	--before "workload zipf --make --dir . --files 4 --size 48M" -- \
	"$workload" zipf --dir . --files 4 --size 48M --theta 0.8 --accesses 150000
