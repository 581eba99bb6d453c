#!/bin/sh
# compare_runs.sh ATTEST CHECKER VERIFIED SAMPLE SMALL: both checkers accept the same certificates of runs, line for
# line, and refuse them after any number is changed. SAMPLE and SMALL are instances.
attest=$1
checker=$2
verified=$3
sample=$4
small=$5
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
accepted=0
refused=0
report() { failures=$((failures + 1)); echo "$*"; head -c 300 "$work/b.err"; }

both() {  # instance certificate
  "$checker" "$1" "$2" >"$work/a" 2>"$work/a.err"
  mine=$?
  "$verified" "$1" "$2" >"$work/b" 2>"$work/b.err"
  theirs=$?
}

# The certificate of a run; the options are those of attest run.
produce() {  # instance options...
  instance=$1
  shift
  "$attest" run "$instance" "$@" -o "$work/run.attest" >"$work/out" || report "attest run $* fails"
  grep -q '^claim [0-9]* run ' "$work/run.attest" || report "attest run $*: no claim about a run"
}

agree() {  # instance options...
  produce "$@"
  both "$1" "$work/run.attest"
  if [ $mine -ne 0 ] || [ $theirs -ne 0 ] || ! cmp -s "$work/a" "$work/b"; then report "$*: exits $mine and $theirs"; else accepted=$((accepted + 1)); fi
  "$verified" --print-parsed "$1" "$work/run.attest" >"$work/back.attest"
  "$(dirname "$0")/same_certificate.py" "$work/run.attest" "$work/back.attest" >"$work/b.err" || report "$*: printed back differently"
}

# run.attest after a change by sed must be refused by both.
refuse() {  # instance change
  sed "$2" "$work/run.attest" >"$work/changed.attest"
  cmp -s "$work/run.attest" "$work/changed.attest" && report "$2 changes nothing"
  both "$1" "$work/changed.attest"
  if [ $mine -ne 1 ] || [ $theirs -ne 1 ]; then report "$2: exits $mine and $theirs"; else refused=$((refused + 1)); fi
}

for start in zero random:3; do
  agree "$small" --optimizer gd --step 1/2 --steps 9 --init $start
  agree "$small" --optimizer ngd --step 1/10 --schedule inverse --steps 9 --init $start
  agree "$small" --optimizer gd --step 1/3 --schedule invsqrt --loss exponential --steps 9 --init $start
  agree "$small" --optimizer polyak --step 1/2 --schedule inverse --steps 9 --init $start
  agree "$small" --optimizer ngd --step 1/7 --schedule invsqrt --loss correlation --steps 9 --init $start
done
# With the head of cross-entropy, and all later steps by T10 and T14.
echo '{"X": [[[2, 0], [1, 1], [0, -1]], [[0, 2], [1, 0], [0, 1]]], "y": [0, 0], "z": [[1], [1]]}' >"$work/targets.json"
for run in 'gd --step 1' 'ngd --step 1/10' 'polyak --step 1/2'; do agree "$work/targets.json" --optimizer $run --steps 40; done
echo '{"X": [[[0, 0], [-1, -1], [-2, 1]]], "y": [0], "z": [[1]]}' >"$work/targets.json"
agree "$work/targets.json" --optimizer polyak --steps 12
[ "$(grep -c '^claim [0-9]* forever-from-run .* theorem \(absorbing\|residual\) ' "$work/run.attest")" -eq 2 ] || report 'no claim about all later steps of cross-entropy'
refuse "$work/targets.json" 's|^\(group 0 .* attention\) .*|\1 1*2^-400|'
agree "$sample" --optimizer ngd --step 1/10 --schedule invsqrt --steps 4 --loss correlation --init random:3
agree "$small" --optimizer gd --step 1/10 --loss exponential --steps 400 --init random:3
agree "$sample" --optimizer gd --step 1/1000 --steps 4 --loss correlation

