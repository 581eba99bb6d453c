#!/bin/sh
# every_command.sh ATTEST CHECKER SOURCE: each command of attest once or more, on instances of SOURCE, and the check of
# what it writes. Made for the sanitizer build: a report of a sanitizer ends the program with another status.
attest=$1
checker=$2
sample=$3/certify/samples/digits01.npz
unit=$3/certify/samples/digits01_unit.npz
small=$3/tests/unit/certify/catalogue/two_local.json
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
count=0
status() {  # expected status, command...
  expected=$1
  shift
  count=$((count + 1))
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  [ $got -eq "$expected" ] && ! grep -q 'Sanitizer\|runtime error' "$work/err" && return
  failures=$((failures + 1))
  echo "exit $got: $*"
  head -c 2000 "$work/err"
}

status 0 "$attest" info "$sample"
for form in exact enclosure; do
  status 0 "$attest" certify "$sample" --form $form --loss logistic -o "$work/$form.cert"
  status 0 "$checker" "$sample" "$work/$form.cert"
done
status 0 "$attest" certify "$sample" --form enclosure --precision 128 --json
status 0 "$attest" certify "$sample" --joint -o "$work/joint.cert"
status 0 "$checker" "$sample" "$work/joint.cert"
status 2 "$attest" certify "$sample" --joint --norm nuc
status 0 "$attest" path "$3/certify/samples/plane_relaxed.json" --joint -o "$work/joint-path.cert"
status 0 "$checker" "$3/certify/samples/plane_relaxed.json" "$work/joint-path.cert"
status 2 "$attest" path "$sample" --joint --norm nuc
status 0 "$attest" certify "$small" --norm nuc --gap 1e-20 -o "$work/nuclear.cert"
status 0 "$checker" "$small" "$work/nuclear.cert"
status 0 "$attest" certify "$small" --norm nuc --rank 1 --json
status 2 "$attest" certify "$small" --norm l3 --rank 1
for norm in l1 linf; do
  status 0 "$attest" certify "$small" --norm $norm -o "$work/$norm.cert"
  status 0 "$checker" "$small" "$work/$norm.cert" --require norm-optimum
done
status 2 "$attest" certify "$unit" --norm l1/2
status 2 "$attest" certify "$unit" --norm l3 --gap 0
status 0 "$attest" certify "$small" --norm l3 --report "$work/norm.html"
for loss in logistic exponential correlation; do
  status 0 "$attest" path "$sample" --loss $loss -o "$work/path.cert"
  status 0 "$checker" "$sample" "$work/path.cert" --require regularisation-path
done
for norm in nuc l7/4 l1 linf; do
  status 0 "$attest" path "$small" --norm $norm -o "$work/norm-path.cert"
  status 0 "$checker" "$small" "$work/norm-path.cert" --require norm-path
done
status 0 "$attest" run "$small" --optimizer nmd --potential 3 --step 1/10 --steps 20 --against l7/4,fro,l3,l1,linf,nuc
status 2 "$attest" run "$small" --optimizer ngd --step 1/10 --steps 20 --against l3
status 2 "$attest" run "$small" --optimizer nmd --potential 3 --step 1/10 --steps 20 --against max
status 2 "$attest" verify "$small" --potential 1
status 0 "$attest" audit "$sample" "$small" --jobs 2 -o "$work/audit"
status 0 "$checker" "$sample" "$work/audit/digits01.npz.cert" --require robust-radius
status 0 "$attest" audit "$3/tests/unit/certify/catalogue" --json
status 0 "$attest" verify "$small" --time-limit 60
status 0 "$attest" selections "$small" -o "$work/selections.cert"
status 0 "$checker" "$small" "$work/selections.cert"
for run in 'gd --step 1/2' 'ngd --step 1/10 --schedule inverse --loss exponential' 'polyak --step 1/2 --schedule invsqrt' \
           'ngd --step 1/7 --loss correlation' 'gd --step 1/2 --momentum 9/10' \
           'ngd --step 1/10 --momentum 1/2' 'ngd --step 1/10 --momentum 1/2 --arithmetic double' \
           'ngd --step 1/10 --arithmetic double' 'ngd --step 1/10 --arithmetic mpfr'; do
  rm -f "$work/run.attest" "$work/run.svg"
  status 0 "$attest" run "$small" --optimizer $run --steps 40 --init random:3 --plot "$work/run.svg" -o "$work/run.attest"
  [ -f "$work/run.attest" ] && status 0 "$checker" "$small" "$work/run.attest"
done
status 0 "$attest" run "$small" --optimizer ngd --step 1/10 --steps 40 --init trajectory --compare "$3/tests/cli/trajectory.npz"
status 2 "$attest" run "$small" --optimizer gd --step 1/10 --steps 40 --init trajectory --compare "$3/tests/cli/trajectory.npz"
status 0 "$attest" run "$unit" --optimizer ngd --step 1/10 --steps 30 -o "$work/unit.attest"
status 0 "$checker" "$unit" "$work/unit.attest"
status 0 "$attest" run "$small" --optimizer polyak --step 1/2 --steps 60 --init random:3 -o "$work/polyak.attest"
status 0 "$checker" "$small" "$work/polyak.attest"
for run in 'ngd --step 3/4 --schedule inverse' 'ngd --step 1/20' 'gd --step 20' 'gd --step 1/40'; do
  rm -f "$work/forever.attest"
  status 0 "$attest" run "$small" --optimizer $run --steps 300 --until-forever --init random:1 -o "$work/forever.attest"
  [ -f "$work/forever.attest" ] && status 0 "$checker" "$small" "$work/forever.attest"
done
status 0 "$attest" ntp "$3/certify/samples/animals.txt" -o "$work/animals"
for stage in feed-forward attention; do
  status 0 "$checker" "$work/animals.npz" "$work/animals-$stage.cert" --require optimal
done
status 0 "$attest" info --json "$work/animals.npz"
status 2 "$attest" certify "$work/animals.npz"
status 0 "$attest" export --coq "$sample" "$work/enclosure.cert" -o "$work/sample.v"
for name in copy.npz copy.json copy.json.gz copy.txt; do status 0 "$attest" convert "$sample" "$work/$name"; done
status 0 "$attest" info "$work/copy.json.gz"
status 2 "$attest" info "$work/missing.npz"
status 2 "$attest" run "$small"
status 2 "$attest" experiment no-such-experiment
echo "$count commands, $failures failures"
[ $failures -eq 0 ] && [ $count -ge 30 ]
