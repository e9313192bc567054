#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 at random moments: what was recorded up to two seconds before is there, `info` says that
# it was cut, `verify --repair` makes it whole, and the next start removes the instance.
# KILLS (3) says how often.
# shellcheck source=tests/priv/lib.sh
. "$(dirname "$0")/lib.sh"
kills=${KILLS:-3}
seed=${SEED:-$RANDOM}
RANDOM=$seed
echo "seed $seed"
"$workload" preads --dir . --size 16M --make || fail "cannot make files"

now_ns() {
	awk '{ printf "%.0f\n", $1 * 1e9 }' /proc/uptime
}

for ((i = 0; i < kills; i++)); do
	rm -f t.ptape*
	"$pagetape" record -q -o t.ptape 2>err &
	pid=$!
	# Something to record until then, each call after the other.
	while kill -0 $pid 2>/dev/null; do
		"$workload" preads --dir . --size 16M --accesses 200 >/dev/null
	done &
	load=$!
	sleep "$((3 + RANDOM % 2)).$((RANDOM % 10))$((RANDOM % 10))"
	kill -9 $pid
	killed=$(now_ns)
	wait $pid 2>/dev/null
	wait $load
	[ -f t.ptape.part ] || fail "kill $i: no .part: $(cat err)"
	[ ! -e t.ptape ] || fail "kill $i: a finished tape"
	"$pagetape" info --json t.ptape.part >info.json 2>err
	[ $? = 3 ] || fail "kill $i: info does not exit 3"
	# The tape's clock is the time since boot, as uptime's is (without suspends).
	last=$(python3 -c 'import json; d = json.load(open("info.json"))
print(d["start_ns"] + d["duration_ns"])')
	late=$(((killed - last) / 1000000))
	echo "kill $i: the tape ends $late ms before"
	[ $late -lt 2000 ] || fail "kill $i: more than two seconds are missing"
	"$pagetape" verify -q --repair whole.ptape t.ptape.part
	"$pagetape" verify -q --allow-incomplete whole.ptape || fail "kill $i: the repair is not whole"
	zstd -tq whole.ptape 2>/dev/null || fail "kill $i: zstd -t refuses the repair"
	rm -f whole.ptape
	[ "$(instances_of $pid)" = 1 ] || fail "kill $i: there should be an instance left"
	"$pagetape" record -q -o next.ptape -- true || fail "kill $i: the next recording fails"
	[ "$(instances_of $pid)" = 0 ] || fail "kill $i: the stale instance is still there"
done
