# Words that mean nothing: one line saying which, where to look, and exit code 2.
pagetape 2>help.txt
echo "without a verb: $?, $(head -n 1 help.txt)"
run pagetape frobnicate
run pagetape --frobnicate
run pagetape --version
pagetape --help >long.txt && pagetape -h | cmp - long.txt && echo "-h is --help"
pagetape --version >long.txt && pagetape -V | cmp - long.txt && echo "-V is --version"
run pagetape synth uniform -o ''
run pagetape convert a.dat -
run pagetape verify --repair - a.ptape
run pagetape replay a.ptape -t set -o ''
run pagetape replay a.ptape -t set -r -
mkdir folder
run pagetape replay a.ptape -t set -o folder
run ls -A
