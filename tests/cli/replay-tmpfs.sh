# A target whose files are never read in or evicted is refused, unless that is meant.
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ] || skip "no tmpfs at /dev/shm"
pagetape synth zipf --files 1 --size 256K --accesses 500 --tasks 1 -o a.ptape
target=$(mktemp -d -p /dev/shm)
shown() { # its name is another each time
	run "$@" | sed "s|$target|TMPFS|"
}
shown pagetape replay a.ptape --target "$target"
shown pagetape replay a.ptape --target "$target" --dry-run --force
rmdir "$target"
