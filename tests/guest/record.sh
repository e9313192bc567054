#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: record.sh KERNEL PAGETAPE WORKLOAD, the programs static
#
# Records on another kernel than this machine's, under the classic LRU and MGLRU: nothing is lost,
# the accesses are the calls made, the refaults those that the cgroup counted. A replay does the same.
set -eu
here=$(dirname "$0")
kernel=${PAGETAPE_KERNELS:-/var/cache/pagetape-kernels}/$1

skip() {
	echo "skipped: $*"
	exit 77
}

for tool in qemu-system-x86_64 busybox cpio xz mkfs.ext4 python3; do
	command -v $tool >/dev/null || skip "no $tool"
done
[ -d "$kernel" ] || skip "no kernel in $kernel: tests/guest/fetch-kernels gets it"

out=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$out"' EXIT
"$here/boot" "$kernel" "$out" "$here/record.guest" "$2" "$3"
python3 "$here/judge" "$out"
