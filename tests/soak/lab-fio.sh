#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fio's zipf 0.5 and uniform reads, 12 tasks, three times the limit: six candidates in the lab
. tests/soak/lab/common

mkdir "$dir/data"
"$workload" zipf --make --dir "$dir/data" --files 1 --size 192M
for distribution in zipf:0.5 random; do
	record "$dir/fio-${distribution%:*}.ptape" 64M fio --name=reads \
		--filename="$dir/data/data.0" --size=192M --readonly --rw=randread \
		--random_distribution=$distribution --norandommap=1 --bs=4k --numjobs=12 \
		--number_ios=6667 --invalidate=0 --ioengine=psync --minimal --output=/dev/null
done
rm -r "$dir/data"

# shellcheck disable=SC2046 # words
lab fio 64M $(classic_and_mglru 6.1 6.12 7.3) "$dir/fio-zipf.ptape" "$dir/fio-random.ptape"
