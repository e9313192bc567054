# The same words give the same tape; wrong ones give none.
run pagetape synth zipf --files 2 --size 8M --accesses 1000 --seed 3 -o a.ptape
run pagetape synth zipf --files 2 --size 8M --accesses 1000 --seed 3 -o b.ptape
run cmp a.ptape b.ptape
run pagetape synth zipf --files 2 --size 8M --accesses 1000 --seed 4 -o b.ptape
cmp -s a.ptape b.ptape && echo "the seed changes nothing"
run pagetape synth uniform --size 1M --accesses 10 -o u.ptape
run pagetape synth seq --size 1M --accesses 10 -q -o s.ptape
command -v zstd >/dev/null && for tape in *.ptape; do zstd -tq "$tape" || echo "$tape"; done
run pagetape synth
run pagetape synth zipf
run pagetape synth pareto -o x.ptape
run pagetape synth zipf zipf -o x.ptape
run pagetape synth zipf -o x.ptape --size 64
run pagetape synth zipf -o x.ptape --size 64m
run pagetape synth zipf -o x.ptape --size 0
run pagetape synth zipf -o x.ptape --size 99999999T
run pagetape synth zipf -o x.ptape --files 0
run pagetape synth zipf -o x.ptape --accesses -5
run pagetape synth zipf -o x.ptape --theta nan
run pagetape synth zipf -o x.ptape --interval 10
run pagetape synth zipf -o x.ptape --interval 10min
run pagetape synth zipf -o x.ptape --io 3K --size 4K
run pagetape synth zipf -o absent/x.ptape
mkdir folder
run pagetape synth zipf -o folder
run ls
