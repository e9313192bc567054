# Two tapes give fidelity, results give a table; words that fit neither are refused.
pagetape synth zipf --files 2 --size 4M --accesses 5000 -o a.ptape
pagetape synth zipf --files 2 --size 4M --accesses 5000 --seed 2 -o b.ptape
head -c $(($(stat -c %s a.ptape) - 10)) a.ptape >cut.ptape

# result NAME OPS...: a replay's result with a run for each figure
result() {
	local name=$1 runs= ops

	shift
	for ops; do
		runs+="${runs:+,}{\"wall_ns\": 1000000000, \"ops_per_s\": $ops, \"bytes_per_s\": null}"
	done
	echo "{\"schema\": 1, \"pagetape\": \"0.1.0\", \"kind\": \"replay\", \"runs\": [$runs]}" >"$name"
}
result slow.json 100 101 99 100 102
result fast.json 120 119 121 122 118
result same.json 100 101 99 100 102
result once.json 110

run pagetape compare a.ptape a.ptape
run pagetape compare a.ptape b.ptape
run pagetape compare a.ptape cut.ptape
run pagetape compare --allow-incomplete -q a.ptape cut.ptape | head -n 1
run pagetape compare slow.json fast.json
run pagetape compare slow.json same.json
run pagetape compare slow.json fast.json once.json
run pagetape compare slow.json same.json -- fast.json
run pagetape compare --test mann-whitney slow.json fast.json
run pagetape compare --json slow.json fast.json
run pagetape compare
run pagetape compare a.ptape
run pagetape compare a.ptape b.ptape cut.ptape
run pagetape compare a.ptape slow.json
run pagetape compare slow.json absent.json
run pagetape compare --test any slow.json fast.json
run pagetape compare slow.json --
echo '{"schema": 1, "kind": "info"}' >other.json
run pagetape compare slow.json other.json
echo '{"schema": 1,' >broken.json
run pagetape compare slow.json broken.json
echo '{"schema": 2, "kind": "replay", "runs": []}' >newer.json
run pagetape compare slow.json newer.json
