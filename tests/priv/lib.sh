# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests that really record: sourced with PAGETAPE and WORKLOAD as $1 and $2. Gives a folder
# $work on a disk, and removes it. Skips (77) with a reason where the machine cannot record.
set -u
export LC_ALL=C.UTF-8
pagetape=$(realpath "$1")
workload=$(realpath "$2")
instances=/sys/kernel/tracing/instances

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "failed: $*"
	exit 1
}

[ "$(id -u)" = 0 ] || skip "recording takes root"
[ -d "$instances" ] || skip "no tracefs at /sys/kernel/tracing"
[ -d /sys/kernel/tracing/events/filemap/mm_filemap_get_pages ] ||
	skip "this kernel has no access tracepoints (6.12 or newer has)"

work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# instances_of PID: how many tracefs instances that process has or left.
instances_of() {
	find "$instances" -maxdepth 1 -name "pagetape-$1-*" | wc -l
}
