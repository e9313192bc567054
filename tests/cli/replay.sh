# The plan of a replay, and what is refused before anything is begun. Playing is left to tests/priv:
# it drops the whole machine's caches.
pagetape synth zipf --files 2 --size 256K --accesses 500 --interval 1us -o a.ptape
run pagetape replay a.ptape --target set --dry-run --force
run pagetape replay a.ptape --target set --dry-run --force --json | sed -n "1,/tape_id/{/\"pagetape\"/d;p}"
find set
size=$(stat -c %s a.ptape)
head -c $((size / 3)) a.ptape >cut.ptape
run pagetape replay cut.ptape --target set --dry-run --force
run pagetape replay a.ptape
run pagetape replay --target set
run pagetape replay absent.ptape --target set
run pagetape replay a.ptape --target a.ptape
run pagetape replay a.ptape --target absent/set
run pagetape replay a.ptape --target set --pace 0
run pagetape replay a.ptape --target set --pace fast
run pagetape replay a.ptape --target set --warmup 1
run pagetape replay a.ptape --target set --warmup 100%
run pagetape replay a.ptape --target set --warmup %
run pagetape replay a.ptape --target set --warmup -0.1
run pagetape replay a.ptape --target set --order window:0
run pagetape replay a.ptape --target set --order window:x
run pagetape replay a.ptape --target set --order any
run pagetape replay a.ptape --target set --repeat 0
run pagetape replay a.ptape --target set --memory 64
run pagetape replay a.ptape --target set --cgroup /none
run pagetape replay a.ptape --target set --dry-run --csv
