#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: candidates.sh PAGETAPE WORKLOAD CHECKS, the programs static
#
# One small tape on three kernels with MGLRU off and on, in the lab: six candidates, one table. Beside
# each replay the workload itself, in a guest that has passed checks before.
set -eu
here=$(dirname "$0")
pagetape=$1 workload=$2 checks=$3
kernels=${PAGETAPE_KERNELS:-/var/cache/pagetape-kernels}

skip() {
	echo "skipped: $*"
	exit 77
}

for tool in qemu-system-x86_64 mkfs.ext4 python3; do
	command -v $tool >/dev/null || skip "no $tool"
done
specs=()
for kernel in 6.1 6.12 7.3; do
	[ -d "$kernels/$kernel" ] || skip "no kernel in $kernels/$kernel"
	specs+=(--kernel "$kernels/$kernel,name=$kernel-classic,set=lru_gen.enabled=0")
	specs+=(--kernel "$kernels/$kernel,name=$kernel-mglru,set=lru_gen.enabled=7")
done

out=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$out"' EXIT
"$pagetape" synth zipf --files 2 --size 24M --accesses 30000 -o "$out/small.ptape"
"$pagetape" lab run "${specs[@]}" --memory 24M --pace max --jobs 2 -o "$out/lab" "$out/small.ptape" \
	--extra "$checks:/bin/checks" --before checks \
	-- "$workload" zipf --dir . --size 32M --threads 2 --accesses 30000 || {
	tail -n 20 "$out"/lab/*/*/*.failed/{stderr,console.log}
	exit 1
}
"$here/judge" "$pagetape" "$out/lab"
