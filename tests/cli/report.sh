# What a page would show; pages themselves are opened by tests/page.
pagetape synth zipf --files 2 --size 4M --accesses 20000 --theta 0.9 --seed 3 -o z.ptape
pagetape mrc --json z.ptape >mrc.json
head -c 20000 z.ptape >cut.ptape
mkdir -p none lab/new/db/1 empty
cat >lab/lab.json <<'END'
{"schema": 1, "kind": "lab", "settings": {}, "repeat": 2,
 "candidates": [{"name": "old"}, {"name": "new"}], "tapes": [{"name": "db"}]}
END
cp lab/lab.json empty/
cat >lab/new/db/1/result.json <<'END'
{"schema": 1, "kind": "replay", "runs": [{"ops_per_s": 5}],
 "lab": {"settings": {}, "candidate": {"name": "new"}, "tape": "db", "repeat": 1}}
END
cp z.ptape lab/new/db/1/replay.ptape

# The head of each entry, and how long its lists are.
outline() {
	grep -E '^ {2,6}"(kind|name|hist|mrc|timeline|replay|comparison|complete|cgroups)"' | tr -d '[{,'
}
pagetape report --json z.ptape mrc.json | outline
echo
pagetape report --json lab | outline
run pagetape report --json cut.ptape | grep '^[!$[]'
run pagetape report --json --allow-incomplete cut.ptape | grep '^[!$[]'

# The words of the command line.
run pagetape report
run pagetape report z.ptape
run pagetape report z.ptape -o -
run pagetape report z.ptape --json --sample 2
run pagetape report absent --json
run pagetape report none --json
run pagetape report empty --json
run pagetape report z.ptape --json -c /none
echo '{"kind": "info"}' >info.json
run pagetape report info.json --json
echo '{"schema": 1' >broken.json
run pagetape report broken.json --json
echo 'neither this nor that' >text
run pagetape report text --json
