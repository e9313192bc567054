#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every read call is one access: preads of 512 B to 1 MiB, cold and cached, by one and two threads,
# counted a thread and file by the workload itself. Two different calls of one task that end in the
# same page, one right after the other, can look like one: with several threads one call in ten
# thousand may be joined or split.
# shellcheck source=tests/priv/lib.sh
. "$(dirname "$0")/lib.sh"
"$workload" preads --dir . --size 32M --make || fail "cannot make files"

# compare TAPE CALLS SLACK: accesses by (task, file) against the workload's own counts.
compare() {
	"$pagetape" dump --json --kind access --file "$work/data.*" "$1" >accesses ||
		fail "cannot dump"
	python3 - accesses "$2" "$3" <<'END'
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
print(f"{total} calls, {sum(got.values())} accesses")
if off > total * float(sys.argv[3]):
    sys.exit(f"{off} calls off")
END
}

# recorded SLACK OPTIONS...: record the workload, compare.
recorded() {
	local slack=$1

	shift
	"$pagetape" record -o t.ptape -- "$workload" preads --dir . --size 32M "$@" >calls 2>err ||
		{ cat err; fail "recording $*"; }
	compare t.ptape calls "$slack" || fail "preads $*"
}
recorded 0 --accesses 2000 --drop
recorded 0 --accesses 2000
recorded 0.0001 --accesses 10000 --threads 2 --drop --seed 2
recorded 0.0001 --accesses 10000 --threads 2 --seed 3
