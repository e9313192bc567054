# Records in three forms, and selections of them.
pagetape synth zipf --files 2 --size 64K --accesses 12 -o a.ptape
run pagetape dump a.ptape
run pagetape dump --csv a.ptape
run pagetape dump --json a.ptape
run pagetape dump --from 30us --to 60us a.ptape
run pagetape dump --task 1001 a.ptape
run pagetape dump --task synth-0 a.ptape
run pagetape dump --file '*1' a.ptape
run pagetape dump --kind add a.ptape
run pagetape dump --kind access --kind evict --to 20us a.ptape
run pagetape dump --kind nothing a.ptape
run pagetape dump --from 1 a.ptape
run pagetape dump --csv --json a.ptape
run pagetape dump a.ptape a.ptape
# Values go by what they are for the kind; counters are summed up in text, and whole in JSON.
cp "$cases/../golden/tape-v1.ptape" golden.ptape
for kind in map unmap scan advise readahead reclaim_begin gap limit; do
	run pagetape dump --kind $kind golden.ptape | grep -m 4 "$kind.* [a-z0-9_]*="
done
run pagetape dump --kind counters golden.ptape | head -n 3
run pagetape dump --json --kind counters golden.ptape | head -n 2
