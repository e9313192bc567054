#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# skewed reads of three times the limit: MGLRU beside the classic lists on three kernels, in the lab
. tests/soak/lab/common

record_reads zipf "$dir/skew.ptape" 128M 96M --theta 0.8 --accesses 300000
# shellcheck disable=SC2046 # words
lab effect 128M $(classic_and_mglru 6.1 6.12 7.3) --repeat 3 "$dir/skew.ptape"
