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
