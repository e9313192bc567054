#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Replays under a memory limit: what it measures, and that nothing is left behind whatever happens.
#
# Usage: replay.sh PAGETAPE
set -u
pagetape=$(realpath "$1")
failures=0
fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}
skip() {
	echo "SKIP: $*"
	exit 77
}

[ "$(id -u)" = 0 ] || skip "needs root"
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}") # not on tmpfs
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
"$pagetape" synth zipf --files 2 --size 32M --accesses 40000 -o z.ptape || exit

groups() {
	find /sys/fs/cgroup -type d -name "pagetape-$1-*" 2>/dev/null
}
value() { # FILE PATH: a number out of a result, "None" for null
	python3 -c "
import functools, json, sys
d = json.load(open(sys.argv[1]))
print(functools.reduce(lambda o, k: o[int(k)] if isinstance(o, list) else o[k], sys.argv[2].split('.'), d))" "$1" "$2"
}
command -v python3 >/dev/null || skip "needs python3 to look into results"

# A limit below the file set refaults, one above does not; the same number of reads either way.
"$pagetape" replay z.ptape --target set --memory 24M --pace max -q -o tight.json >out 2>err
case $? in
0) ;;
1) grep -q "cannot make a memory cgroup\|memory controller" err && skip "$(cat err)" ;;&
*) fail "tight: $(cat err)" ;;
esac
"$pagetape" replay z.ptape --target set --memory 256M --pace max -q -o wide.json >out 2>err ||
	fail "wide: $(cat err)"
for run in tight wide; do
	[ "$(value $run.json runs.0.ops)" = 40000 ] || fail "$run: not all operations"
	[ "$(value $run.json runs.0.bytes)" = $((40000 * 4096)) ] || fail "$run: not all bytes"
	[ "$(value $run.json runs.0.errors)" = "{}" ] || fail "$run: errors"
done
[ "$(value tight.json runs.0.counters.cgroup.workingset_refault_file)" -gt 1000 ] ||
	fail "a limit of 24M over 64M of files hardly refaults"
[ "$(value wide.json runs.0.counters.cgroup.workingset_refault_file)" = 0 ] ||
	fail "a limit of 256M over 64M of files refaults"

# Somebody who drops the page cache disturbs a run: it stays, marked, and the exit is 3.
"$pagetape" synth zipf --files 2 --size 32M --accesses 4000 --interval 1ms -o paced.ptape || exit
"$pagetape" replay paced.ptape --target set -o dropped.json >out 2>err &
pid=$!
sleep 2
echo 1 >/proc/sys/vm/drop_caches
wait $pid
[ $? = 3 ] || fail "a disturbed run: not exit 3: $(cat out err)"
[ "$(value dropped.json runs.0.distorted.0)" = "somebody dropped the page cache while it ran" ] ||
	fail "a disturbed run is not marked"
grep -q "^verdict: diverged: run 1: somebody dropped the page cache" out || fail "$(cat out)"

# Refused in words where the limit is below what it takes.
"$pagetape" replay z.ptape --target set --memory 64K >out 2>err && fail "64K is accepted"
grep -q "memory limit of 64.0 KiB is below" err || fail "64K: $(cat err)"

# Ctrl-C ends it at once, and takes the cgroup along.
"$pagetape" synth zipf --files 2 --size 32M --accesses 40000 --interval 10ms -o slow.ptape || exit
"$pagetape" replay slow.ptape --target set --memory 24M >out 2>err &
pid=$!
for _ in $(seq 100); do
	[ -n "$(groups $pid)" ] && break
	sleep 0.1
done
[ -n "$(groups $pid)" ] || fail "no cgroup appears"
kill -INT $pid
wait $pid
[ $? = 130 ] || fail "SIGINT: not exit 130: $(cat err)"
[ -z "$(groups $pid)" ] || fail "SIGINT leaves a cgroup"

# A kill cannot be caught: the child goes too, and the next start removes the group.
"$pagetape" replay slow.ptape --target set --memory 24M >out 2>err &
pid=$!
for _ in $(seq 100); do
	[ -n "$(groups $pid)" ] && break
	sleep 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null
sleep 0.5
"$pagetape" replay z.ptape --target set --memory 256M --pace max -q >out 2>err ||
	fail "after a kill: $(cat err)"
[ -z "$(groups $pid)" ] || fail "the group of a killed replay stays"

# Without privileges: with a limit a clear refusal, without one it plays.
chmod 755 .
mkdir own && chown 65534:65534 own
if command -v setpriv >/dev/null; then
	chmod 644 z.ptape
	nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
	$nobody "$pagetape" replay z.ptape --target own/set --memory 24M >out 2>err
	[ $? = 1 ] || fail "a limit without privileges: not exit 1"
	grep -q "takes root or a delegated cgroup" err || fail "no privileges: $(cat err)"
	$nobody "$pagetape" replay z.ptape --target own/set --pace max --json >own.json 2>err ||
		fail "without privileges: $(cat err)"
	case $(value own.json settings.caches) in
	advised | "not clean") ;;
	*) fail "without privileges the caches are said to be $(value own.json settings.caches)" ;;
	esac
fi

# A recording of the replay is faithful to what was recorded.
if [ -d /sys/kernel/tracing/events/filemap/mm_filemap_get_pages ]; then
	"$pagetape" replay z.ptape --target set --memory 24M --record r.ptape -o r.json -q >out 2>err
	status=$?
	[ $status = 0 ] || [ $status = 3 ] || fail "--record: $(cat err)"
	[ "$(value r.json runs.0.fidelity.access_match)" = "$(value r.json fidelity.access_match)" ] ||
		fail "--record: the run does not have its fidelity"
	python3 - <<'EOF' || fail "--record: $(grep -A9 '"fidelity"' r.json)"
import json, sys
sys.exit(json.load(open("r.json"))["fidelity"]["access_match"] < 0.99)
EOF
	# Its threads are the subject, and their cgroup is the one that was limited.
	"$pagetape" hist -c subject --json r.ptape >h.json 2>err || fail "-c subject: $(cat err)"
	[ "$(value h.json evictions)" -gt 1000 ] || fail "-c subject: hardly any evictions"
fi

"$pagetape" replay z.ptape --target set --pace max --remove -q --csv >out 2>err || fail "--remove"
grep -q '^run,wall_ns,ops,ops_per_s,' out || fail "--csv begins: $(head -n 1 out)"
grep -q '^1,[0-9]*,40000,' out || fail "--csv shows: $(cat out)"
[ -z "$(find set -type f)" ] || fail "--remove leaves files"
[ "$failures" = 0 ] && echo "all as it should be"
exit "$((failures > 0))"
