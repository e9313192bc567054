# Every verb: --help on stdout within 80 columns, -h and -V and --version, unknown options refused,
# operands missing refused. Prints only what is wrong, so that a new verb changes nothing here.
verbs=$(pagetape --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ -n "$verbs" ] || echo "no verbs in --help"
pagetape --version >version
for verb in $verbs; do
	pagetape "$verb" --help >help 2>err || echo "$verb --help: exit $?"
	[ ! -s err ] || echo "$verb --help: talks on stderr"
	awk -v verb="$verb" 'length > 80 { print verb " --help: over 80 columns: " $0 }' help
	grep -q "^Usage: pagetape $verb" help || echo "$verb --help: no usage line"
	pagetape "$verb" -h | cmp - help
	pagetape "$verb" -V | cmp - version
	pagetape "$verb" --version | cmp - version
	pagetape "$verb" --frobnicate >out 2>err
	[ $? = 2 ] || echo "$verb --frobnicate: not exit 2"
	[ ! -s out ] || echo "$verb --frobnicate: talks on stdout"
	grep -q "^pagetape: $verb: unknown option --frobnicate$" err || cat err
	grep -q "^Try 'pagetape $verb --help'.$" err || cat err
	pagetape "$verb" -% 2>/dev/null
	[ $? = 2 ] || echo "$verb -%: not exit 2"
	[ "$verb" != record ] || continue # records this machine when nothing else is said
	pagetape "$verb" >out 2>err
	[ $? = 2 ] || echo "$verb without operands: not exit 2"
	grep -q "^pagetape: $verb: " err || cat err
done