produce "$small" --optimizer ngd --step 1/4 --steps 6 --init random:5
number='-\{0,1\}[0-9*/^-]*'
last='/^at 6 /'
for name in norm along one-minus-corr loss-gap gradient unselected; do
  refuse "$small" "$last s|$name \($number\) \($number\)|$name \1 \1|"
  refuse "$small" "$last s|$name \($number\) \($number\)|$name \2 \2|"
done
refuse "$small" 's|^optimizer ngd|optimizer gd|'
refuse "$small" 's|schedule constant|schedule inverse|'
refuse "$small" 's|step 1\*2^-2|step 1*2^-3|'
refuse "$small" 's|^\(start [0-9]* \)|\1|; s|^start \([0-9]*\) [^ ]*|start \1 1|'
for shape in '1/t^2' '1/t' 'log(t)/t' 'log(t)^2/sqrt(t)' 't^(-1/2)' 't^(-3/4)' '1/log(t)' '1/log(t)^2'; do
  refuse "$small" "s|^\(rate $shape from [0-9]* constant\) .*|\1 1*2^-40|"
done

path='/^claim [0-9]* path-inequality /'
grep -q "^claim [0-9]* path-inequality " "$work/run.attest" || report 'no claim about the path'
refuse "$small" "$path s|constant .*|constant -1000|"
refuse "$small" "$path s|until [0-9]*|until 7|"
refuse "$small" "$path s|run [0-9]*|run 1|"

# Bands whose end the value meets, or nearly meets: both keep 2^-32 of the band's width free (RUNS.md section 1). At
# this start the norm is 5, at zero norm and along are 0, all exactly.
bands=0
decide() {  # status, start, quantity, band; further changes by sed
  sed "s|^start .*|start $2|; /^at 0 / s|$3 $number $number|$3 $4|; $5" "$work/run.attest" >"$work/changed.attest"
  both "$small" "$work/changed.attest"
  if [ $mine -ne $1 ] || [ $theirs -ne $1 ]; then report "start $2, $3 $4: exits $mine and $theirs"; else bands=$((bands + 1)); fi
}
echo '[[3], [4]]' >"$work/start.json"
produce "$small" --optimizer gd --step 1/4 --steps 0 --init "@$work/start.json"
grep -q '^at 0 norm ' "$work/run.attest" || report 'no checkpoint at step 0'
decide 0 '2 3 4' norm '0 9'
for ends in '5 6' '4 5' '5 5' '21474836479*2^-32 25769803775*2^-32' '17179869185*2^-32 21474836481*2^-32' \
            '43980465111039*2^-43 52776558133247*2^-43' '35184372088833*2^-43 43980465111041*2^-43'; do
  decide 1 '2 3 4' norm "$ends"
done
decide 0 '2 3 4' norm '10737418239*2^-31 12884901887*2^-31'
decide 0 '2 3 4' norm '8589934593*2^-31 10737418241*2^-31'
open='s|one-minus-corr [^ ]* [^ ]*|one-minus-corr none|; s|loss-gap [^ ]* [^ ]*|loss-gap 0 9|; s|gradient [^ ]* [^ ]*|gradient 0 9|; s|unselected [^ ]* [^ ]*|unselected 0 1|'
wide="s|along $number $number|along -1 1|; $open"
decide 0 zero norm '0 1*2^-60' "$wide"
decide 0 zero norm '-1 1*2^-20' "$wide"
decide 1 zero norm '-1 1*2^-60' "$wide"
decide 1 zero norm '0 0' "$wide"
wide="s|norm $number $number|norm 0 1|; $open"
decide 0 zero along '-1*2^-60 1*2^-60' "$wide"
for ends in '0 1' '-1 0' '0 0'; do decide 1 zero along "$ends" "$wide"; done
decide 0 '2 3 4' norm '0 9' 's|fraction-bits .*|fraction-bits 33000|'
decide 2 '2 3 4' norm '0 9' 's|fraction-bits .*|fraction-bits 65537|'

