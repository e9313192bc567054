# Curves of tapes that are the same everywhere.
pagetape synth zipf --files 2 --size 4M --accesses 20000 --theta 0.9 --seed 3 -o z.ptape
pagetape synth seq --files 3 --size 1M --io 16K --accesses 1000 --tasks 1 -o s.ptape
run pagetape mrc z.ptape
run pagetape mrc s.ptape -s 1M,3M,2M,64K,1
run pagetape mrc s.ptape -s 1M,3M,2M,64K,2M -p opt,lru,all --by file
run pagetape mrc z.ptape -s 1M --by cgroup -m 2M
run pagetape mrc --json s.ptape -s 1M,3M -p lru,opt -m 2M
run pagetape mrc z.ptape s.ptape --sample 0.1 -s 1M,4M -p lru
run pagetape mrc z.ptape --sample-pages 300 -s 1M,4M
run pagetape mrc --csv z.ptape s.ptape -s 1M,4M -p lru,opt --by file -m 2M
run pagetape mrc --csv --json z.ptape

# One cgroup's alone: its accesses, and the pages that it owns.
cp "$cases/../golden/tape-v1.ptape" golden.ptape
run pagetape mrc -q --allow-incomplete -c /group-1 -s 64K golden.ptape
run pagetape mrc -c subject golden.ptape
run pagetape mrc -c /typo golden.ptape
run pagetape mrc -c /group-1 --by file golden.ptape
# The kernel beside LRU and OPT, ahead of all.
run pagetape mrc -s 64M "$cases/../cases/pg-shared.ptape" | sed -n 3p
pagetape mrc --json "$cases/../cases/pg-shared.ptape" | grep kernel_over

# The words of the command line.
run pagetape mrc z.ptape --by task
run pagetape mrc z.ptape --sizes 0
run pagetape mrc z.ptape --sizes 1M,,2M
run pagetape mrc z.ptape --policy lru,best
run pagetape mrc z.ptape --policy lru --sample-pages 100
run pagetape mrc z.ptape --sample 0
run pagetape mrc z.ptape --sample 1.5
run pagetape mrc z.ptape --sample-pages 99999999999

# A tape that was cut.
head -c 20000 z.ptape >cut.ptape
pagetape mrc cut.ptape >out 2>err
echo "exit $?, $(wc -l <out) lines"
cat err
pagetape mrc --allow-incomplete cut.ptape >/dev/null 2>&1
echo "exit $?"

# Blocks only for terminals; a narrow one.
COLUMNS=60 pagetape mrc z.ptape -s 1M | tail -n 1
