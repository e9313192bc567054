# A memory limit below what the replay itself needs.
grep -qs ' cgroup' /proc/self/mounts || skip "no cgroups are mounted"
pagetape synth zipf --files 2 --size 256K --accesses 500 -o a.ptape
run pagetape replay a.ptape --target set --memory 4K
