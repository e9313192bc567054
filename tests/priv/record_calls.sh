#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every read call is one access: preads of 512 B to 1 MiB, cold and cached, by one to eight threads,
# counted a thread and file by the workload itself. Cached calls are exact each time. Where a cold
# call waits for pages that another task reads in, its events can look like those of two calls (about
# one in 100,000): a cold run may be repeated twice, and no run be off by more than 3 of 10,000.
# shellcheck source=tests/priv/lib.sh
. "$(dirname "$0")/lib.sh"
"$workload" preads --dir . --size 32M --make || fail "cannot make files"

# compare TAPE CALLS: accesses by (task, file) against the workload's own counts.
compare() {
	"$pagetape" dump --json --kind access --file "$work/data.*" "$1" >accesses ||
		fail "cannot dump"
	python3 - accesses "$2" <<'END'
import collections
import json
import sys

got = collections.Counter()
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["how"] == "read" and r["comm"] == "workload":
        got[(r["pid"], r["path"][-1])] += 1
want = collections.defaultdict(list)
for line in open(sys.argv[2]):
    thread, file, calls = line.split()
    want[file].append(int(calls))
off = 0
for file, calls in want.items():
    have = sorted(n for (pid, f), n in got.items() if f == file)
    if len(have) != len(calls):
        sys.exit(f"file {file}: {len(have)} tasks, not {len(calls)}")
    off += sum(abs(a - b) for a, b in zip(have, sorted(calls)))
total = sum(map(sum, want.values()))
print(f"{total} calls, {sum(got.values())} accesses, {off} off", flush=True)
sys.exit(0 if off == 0 else 4 if off <= 3 else f"{off} calls off")
END
}

# recorded TRIES OPTIONS...: record the workload, compare.
recorded() {
	local status tries=$1

	shift
	while "$pagetape" record -o t.ptape -- "$workload" preads --dir . --size 32M \
		--accesses 10000 "$@" >calls 2>err || { cat err; fail "recording $*"; }; do
		compare t.ptape calls
		status=$?
		[ $status != 0 ] || return 0
		((status == 4 && --tries > 0)) || fail "preads $*"
	done
}
for threads in 1 2 4 8; do
	recorded 3 --threads $threads --seed $threads --drop
	recorded 1 --threads $threads --seed $((threads + 10))
done
