# Refaults in text: what is not known is said, tables are short, a scope that is not there is refused.
cp "$cases/../cases/pg-shared.ptape" shared.ptape
cp "$cases/../golden/tape-v1.ptape" golden.ptape
pagetape synth zipf --files 2 --size 4M --accesses 1000 -o synth.ptape

run pagetape hist shared.ptape
run pagetape hist -m interval_ns --by file --top 3 shared.ptape | sed '/%/d'
rows=$(pagetape hist --by file --top 0 shared.ptape | sed '1,/^file/d' | wc -l)
pagetape hist --by file --json shared.ptape >by.json
[ "$rows" -le "$(grep -c '"key"' by.json)" ] || echo "$rows rows"
run pagetape hist synth.ptape
run pagetape hist --json -m evicted_pages synth.ptape
run pagetape hist -c /typo golden.ptape
run pagetape hist -q --allow-incomplete -c /sys/fs/cgroup/memory/group-1 golden.ptape
run pagetape hist -c subject golden.ptape
run pagetape hist -c subject synth.ptape
run pagetape hist -c /any synth.ptape
run pagetape hist --by file --by task synth.ptape
run pagetape hist --by any synth.ptape
run pagetape hist -m any synth.ptape
pagetape hist --by section shared.ptape | tail -n 2
