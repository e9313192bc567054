#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole of pagetape in two minutes: record a workload that does not fit in its memory, see its
# refaults, replay it under the same limit, and compare. Leaves only demo-out/ behind.
#
# Recording needs root, tracefs and a memory cgroup. Where one is missing, a synthetic tape takes
# the recording's place and what cannot be shown is named.
set -euo pipefail
cd "$(dirname "$0")/.."

pagetape=build/pagetape
workload=build/bench/workload
out=demo-out
data=$out/data
limit=64M
tracing=/sys/kernel/tracing
borrowed=()

finish() {
	rm -rf "$data"
	for ((i = ${#borrowed[@]} - 1; i >= 0; i--)); do
		umount "${borrowed[i]}"
	done
}
trap finish EXIT
trap 'exit 130' INT TERM

say() { printf '\n%s\n' "$*" | fold -s -w 80; }

# Show a command as one would type it, and run it.
show() {
	printf '\n  $ %s\n\n' "$*"
	"$@"
}

# The same for a replay: one that diverged (exit 3) is shown all the same, and says so itself.
show_replay() {
	show "$@" || [ $? = 3 ]
}

# Mount a file system of type $1 with options $2 at $3 until we end.
borrow() {
	[ -d "$3" ] && mount -t "$1" -o "$2" "$1" "$3" 2>/dev/null && borrowed+=("$3")
}

has_memory_cgroup() {
	local point

	grep -qE '^[^ ]+ [^ ]+ cgroup .*\bmemory\b' /proc/self/mounts && return
	for point in $(awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts); do
		! grep -qw memory "$point/cgroup.controllers" || return 0
	done
	return 1
}

# Set $obstacle to why this machine cannot record; empty where it can.
find_obstacle() {
	obstacle=
	if [ "$(id -u)" != 0 ]; then
		obstacle="that takes root"
	elif stat -f -c %T $out | grep -qE 'tmpfs|ramfs'; then
		obstacle="this folder is on $(stat -f -c %T $out), which keeps its files out of that cache"
	elif [ ! -r /proc/self/mounts ]; then
		obstacle="/proc is not mounted"
	elif [ ! -e $tracing/events ] && ! borrow tracefs mode=700 $tracing; then
		obstacle="there is no tracefs, and it cannot be mounted"
	elif [ ! -e $tracing/events/filemap/mm_filemap_get_pages ]; then
		obstacle="kernel $(uname -r) has no access tracepoints (6.12 and newer have them)"
	elif ! has_memory_cgroup &&
		! { borrow cgroup2 rw /sys/fs/cgroup && has_memory_cgroup; } &&
		! { borrow cgroup memory /sys/fs/cgroup && has_memory_cgroup; }; then
		obstacle="there is no memory cgroup"
	fi
}

record_workload() {
	say "Two files of 96 MiB, filled with data, are what the workload reads. It gets $limit of" \
		"memory, so most of them cannot stay in the page cache."
	show $workload zipf --make --dir $data --files 2 --size 96M

	say "Two threads read 4 KiB at random places, some places far more often than others (zipf)." \
		"pagetape runs them in a memory cgroup and records what they do to the page cache. Kernel" \
		"counters are read often, and by the replay as often: that makes both steadier."
	show $pagetape record --memory $limit --counters-every 100ms -o $out/original.ptape -- \
		$workload zipf --dir $data --files 2 --size 96M --theta 0.8 --threads 2 --accesses 200000
}

make_tape() {
	say "This machine cannot record: $obstacle. So a synthetic tape takes the recording's place:" \
		"reads that a zipf distribution draws. What nobody recorded, it does not know: which" \
		"pages the kernel evicted, and when. So there are no refaults in it, and the replay is" \
		"not recorded, nor limited, nor compared."
	show $pagetape synth zipf --files 2 --size 96M --theta 0.8 --tasks 2 --accesses 60000 \
		-o $out/original.ptape
}

look() {
	say "What is in the tape?"
	show $pagetape info $out/original.ptape
}

replay_recorded() {
	say "The distance of a refault says how much more memory would have kept the page: so many" \
		"pages were evicted between its eviction and its return. The whole machine was recorded;" \
		"-c subject looks at the cgroup of the workload alone."
	show $pagetape hist -c subject $out/original.ptape

	say "Now the same accesses again, on files of their own, under the same limit, and this replay" \
		"is recorded too. On another kernel this shows what that kernel makes of the workload."
	show_replay $pagetape replay $out/original.ptape --target $data/replay --memory $limit \
		--record $out/replay.ptape -o $out/replay.json
	show $pagetape hist -c subject $out/replay.ptape

	say "How faithful was it? access_match is the share of the accesses that are there again, in" \
		"order; refault_ratio compares the refaults; hist_ks is how far the two histograms are" \
		"apart (0: equal)."
	show $pagetape compare $out/original.ptape $out/replay.ptape

	for name in original replay; do
		$pagetape hist -c subject --json $out/$name.ptape >$out/hist-$name.json
	done
	$pagetape compare --json $out/original.ptape $out/replay.ptape >$out/fidelity.json
}

replay_synthetic() {
	say "Now the accesses are done through real file I/O, three times, and measured."
	show_replay $pagetape replay $out/original.ptape --target $data/replay --pace max --repeat 3 \
		-o $out/first.json

	say "And once more, to compare with: between two kernels this table says which differences" \
		"are more than chance. Here the kernel is the same."
	show_replay $pagetape replay $out/original.ptape --target $data/replay --pace max --repeat 3 \
		-o $out/second.json
	show $pagetape compare $out/first.json $out/second.json
}

rm -rf $out
mkdir -p $data
find_obstacle
if [ -z "$obstacle" ]; then
	record_workload
	look
	replay_recorded
else
	make_tape
	look
	replay_synthetic
fi
finish
trap - EXIT
say "This is left in $out:"
ls -l $out
