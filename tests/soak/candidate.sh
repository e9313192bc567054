#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# the distribution's Linux 6.1 with another refault-distance rule, in the lab beside the unpatched one
#
# Builds the kernel once as it is and once with each patch of tests/soak/candidate, with the lab's
# small configuration, and plays one tape on them. The tree and the builds stay for the next time in
# PAGETAPE_CANDIDATE (default /var/tmp/pagetape-candidate; 2 GB). JOBS compilers run at once.
. tests/soak/lab/common

patches=$PWD/tests/soak/candidate
config=$PWD/replay/lab/lab.config
builds=${PAGETAPE_CANDIDATE:-/var/tmp/pagetape-candidate}
tree=$builds/linux-source-6.1
jobs=${JOBS:-$(nproc)}
specs=()

for tool in apt-get dpkg-deb xz make gcc flex bison bc patch; do
	command -v "$tool" >/dev/null || { echo "needs $tool" && exit 1; }
done
mkdir -p "$builds"

unpack() {
	[ ! -d "$tree" ] || return 0
	(cd "$builds" && apt-get -qq download linux-source-6.1 2>/dev/null)
	dpkg-deb --fsys-tarfile "$builds"/linux-source-6.1_*.deb |
		tar -xO ./usr/src/linux-source-6.1.tar.xz | tar -xJ -C "$builds"
	rm -f "$builds"/linux-source-6.1_*.deb
}

# compile NAME: the tree as it is now. All are built in one place, so that what only a patch changed
# is built again; of each its image, ELF file and configuration are kept, laid out as in a tree.
compile() {
	local out=$builds/build log=$builds/$1.log keep=$builds/$1 start=$SECONDS

	mkdir -p "$out" "$keep/arch/x86/boot"
	make -s -C "$tree" O="$out" KCONFIG_ALLCONFIG="$config" allnoconfig >"$log" 2>&1
	nice -n 19 make -C "$tree" O="$out" LOCALVERSION="-$1" -j"$jobs" bzImage >>"$log" 2>&1 ||
		{ tail -n 20 "$log" && exit 1; }
	cp "$out/arch/x86/boot/bzImage" "$keep/arch/x86/boot/bzImage"
	cp "$out/vmlinux" "$out/.config" "$keep"
	echo "built $(cat "$out/include/config/kernel.release") in $((SECONDS - start)) s"
	specs+=(--kernel "$keep,name=$1,set=lru_gen.enabled=0")
}

# build NAME: the candidate with NAME.patch.
build() {
	patch -s -d "$tree" -p1 <"$patches/$1.patch"
	patched=$1
	compile "$1"
	unpatch
}

# However it ends, the tree is the distribution's again.
unpatch() {
	[ -z "$patched" ] || patch -s -R -d "$tree" -p1 <"$patches/$patched.patch"
	patched=
}
patched=
trap 'unpatch; rm -rf "$dir"' EXIT

unpack
compile base
for name in inactive both; do
	build "$name"
done

# A loop over what would fit, beside a stream that is read once and takes twice as much memory: no
# page of the loop is ever read twice in one stay, so the active list stays empty. Played on 64 MiB.
mkdir "$dir/data"
"$workload" seq --make --dir "$dir/data" --files 1 --size 24M
mv "$dir/data/data.0" "$dir/data/loop"
"$workload" seq --make --dir "$dir/data" --files 1 --size 480M
record "$dir/mixed.ptape" 64M fio --readonly --rw=read --bs=64k --invalidate=0 --fadvise_hint=0 \
	--ioengine=psync --minimal --output=/dev/null \
	--name=loop --filename="$dir/data/loop" --size=24M --loops=10 --rate=24M \
	--name=stream --filename="$dir/data/data.0" --size=480M --rate=48M
rm -r "$dir/data"

# And skewed reads, where the active list grows by itself.
record_reads zipf "$dir/skew.ptape" 64M 48M --theta 0.8 --accesses 150000

for tape in mixed skew; do
	show "$pagetape" whatif --cgroup subject --top 2 "$dir/$tape.ptape"
done
lab candidate 64M "${specs[@]}" --repeat 3 "$dir/mixed.ptape" "$dir/skew.ptape"
