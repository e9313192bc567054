#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# both commands of the README in a fresh Debian 12 with nothing installed
#
# The chroot shares this kernel, and nothing else: no packages, no tracefs until the demo mounts it.
set -eu

[ "$(id -u)" = 0 ] || { echo "needs root" && exit 1; }
command -v debootstrap >/dev/null || { echo "needs debootstrap" && exit 1; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1)
dir=$(mktemp -d /var/tmp/pagetape-chroot.XXXXXX)

# Removes the folder only when nothing is mounted below it any more.
finish() {
	umount "$dir/sys" "$dir/proc" 2>/dev/null || true
	if grep -q " $dir/" /proc/self/mounts; then
		echo "still mounted below $dir, which stays"
		exit 1
	fi
	rm -rf --one-file-system "$dir"
}
trap finish EXIT

in_chroot() {
	echo
	echo "== $*"
	chroot "$dir" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
		sh -c 'cd /root/pagetape && exec "$@"' sh "$@"
}

echo "== debootstrap --variant=minbase bookworm"
debootstrap --variant=minbase bookworm "$dir" "$mirror" >/dev/null
git clone --quiet --no-local . "$dir/root/pagetape"

echo
echo "---- Without /proc and /sys: nothing can be recorded"
in_chroot ./bootstrap demo
in_chroot ./bootstrap test

echo
echo "---- With them, but neither tracefs nor cgroups mounted"
mount -t proc proc "$dir/proc"
mount -t sysfs sysfs "$dir/sys"
mounts=$(cat /proc/self/mounts)
in_chroot ./bootstrap demo
in_chroot ./bootstrap test
[ "$mounts" = "$(cat /proc/self/mounts)" ] || { echo "a mount was left behind" && exit 1; }
