# Thresholds for refaults: lists and sizes, what is listed, tables as CSV and JSON, and bad words.
cp "$cases/../cases/pg-shared.ptape" shared.ptape
cp "$cases/../golden/tape-v1.ptape" golden.ptape
pagetape synth zipf --files 2 --size 4M --accesses 1000 -o synth.ptape

run pagetape whatif shared.ptape --top 3
run pagetape whatif shared.ptape --by page --top 2 -t active,64M -m 40M
run pagetape whatif --csv shared.ptape --top 1 -t inactive,16M
run pagetape whatif --json shared.ptape --top 1 -t active+inactive --by cgroup
run pagetape whatif -q --allow-incomplete -c subject golden.ptape
run pagetape whatif -q --allow-incomplete -c /group-1 golden.ptape
run pagetape whatif synth.ptape
run pagetape whatif
run pagetape whatif -t half shared.ptape
run pagetape whatif -t 0 shared.ptape
run pagetape whatif -t 1M,1M,1M,1M,1M,1M,1M,1M,1M shared.ptape
run pagetape whatif -b node shared.ptape
run pagetape whatif --csv --json shared.ptape
