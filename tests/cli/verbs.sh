# Every verb: --help on stdout within 80 columns, -h and -V and --version, unknown options refused,
# operands missing refused. Prints only what is wrong, so that a new verb changes nothing here.
verbs=$(pagetape --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ -n "$verbs" ] || echo "no verbs in --help"
pagetape --version >version

# check VERB...: a verb, and the verbs that it has itself
check() {
	local own

	pagetape "$@" --help >help 2>err || echo "$* --help: exit $?"
	[ ! -s err ] || echo "$* --help: talks on stderr"
	awk -v verb="$*" 'length > 80 { print verb " --help: over 80 columns: " $0 }' help
	grep -q "^Usage: pagetape $*" help || echo "$* --help: no usage line"
	own=$(sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' help)
	pagetape "$@" -h | cmp - help
	pagetape "$@" -V | cmp - version
	pagetape "$@" --version | cmp - version
	pagetape "$@" --frobnicate >out 2>err
	[ $? = 2 ] || echo "$* --frobnicate: not exit 2"
	[ ! -s out ] || echo "$* --frobnicate: talks on stdout"
	grep -q "^pagetape: $*: unknown option --frobnicate$" err || cat err
	grep -q "^Try 'pagetape $* --help'.$" err || cat err
	pagetape "$@" -% 2>/dev/null
	[ $? = 2 ] || echo "$* -%: not exit 2"
	# What does something when nothing else is said: records this machine, lists its kernels.
	case "$*" in
	record | "lab kernels") ;;
	*)
		pagetape "$@" >out 2>err
		[ $? = 2 ] || echo "$* without operands: not exit 2"
		grep -q "^pagetape: $*: " err || cat err
		;;
	esac
	for verb in $own; do
		check "$@" "$verb"
	done
}

for verb in $verbs; do
	check "$verb"
done
