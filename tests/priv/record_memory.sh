#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What record says of its --memory: a limit that was never reached, a command killed for want of it,
# the limit in the tape; and that --drop-caches begins cold.
# shellcheck source=tests/priv/lib.sh
. "$(dirname "$0")/lib.sh"
"$workload" zipf --dir . --size 16M --make || fail "cannot make files"
cat -- data.* >/dev/null || fail "nothing to cache"

workload=("$workload" zipf --dir . --size 16M --accesses 20000)
"$pagetape" record --memory 256M -o t.ptape -- "${workload[@]}" >out 2>err
! grep -q 'memory controller' err || skip "$(cat err)"
grep -q "the limit of 256 MiB was never reached" err || fail "a limit never reached: $(cat err)"

added() { # pages that the recorded command read in
	"$pagetape" hist --cgroup subject --json t.ptape | python3 -c \
		'import json, sys; print(sum(json.load(sys.stdin)["adds"].values()))'
}
warm=$(added)
"$pagetape" record --memory 256M --drop-caches -o t.ptape -- "${workload[@]}" >out 2>err
cold=$(added)
echo "$warm pages read in from a warm start, $cold from a cold one"
[ "$cold" -gt $((warm + 1000)) ] || fail "--drop-caches does not begin cold"

"$pagetape" record --memory 8M --drop-caches -o tight.ptape -- "${workload[@]}" >out 2>err
! grep -q "never reached" err || fail "a limit below the files is said not to be reached"

"$pagetape" replay t.ptape --target set --dry-run | grep -q "^recorded under 256 MiB (--memory 256M)" ||
	fail "the tape does not know its limit"

"$pagetape" record --memory 32M -o t.ptape --json -- \
	python3 -c 'b = bytearray(256 << 20)' >record.json 2>err
[ $? = 137 ] || fail "a command killed by the kernel: $(cat err)"
grep -q "32.0 MiB is too little: for want of memory the kernel killed 1 of CMD" err || fail "$(cat err)"
grep -q '"oom_kills": 1' record.json || fail "$(cat record.json)"
echo "record says what the limit did"