# Widths change no verdict; where they stand and how they fall is part of the language.
produce "$small" --optimizer ngd --step 1/4 --steps 6 --init random:5
for widths in '200 then 1 199 then 6 0:0' '200 then 1 0:0' '200 then 0 100:2' '200 then 7 100:2' '200 then 2 200:2' \
              '200 then 3 100 then 3 90:2' '200 then 3:2' '200 then:2' '200 then 3 100 90:2'; do
  sed "s|fraction-bits .*|fraction-bits ${widths%:*}|" "$work/run.attest" >"$work/changed.attest"
  both "$small" "$work/changed.attest"
  [ $mine -eq "${widths#*:}" ] && [ $theirs -eq "${widths#*:}" ] || report "widths $widths: exits $mine and $theirs"
done

# Long steps of gradient descent that overshoot: the loss does not decrease at every step.
produce "$small" --optimizer ngd --step 3 --steps 6 --init random:5
until=$(sed -n 's/^loss-decreases-until //p' "$work/run.attest")
[ "$until" -lt 6 ] || report 'the loss decreases at every long step'
refuse "$small" 's|^loss-decreases-until .*|loss-decreases-until 6|'

# All later steps from a step of the run on, by T10.
agree "$small" --optimizer polyak --step 1/2 --steps 60 --init random:3
grep -q '^claim [0-9]* forever-from-run .* theorem absorbing dominates-from [0-9]*$' "$work/run.attest" || report 'no claim about all later steps'
conclusion='/^path /'
for name in path centre; do refuse "$small" "$conclusion s|$name $number|$name 1*2^-40|"; done
for name in height 'growth linear'; do refuse "$small" "$conclusion s|$name $number|$name 1000|"; done
for growth in 0 -1; do refuse "$small" "$conclusion s|growth linear $number|growth linear $growth|"; done
grep -q "growth: -1 > 0 is false" "$work/a.err" && sed 's/-verified//' "$work/b.err" | cmp -s - "$work/a.err" || report 'another reason where nothing grows'
refuse "$small" 's|^\(claim [0-9]* forever-from-run .* dominates-from\) .*|\1 1|'
refuse "$small" 's|^\(claim [0-9]* forever-from-run .* at\) [0-9]*|\1 0|'
refuse "$small" 's|^\(group 0 output\) [^ ]*|\1 1000|'
refuse "$small" 's|^\(group 0 .* attention\) .*|\1 2|'

# By T11, in a local limit.
for run in 'ngd --step 3/4 --schedule inverse' 'ngd --step 1/5 --schedule invsqrt --loss correlation' 'ngd --step 1/20 --loss exponential' \
           'gd --step 1'; do
  agree "$small" --optimizer $run --steps 100 --until-forever --init random:1
  grep -q '^claim [0-9]* forever-from-run .* theorem local dominates-from [0-9]*$' "$work/run.attest" || report "$run: no claim by theorem local"
done
for name in path centre; do refuse "$small" "$conclusion s|$name $number|$name 1*2^-40|"; done
for name in height 'growth logarithmic'; do refuse "$small" "$conclusion s|$name $number|$name 1000|"; done
for name in step-bound ratio extra; do refuse "$small" "/^step-bound/ s|$name $number|$name 1*2^-60|"; done
refuse "$small" '/^step-bound/ s|theta .*|theta 0|'
refuse "$small" 's|^\(claim [0-9]* forever-from-run .* at\) [0-9]*|\1 0|'
refuse "$small" 's|^\(group 0 attention\) .*|\1 1*2^-80|'
refuse "$small" 's|^\(group 1 attention\) .*|\1 2|'

# The bounded residual, by T15.
for run in 'ngd --step 1/20' 'gd --step 20'; do
  agree "$small" --optimizer $run --steps 300 --init random:1
  grep -q '^claim [0-9]* forever-from-run .* theorem bounded dominates-from [0-9]*$' "$work/run.attest" || report "$run: no claim by theorem bounded"
done
bounded='/theorem bounded/,/^path/'
for name in excess centre; do refuse "$small" "$bounded s|$name $number|$name 1*2^-400|"; done
for name in height 'growth logarithmic'; do refuse "$small" "$bounded s|$name $number|$name 1000|"; done
for name in step-bound ratio reach; do refuse "$small" "$bounded s|$name $number|$name 1*2^-400|"; done
refuse "$small" "$bounded s|^lambda-min $number|lambda-min 1000|"
refuse "$small" "$bounded s|^\\(group [0-9]* attention\\) .*|\\1 1*2^-400|"
refuse "$small" "s|^\\(claim [0-9]* forever-from-run .* at\\) [0-9]* \\(theorem bounded\\)|\\1 0 \\2|"

