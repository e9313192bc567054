# Refaults in text: what is not known is said, tables are short, a scope that is not there is refused.
cp "$cases/../cases/pg-shared.ptape" shared.ptape
cp "$cases/../cases/zipf.ptape" zipf.ptape
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

# One histogram of many: tapes, or what was saved of them, with any number of threads.
run pagetape hist -q --by file --top 2 shared.ptape zipf.ptape | sed '/%/d'
pagetape hist --json shared.ptape >shared.json
pagetape hist --json shared.ptape zipf.ptape golden.ptape 2>/dev/null | grep -E "\"(refaults|complete|tape_id)\"" | head -n 3
pagetape hist shared.json zipf.ptape >saved.txt
pagetape hist -j 1 shared.ptape zipf.ptape >tapes.txt
tail -n +2 saved.txt >a; tail -n +2 tapes.txt >b; cmp a b && echo "the same"
run pagetape hist --csv --by file --top 2 shared.ptape zipf.ptape
run pagetape hist --csv -m evicted_pages shared.json | head -n 4
run pagetape hist --by file shared.ptape shared.json
sed 's/"page_size": 4096/"page_size": 16384/' shared.json >large.json
run pagetape hist shared.json large.json
echo '{"kind": "hist"}' >bad.json
run pagetape hist bad.json
run pagetape hist shared.ptape missing.ptape
run pagetape hist -j 0 shared.ptape