# All later steps by lock-in, of both rules and from a given point.
agree "$small" --optimizer gd --step 1/40 --steps 300
for name in path excess centre; do refuse "$small" "$conclusion s|$name $number|$name 1*2^-40|"; done
for name in height 'growth logarithmic'; do refuse "$small" "$conclusion s|$name $number|$name 1000|"; done
refuse "$small" 's|^\(group 0 floor\) .*|\1 1000|'
refuse "$small" 's|^\(group 1 floor\) .*|\1 -1000|'
refuse "$small" 's|^\(claim [0-9]* forever-from-run .* at\) [0-9]*|\1 0|'
agree "$small" --optimizer ngd --step 1/20 --steps 30 --until-forever --loss exponential
refuse "$small" 's|^\(claim [0-9]* forever-from-run .* dominates-from\) .*|\1 1|'
refuse "$small" "$conclusion s|growth linear $number|growth linear 1000|"
refuse "$small" 's|^\(group 0 floor\) .*|\1 1000|'
echo '[[4], [9]]' >"$work/start.json"
agree "$small" --optimizer gd --step 1/8 --steps 0 --init "@$work/start.json"
refuse "$small" 's|^start .*|start zero|'
[ "$(grep -c '^claim [0-9]* forever-from-point .* theorem lock-in ' "$work/run.attest")" -eq 1 ] || report 'no lock-in from a point'

# A point where the gradient vanishes: opposite queries on equal tokens.
echo '{"X": [[[0, 0], [-1, 0]], [[0, 0], [-1, 0]]], "Y": [1, 1], "v": [1, 0], "z": [[1], [-1]]}' >"$work/twins.json"
echo '[[0], [3]]' >"$work/start.json"
"$attest" run "$work/twins.json" --optimizer gd --step 1 --steps 5 --init "@$work/start.json" -o "$work/run.attest" >"$work/out"
grep -q '^claim [0-9]* stationary ' "$work/run.attest" || report 'no stationary point'
both "$work/twins.json" "$work/run.attest"
[ $mine -eq 0 ] && [ $theirs -eq 0 ] && cmp -s "$work/a" "$work/b" || report "a stationary point: exits $mine and $theirs"
"$verified" --print-parsed "$work/twins.json" "$work/run.attest" | cmp -s - "$work/run.attest" || report 'a stationary point: printed back differently'
refuse "$work/twins.json" 's|^start 2 0 3|start 2 1 3|'
refuse "$work/twins.json" 's|^loss logistic|loss none|'

# A claim about 10^9 steps keeps both busy until the time limit, and no longer.
produce "$small" --optimizer gd --step 1/2 --steps 6
awk '/^rate / { removed++; next } / run problem / { sub(/ steps 6$/, " steps 1000000000") } { sub(/^at 6 /, "at 1000000000 ") }
     /^rates / { $2 = 0 } /^end problems/ { $NF -= removed } { print }' "$work/run.attest" >"$work/endless.attest"
for program in "$checker" "$verified"; do
  "$program" --time-limit 2 "$small" "$work/endless.attest" >"$work/a" 2>"$work/b.err"
  [ $? -eq 5 ] && [ ! -s "$work/a" ] && grep -q 'not decided within 2 seconds' "$work/b.err" || report "$program --time-limit 2 does not end in exit 5"
  "$program" --time-limit 600 "$small" "$work/run.attest" >"$work/a" 2>"$work/b.err" || report "$program --time-limit 600 refuses a true claim"
done

echo "$accepted runs accepted by both, $refused changed ones refused by both, $bands bands decided alike, $failures disagreements"
[ $failures -eq 0 ] && [ $accepted -eq 27 ] && [ $refused -eq 74 ] && [ $bands -eq 20 ]
