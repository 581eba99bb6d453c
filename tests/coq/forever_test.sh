#!/bin/sh
# forever_test.sh CHECKER VERIFIED: claims about all later steps whose constants are known by hand (those of
# tests/unit/proofs/runs/forever_tests.cpp), accepted and with one line changed: both checkers must print and return the same.
checker=$1
verified=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cases=0
failures=0

# write INSTANCE BODY: the certificate of a body of claims; its hash is taken from the checker's complaint about a wrong one.
write() {
  zeros=0000000000000000000000000000000000000000000000000000000000000000
  header() { printf 'attest-certificate 1\nproducer test 1\ninstance sha256 %s\n' "$1"; }
  { header $zeros; cat "$2"; } >"$work/c"
  hash=$("$checker" "$1" "$work/c" 2>&1 | sed -n 's/.*this one is \([0-9a-f]*\).*/\1/p')
  { header "$hash"; cat "$2"; } >"$work/c"
  echo "end problems $(grep -c '^problem ' "$work/c") claims $(grep -c '^claim ' "$work/c") lines $(($(wc -l <"$work/c") + 1))" >>"$work/c"
}

# agree STATUS WHAT: both checkers return STATUS for the certificate and print the same lines.
agree() {
  cases=$((cases + 1))
  "$checker" "$instance" "$work/c" >"$work/a" 2>"$work/a.err"
  mine=$?
  "$verified" "$instance" "$work/c" >"$work/b" 2>"$work/b.err"
  theirs=$?
  if [ $mine -ne "$1" ] || [ $theirs -ne "$1" ] || ! cmp -s "$work/a" "$work/b"; then
    failures=$((failures + 1))
    echo "$2: expected $1, attest-check $mine, attest-check-verified $theirs"
    cat "$work/a.err" "$work/b.err"
  fi
}

# base NAME: the body is accepted by both, and printed back as it was given.
base() {
  name=$1
  write "$instance" "$work/body"
  agree 0 "$name"
  "$verified" --print-parsed "$instance" "$work/c" | sed 's/^producer .*/producer test 1/' | cmp -s - "$work/c" || {
    failures=$((failures + 1))
    echo "$name: printed back differently"
  }
}

# change STATUS FROM TO: the last base with one line replaced.
change() {
  grep -qxF -- "$2" "$work/body" || { failures=$((failures + 1)); echo "$name: no line $2"; }
  awk -v from="$2" -v to="$3" '$0 == from { print to; next } { print }' "$work/body" >"$work/changed"
  write "$instance" "$work/changed"
  agree "$1" "$name: $3"
}

instance=$work/one.json
echo '{"X": [[[2], [1]]], "Y": [1], "v": [1], "z": [[1]]}' >"$instance"
one() {
  printf 'problem 1\nsetting cross-attention\nnorm euclidean\nloss %s\nselection 1 0\n' "$1"
  printf 'claim 1 optimal problem 1 norm-squared 1\nvector multipliers 1 over 1\n0 1 1\n'
}

{ one correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none
optimizer ngd schedule constant step 1*2^-3
start 1 5
step-bound 1*2^-3
ranges 1
group 0 output 1*2^-6 attention 1*2^-6
path 1*2^-3 excess 0 centre 0 height 5 growth linear 1
END
base 'absorbing ngd'
first='claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none'
last='path 1*2^-3 excess 0 centre 0 height 5 growth linear 1'
change 1 "$last" 'path 1*2^-4 excess 0 centre 0 height 5 growth linear 1'
change 1 "$last" 'path 157/2500 excess 0 centre 0 height 5 growth linear 1'
change 0 "$last" 'path 8/125 excess 0 centre 0 height 5 growth linear 1'
change 1 "$last" 'path 1*2^-3 excess -1 centre 0 height 5 growth linear 1'
change 0 "$last" 'path 1*2^-3 excess 1 centre 0 height 5 growth linear 1'
change 1 "$last" 'path 1*2^-3 excess 0 centre -1 height 5 growth linear 1'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 11*2^-1 growth linear 1'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear 9*2^-3'
change 0 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear 1*2^-4096'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear 0'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear -1'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 1'
change 1 'start 1 5' 'start 1 1*2^2'
change 1 'start 1 5' 'start zero'
change 2 'start 1 5' 'start 2 5 5'
ranges='group 0 output 1*2^-6 attention 1*2^-6'
change 1 "$ranges" 'group 0 output 1*2^-8 attention 1*2^-6'
change 1 "$ranges" 'group 0 output 1*2^-6 attention 1*2^-8'
change 1 "$ranges" 'group 0 output 1 attention 1*2^-6'
change 1 "$ranges" 'group 0 output 1*2^-6 attention 1'
change 2 "$ranges" 'group 1 output 1*2^-6 attention 1*2^-6'
change 2 'ranges 1' 'ranges 2'
change 2 'ranges 1' 'ranges 0'
steps='optimizer ngd schedule constant step 1*2^-3'
change 2 "$steps" 'optimizer ngd schedule constant step 0'
change 2 "$steps" 'optimizer adam schedule constant step 1'
change 0 "$steps" 'optimizer ngd schedule invsqrt step 1*2^-3'
change 0 "$steps" 'optimizer ngd schedule inverse step 1*2^-3'
change 1 'loss correlation' 'loss none'
change 0 "$first" 'claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from 0'
change 2 "$first" 'claim 2 forever-from-point problem 1 from 2 theorem absorbing dominates-from none'
change 2 "$first" 'claim 2 forever-from-point problem 1 from 1 theorem absorbing'

{ one correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none
optimizer gd schedule constant step 1
start 1 5
step-bound 1*2^-3
ranges 1
group 0 output 1*2^-6 attention 1*2^-6
path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 31*2^-5
END
base 'absorbing gd'
last='path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 31*2^-5'
change 0 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 121/125'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth logarithmic 97/100'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear 1*2^-5'
change 1 'step-bound 1*2^-3' 'step-bound 1*2^-8'
change 0 'step-bound 1*2^-3' 'step-bound 1*2^-7'
change 1 'optimizer gd schedule constant step 1' 'optimizer gd schedule constant step 19'
change 0 'optimizer gd schedule constant step 1' 'optimizer gd schedule constant step 17'

{ one correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from 3
optimizer polyak schedule constant step 1*2^-1
start 1 5
step-bound 0
ranges 1
group 0 output 1*2^-6 attention 1*2^-6
path 571/1000 excess 0 centre 0 height 5 growth linear 1
END
base 'absorbing polyak'
last='path 571/1000 excess 0 centre 0 height 5 growth linear 1'
change 1 "$last" 'path 57/100 excess 0 centre 0 height 5 growth linear 1'
change 1 "$last" 'path 571/1000 excess 0 centre 0 height 5 growth linear 1001/1000'

# From the point itself on, with steps that shrink: nothing has been gained yet.
{ one exponential; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from 0
optimizer gd schedule invsqrt step 1*2^-1
start 1 5
step-bound 1*2^-3
ranges 1
group 0 output 1*2^-6 attention 1*2^-6
path 1 excess 0 centre 0 height 5 growth logarithmic 1*2^-8
END
base 'absorbing gd, shrinking steps'
last='path 1 excess 0 centre 0 height 5 growth logarithmic 1*2^-8'
change 1 "$last" 'path 1 excess 0 centre 0 height 5 growth logarithmic 1'
change 1 "$last" 'path 1 excess 0 centre 0 height 5 growth logarithmic -1'
change 0 'optimizer gd schedule invsqrt step 1*2^-1' 'optimizer gd schedule inverse step 1*2^-1'
change 0 'loss exponential' 'loss logistic'
change 0 'claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from 0' \
  'claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from 1000000'

# A better token that the direction leaves behind, T11.
instance=$work/better.json
echo '{"X": [[[0, 0], [-1, -1], [-3, 0.5]]], "Y": [1], "v": [0, 1], "z": [[1]]}' >"$instance"
two() {
  printf 'problem 1\nsetting cross-attention\nnorm euclidean\nloss %s\nselection 1 0\n' "$1"
  printf 'claim 1 optimal problem 1 norm-squared 1*2^-1\nvector multipliers 1 over 2^1\n0 1 1\n'
}
{ two correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem local dominates-from 0
optimizer ngd schedule constant step 1/10
start 2 5*2^2 5*2^2
step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1
outside 0
ranges 1
group 0 attention 1*2^-40
path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth linear 463/1000
END
base 'local ngd'
first='claim 2 forever-from-point problem 1 from 1 theorem local dominates-from 0'
steps='optimizer ngd schedule constant step 1/10'
constants='step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1'
last='path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 217/1000 excess 0 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 5 excess 0 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 7*2^-5 excess -1 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 7*2^-5 excess 0 centre -1 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 7*2^-5 excess 0 centre 1*2^-100 height 283/10 growth linear 463/1000'
change 1 "$last" 'path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth linear 15*2^-5'
change 1 "$last" 'path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth logarithmic 1*2^-8'
change 0 "$last" 'path 7*2^-5 excess 1 centre 1 height 27 growth linear 29*2^-6'
change 1 "$constants" 'step-bound 1/11 ratio 1*2^-10 extra 1*2^-9 theta 1'
change 1 "$constants" 'step-bound 1 ratio 1*2^-10 extra 1*2^-9 theta 1'
change 1 "$constants" 'step-bound -1 ratio 1*2^-10 extra 1*2^-9 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-15 extra 1*2^-9 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-1 extra 1*2^-9 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio -1 extra 1*2^-9 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-12 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra -1 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 0'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta -1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 5'
change 2 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-9'
change 2 "$constants" 'step-bound 1/10'
change 1 'group 0 attention 1*2^-40' 'group 0 attention 1*2^-60'
change 1 'group 0 attention 1*2^-40' 'group 0 attention 1'
change 1 'group 0 attention 1*2^-40' 'group 0 attention -1*2^-40'
change 2 'group 0 attention 1*2^-40' 'group 0 output 1*2^-6 attention 1*2^-40'
change 2 'outside 0' 'outside 1'
change 2 'outside 0' 'outside 9'
change 1 'start 2 5*2^2 5*2^2' 'start 2 1*2^2 1*2^2'
change 1 'start 2 5*2^2 5*2^2' 'start 2 5*2^2 1*2^4'
change 1 'start 2 5*2^2 5*2^2' 'start zero'
change 1 "$steps" 'optimizer ngd schedule constant step 1*2^-3'
change 0 "$steps" 'optimizer ngd schedule constant step 1/11'
change 0 "$steps" 'optimizer ngd schedule inverse step 1/11'
change 1 "$steps" 'optimizer polyak schedule constant step 1/10'
change 1 "$steps" 'optimizer gd schedule constant step 1/10'
change 0 'loss correlation' 'loss logistic'
change 2 "$first" 'claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from 0'
change 0 "$first" 'claim 2 forever-from-point problem 1 from 1 theorem local dominates-from none'

{ two correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem local dominates-from none
optimizer gd schedule constant step 1
start 2 5*2^2 5*2^2
step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1
outside 0
ranges 1
group 0 attention 1*2^-40
path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth logarithmic 1
END
base 'local gd'
last='path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth logarithmic 1'
change 0 "$last" 'path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth logarithmic 199/100'
change 1 "$last" 'path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth logarithmic 499/250'
change 1 "$last" 'path 7*2^-5 excess 0 centre 1*2^-100 height 7*2^2 growth linear 1*2^-9'
change 1 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1' 'step-bound 1*2^-60 ratio 1*2^-10 extra 1*2^-9 theta 1'
change 0 'optimizer gd schedule constant step 1' 'optimizer gd schedule constant step 1*2^40'
change 1 'optimizer gd schedule constant step 1' 'optimizer gd schedule constant step 1*2^60'

# A third token far along u, with a small gap: P needs only the first.
instance=$work/three.json
echo '{"X": [[[0, 0], [-1, -1], [-5, "-1/20"], [-3, 0.5]]], "Y": [1], "v": [0, 1], "z": [[1]]}' >"$instance"
{ two correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem local dominates-from 0
optimizer ngd schedule constant step 1/20
start 2 5*2^2 5*2^2
step-bound 1/20 ratio 1*2^-10 extra 1*2^-7 theta 1
outside 1
0 2
ranges 1
group 0 attention 1*2^-40
path 1*2^-1 excess 0 centre 1*2^-100 height 7*2^2 growth linear 1*2^-3
END
base 'local, a constraint outside'
change 1 '0 2' '0 1'  # a member of S
change 1 '0 2' '0 3'  # outside anyway
change 2 '0 2' '0 0'
change 2 '0 2' '1 0'
change 2 'outside 1' 'outside 2'
change 2 'outside 1' 'outside 0'
change 0 'group 0 attention 1*2^-40' 'group 0 attention 1*2^-36'
change 1 'step-bound 1/20 ratio 1*2^-10 extra 1*2^-7 theta 1' 'step-bound 1/20 ratio 1*2^-18 extra 1*2^-7 theta 1'
change 1 'path 1*2^-1 excess 0 centre 1*2^-100 height 7*2^2 growth linear 1*2^-3' \
  'path 1*2^-3 excess 0 centre 1*2^-100 height 7*2^2 growth linear 1*2^-3'

# The bounded residual, T15: one active constraint, which is its own Gram matrix (||Delta||^2 = 2).
instance=$work/better.json
{ two correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from 0
optimizer ngd schedule constant step 1/10
start 2 5*2^2 5*2^2
step-bound 1/10 ratio 1*2^-10 reach 1*2^-10
lambda-min 1 bits 64
vector pull 0 over 1
outside 0
ranges 1
group 0 attention 1*2^-40
path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth linear 463/1000
END
base 'bounded ngd'
first='claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from 0'
steps='optimizer ngd schedule constant step 1/10'
constants='step-bound 1/10 ratio 1*2^-10 reach 1*2^-10'
eigenvalue='lambda-min 1 bits 64'
last='path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 1 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 1*2^-100 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 0 excess 1*2^-40 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 0 excess -1 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 0 excess 1*2^-21 centre -1 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 0 excess 1*2^-21 centre 1*2^-100 height 283/10 growth linear 463/1000'
change 1 "$last" 'path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth linear 15*2^-5'
change 1 "$last" 'path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth logarithmic 1*2^-8'
change 0 "$last" 'path 0 excess 1 centre 1 height 27 growth linear 29*2^-6'
change 1 "$eigenvalue" 'lambda-min 1*2^1 bits 64'
change 0 "$eigenvalue" 'lambda-min 15*2^-3 bits 64'
change 0 "$eigenvalue" 'lambda-min 1*2^-20 bits 4096'
change 1 "$eigenvalue" 'lambda-min 0 bits 64'
change 1 "$eigenvalue" 'lambda-min -1 bits 64'
change 2 "$eigenvalue" 'lambda-min 1 bits 5'
change 2 "$eigenvalue" 'lambda-min 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 reach 1*2^-20'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 reach 0'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 reach 5*2^3'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 reach -1'
change 1 "$constants" 'step-bound 1/11 ratio 1*2^-10 reach 1*2^-10'
change 1 "$constants" 'step-bound 0 ratio 1*2^-10 reach 1*2^-10'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-16 reach 1*2^-10'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-1 reach 1*2^-10'
change 1 "$constants" 'step-bound 1/10 ratio -1 reach 1*2^-10'
change 2 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1'
change 2 "$constants" 'step-bound 1/10 ratio 1*2^-10'
change 1 'group 0 attention 1*2^-40' 'group 0 attention 1*2^-60'
change 1 'group 0 attention 1*2^-40' 'group 0 attention 1*2^-1'
change 1 'group 0 attention 1*2^-40' 'group 0 attention 1'
change 1 'group 0 attention 1*2^-40' 'group 0 attention -1*2^-40'
change 2 'group 0 attention 1*2^-40' 'group 0 output 1*2^-6 attention 1*2^-40'
change 2 'outside 0' 'outside 1'
change 2 'vector pull 0 over 1' 'vector pull 1 over 1'
change 2 'vector pull 0 over 1' 'vector multipliers 0 over 1'
change 2 'vector pull 0 over 1' 'vector pull 0 over 0'
change 1 'start 2 5*2^2 5*2^2' 'start 2 5*2^2 1*2^4'
change 1 'start 2 5*2^2 5*2^2' 'start zero'
change 1 "$steps" 'optimizer polyak schedule constant step 1/10'
change 1 "$steps" 'optimizer gd schedule constant step 1/10'
change 0 "$steps" 'optimizer ngd schedule inverse step 1/11'
change 1 "$steps" 'optimizer ngd schedule constant step 1*2^-3'
change 0 'loss correlation' 'loss logistic'
change 1 'loss correlation' 'loss none'
change 0 "$first" 'claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from none'
change 2 "$first" 'claim 2 forever-from-point problem 1 from 1 theorem local dominates-from 0'
# An entry of pull moves the centre by more than the reach; off the support it is not allowed.
change 1 'vector pull 0 over 1' 'vector pull 1 over 2^10
0 1 1'
change 0 'vector pull 0 over 1' 'vector pull 1 over 2^120
0 1 1'
change 1 'vector pull 0 over 1' 'vector pull 1 over 2^40
0 2 1'
change 2 'vector pull 0 over 1' 'vector pull 1 over 2^40
0 0 1'

{ two correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from none
optimizer gd schedule constant step 1
start 2 5*2^2 5*2^2
step-bound 1/10 ratio 1*2^-10 reach 1*2^-10
lambda-min 1 bits 64
vector pull 0 over 1
outside 0
ranges 1
group 0 attention 1*2^-40
path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth logarithmic 1
END
base 'bounded gd'
last='path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth logarithmic 1'
change 0 "$last" 'path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth logarithmic 199/100'
change 1 "$last" 'path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth logarithmic 499/250'
change 1 "$last" 'path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth linear 1*2^-9'
change 1 'step-bound 1/10 ratio 1*2^-10 reach 1*2^-10' 'step-bound 1*2^-60 ratio 1*2^-10 reach 1*2^-10'
change 1 'optimizer gd schedule constant step 1' 'optimizer gd schedule constant step 1*2^60'

instance=$work/three.json
{ two correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from 0
optimizer ngd schedule constant step 1/20
start 2 5*2^2 5*2^2
step-bound 1/20 ratio 1*2^-10 reach 1*2^-10
lambda-min 1 bits 64
vector pull 0 over 1
outside 1
0 2
ranges 1
group 0 attention 1*2^-40
path 0 excess 1*2^-21 centre 1*2^-100 height 7*2^2 growth linear 1*2^-3
END
base 'bounded, a constraint outside'
change 1 '0 2' '0 1'  # a member of S
change 1 '0 2' '0 3'  # outside anyway
change 2 '0 2' '0 0'
change 2 'outside 1' 'outside 2'
change 1 'step-bound 1/20 ratio 1*2^-10 reach 1*2^-10' 'step-bound 1/20 ratio 1*2^-18 reach 1*2^-10'

# Two active constraints at right angles, N empty: the growth is the least cosine, 1/sqrt 2; the centre and the pull matter.
instance=$work/square.json
echo '{"X": [[[0, 0], [-1, 0], [0, -1]]], "Y": [1], "v": [1, 1], "z": [[1]]}' >"$instance"
{ cat; } >"$work/body" <<'END'
problem 1
setting cross-attention
norm euclidean
loss correlation
selection 1 0
claim 1 optimal problem 1 norm-squared 1*2^1
vector multipliers 2 over 1
0 1 1
0 2 1
claim 2 forever-from-point problem 1 from 1 theorem bounded dominates-from 0
optimizer ngd schedule constant step 1/10
start 2 1281*2^-6 1279*2^-6
step-bound 1*2^-3 ratio 0 reach 1*2^-4
lambda-min 1*2^-1 bits 64
vector pull 2 over 2^6
0 1 1
0 2 -1
outside 0
ranges 1
group 0 attention 1*2^-20
path 0 excess 1*2^-10 centre 1*2^-80 height 7*2^2 growth linear 707/1000
END
base 'bounded, two active constraints'
constants='step-bound 1*2^-3 ratio 0 reach 1*2^-4'
last='path 0 excess 1*2^-10 centre 1*2^-80 height 7*2^2 growth linear 707/1000'
change 1 "$last" 'path 0 excess 1*2^-11 centre 1*2^-80 height 7*2^2 growth linear 707/1000'
change 1 "$last" 'path 0 excess 1*2^-10 centre 1*2^-80 height 7*2^2 growth linear 177/250'
change 1 "$constants" 'step-bound 1*2^-3 ratio 0 reach 1*2^-5'
change 1 "$constants" 'step-bound 3 ratio 0 reach 1*2^-4'  # more than 4 gamma/R^2
change 0 "$constants" 'step-bound 1 ratio 0 reach 1*2^-4'
change 1 'lambda-min 1*2^-1 bits 64' 'lambda-min 1 bits 64'
change 0 'lambda-min 1*2^-1 bits 64' 'lambda-min 31*2^-5 bits 64'
change 1 '0 2 -1' '0 2 1'
change 1 '0 2 -1' '0 2 -2'
change 1 'vector pull 2 over 2^6' 'vector pull 2 over 2^5'
change 1 'start 2 1281*2^-6 1279*2^-6' 'start 2 641*2^-5 639*2^-5'

# T14 in T11's region.
instance=$work/better.json
{ two correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem residual dominates-from 0
optimizer ngd schedule constant step 1/10
start 2 5*2^2 5*2^2
region local path 7*2^-5
lambda-min 1 bits 64
step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1
outside 0
ranges 1
group 0 attention 1*2^-40
path 0 excess 1*2^-18 centre 1*2^-100 height 7*2^2 growth linear 463/1000
END
base 'residual in a local region'
last='path 0 excess 1*2^-18 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
constants='step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 1'
region='region local path 7*2^-5'
change 1 "$last" 'path 0 excess 1*2^-19 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 0 "$last" 'path 0 excess 1/520000 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 0 excess -1 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 1*2^-20 excess 1*2^-18 centre 1*2^-100 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 0 excess 1*2^-18 centre -1 height 7*2^2 growth linear 463/1000'
change 1 "$last" 'path 0 excess 1*2^-18 centre 1*2^-100 height 283/10 growth linear 463/1000'
change 1 "$last" 'path 0 excess 1*2^-18 centre 1*2^-100 height 7*2^2 growth linear 15*2^-5'
change 1 "$last" 'path 0 excess 1*2^-18 centre 1*2^-100 height 7*2^2 growth logarithmic 1*2^-9'
change 1 "$region" 'region local path 217/1000'
change 1 "$region" 'region local path 1*2^-1'
change 1 "$region" 'region local path -7*2^-5'
change 1 "$region" 'region local path 0'
change 2 "$region" 'region lock-in path 7*2^-5'
change 1 'lambda-min 1 bits 64' 'lambda-min 2 bits 64'
change 1 'lambda-min 1 bits 64' 'lambda-min 0 bits 64'
change 1 'lambda-min 1 bits 64' 'lambda-min -1 bits 64'
change 0 'lambda-min 1 bits 64' 'lambda-min 15*2^-3 bits 64'
change 2 'lambda-min 1 bits 64' 'lambda-min 1 bits 5'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-15 extra 1*2^-9 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-12 theta 1'
change 1 "$constants" 'step-bound 1/11 ratio 1*2^-10 extra 1*2^-9 theta 1'
change 1 "$constants" 'step-bound 1/10 ratio 1*2^-10 extra 1*2^-9 theta 0'
change 2 'outside 0' 'outside 1'
change 1 'group 0 attention 1*2^-40' 'group 0 attention 1*2^-60'
change 1 'optimizer ngd schedule constant step 1/10' 'optimizer polyak schedule constant step 1/10'
change 1 'start 2 5*2^2 5*2^2' 'start 2 5*2^2 1*2^4'
change 0 'claim 2 forever-from-point problem 1 from 1 theorem residual dominates-from 0' \
  'claim 2 forever-from-point problem 1 from 1 theorem residual dominates-from none'

instance=$work/plane.json
echo '{"X": [[[0, 0], [-1, -1], [-2, 1]]], "Y": [1], "v": [1, 0], "z": [[1]]}' >"$instance"
cat >"$work/body" <<'END'
problem 1
setting cross-attention
norm euclidean
loss correlation
selection 1 0
claim 1 optimal problem 1 norm-squared 5/9
vector multipliers 2 over 9
0 1 4
0 2 1
claim 2 forever-from-point problem 1 from 1 theorem residual dominates-from 0
optimizer ngd schedule constant step 1*2^-1
start 2 5*2^3 21
region local path 17*2^-2
lambda-min 3*2^-1 bits 64
step-bound 1*2^-1 ratio 0 extra 0 theta 1
outside 0
ranges 1
group 0 attention 1*2^-60
path 0 excess 151 centre 9/10 height 45 growth linear 299/500
END
base 'residual, two support vectors'
last='path 0 excess 151 centre 9/10 height 45 growth linear 299/500'
change 1 "$last" 'path 0 excess 75*2^1 centre 9/10 height 45 growth linear 299/500'
change 0 "$last" 'path 0 excess 1501/10 centre 9/10 height 45 growth linear 299/500'
change 1 "$last" 'path 0 excess 151 centre 89/100 height 45 growth linear 299/500'
change 1 "$last" 'path 0 excess 151 centre 9/10 height 45 growth linear 301/500'
change 1 'region local path 17*2^-2' 'region local path 169/50'
change 1 'lambda-min 3*2^-1 bits 64' 'lambda-min 149/100 bits 64'
change 1 'lambda-min 3*2^-1 bits 64' 'lambda-min 17/10 bits 64'
change 1 'step-bound 1*2^-1 ratio 0 extra 0 theta 1' 'step-bound 1*2^-2 ratio 0 extra 0 theta 1'
change 1 'step-bound 1*2^-1 ratio 0 extra 0 theta 1' 'step-bound 1 ratio 0 extra 0 theta 1'

instance=$work/one.json
# T14 in T10's region.
instance=$work/plane.json
sed -e '/^outside/d' -e 's|^region .*|region absorbing path 31*2^-3|' -e 's|^step-bound .*|step-bound 1*2^-1|' \
  -e 's|^group 0 .*|group 0 output 1*2^-60 attention 1*2^-60|' "$work/body" >"$work/global"
cp "$work/global" "$work/body"
base 'residual in a global region'
region='region absorbing path 31*2^-3'
change 1 "$last" 'path 0 excess 75*2^1 centre 9/10 height 45 growth linear 299/500'
change 0 "$last" 'path 0 excess 1501/10 centre 9/10 height 45 growth linear 299/500'
change 1 "$last" 'path 1 excess 151 centre 9/10 height 45 growth linear 299/500'
change 1 "$last" 'path 0 excess -1 centre 9/10 height 45 growth linear 299/500'
change 1 "$last" 'path 0 excess 151 centre 89/100 height 45 growth linear 299/500'
change 1 "$last" 'path 0 excess 151 centre 9/10 height 91*2^-1 growth linear 299/500'
change 1 "$last" 'path 0 excess 151 centre 9/10 height 45 growth linear 301/500'
change 1 "$last" 'path 0 excess 151 centre 9/10 height 45 growth logarithmic 299/500'
change 1 "$region" 'region absorbing path 3'
change 0 "$region" 'region absorbing path 31/10'
change 1 "$region" 'region absorbing path 0'
change 1 "$region" 'region absorbing path -31*2^-3'
change 2 "$region" 'region local path 31*2^-3'
change 1 'lambda-min 3*2^-1 bits 64' 'lambda-min 149/100 bits 64'
change 1 'lambda-min 3*2^-1 bits 64' 'lambda-min 17/10 bits 64'
change 1 'step-bound 1*2^-1' 'step-bound 1*2^-2'
change 1 'step-bound 1*2^-1' 'step-bound 1'
change 1 'group 0 output 1*2^-60 attention 1*2^-60' 'group 0 output 1*2^-90 attention 1*2^-60'
change 1 'group 0 output 1*2^-60 attention 1*2^-60' 'group 0 output 1*2^-60 attention 1*2^-90'

sed -e 's|^optimizer .*|optimizer polyak schedule constant step 1*2^-1|' -e 's|^step-bound .*|step-bound 373/1000|' \
  -e 's|^path .*|path 0 excess 35*2^2 centre 9/10 height 45 growth linear 67/250|' "$work/global" >"$work/body"
base 'residual in a global region, polyak'
last='path 0 excess 35*2^2 centre 9/10 height 45 growth linear 67/250'
change 1 "$last" 'path 0 excess 17*2^3 centre 9/10 height 45 growth linear 67/250'
change 1 "$last" 'path 0 excess 35*2^2 centre 9/10 height 45 growth linear 269/1000'
change 1 'step-bound 373/1000' 'step-bound 93/250'  # shorter than a step
change 1 "$region" 'region absorbing path 29/10'

sed -e 's|^optimizer .*|optimizer gd schedule constant step 1*2^-1|' \
  -e 's|^path .*|path 0 excess 151 centre 9/10 height 45 growth logarithmic 3|' "$work/global" >"$work/body"
base 'residual in a global region, gd'
last='path 0 excess 151 centre 9/10 height 45 growth logarithmic 3'
change 1 "$last" 'path 0 excess 75*2^1 centre 9/10 height 45 growth logarithmic 3'
change 1 "$last" 'path 0 excess 151 centre 9/10 height 45 growth logarithmic 7*2^-1'
change 1 'step-bound 1*2^-1' 'step-bound 1*2^-90'  # shorter than a step
change 1 "$region" 'region absorbing path 2'

instance=$work/one.json
# Lock-in by loss: L - L* = 0.0066929 at 5, the floor allows 1/64; step times smoothness at most 1: steps to 10.39.
{ one correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from none
optimizer gd schedule constant step 1
start 1 5
ranges 1
group 0 floor 127*2^-6
path 1*2^-3 excess 1*2^-4 centre 0 height 5 growth logarithmic 31*2^-5
END
base 'lock-in gd'
first='claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from none'
last='path 1*2^-3 excess 1*2^-4 centre 0 height 5 growth logarithmic 31*2^-5'
change 0 "$last" 'path 1*2^-3 excess 67/5000 centre 0 height 5 growth logarithmic 31*2^-5'
change 1 "$last" 'path 1*2^-3 excess 133/10000 centre 0 height 5 growth logarithmic 31*2^-5'
change 1 "$last" 'path 157/2500 excess 1*2^-4 centre 0 height 5 growth logarithmic 31*2^-5'
change 1 "$last" 'path 1*2^-3 excess 1*2^-4 centre -1 height 5 growth logarithmic 31*2^-5'
change 1 "$last" 'path 1*2^-3 excess 1*2^-4 centre 0 height 51*2^-3 growth logarithmic 31*2^-5'
change 1 "$last" 'path 1*2^-3 excess 1*2^-4 centre 0 height 5 growth logarithmic 1'
change 1 "$last" 'path 1*2^-3 excess 1*2^-4 centre 0 height 5 growth linear 31*2^-5'
ranges='group 0 floor 127*2^-6'
change 0 "$ranges" 'group 0 floor 255*2^-7'
change 1 "$ranges" 'group 0 floor 511*2^-8'
change 1 "$ranges" 'group 0 floor 1'
change 1 "$ranges" 'group 0 floor 2'
change 1 "$ranges" 'group 0 floor 5'
change 2 "$ranges" 'group 0 output 127*2^-6'
change 2 "$ranges" 'group 1 floor 127*2^-6'
change 2 'ranges 1' 'ranges 2'
change 2 'ranges 1' 'ranges 0'
steps='optimizer gd schedule constant step 1'
change 1 "$steps" 'optimizer gd schedule constant step 11'
change 1 "$steps" 'optimizer polyak schedule constant step 1'
change 1 "$steps" 'optimizer ngd schedule constant step 1'
change 0 "$steps" 'optimizer gd schedule inverse step 1'
change 1 'start 1 5' 'start 1 1*2^2'
change 1 'loss correlation' 'loss none'
change 0 "$first" 'claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from 0'
change 2 "$first" 'claim 2 forever-from-point problem 1 from 1 theorem absorbing dominates-from none'

# Normalised steps: eta e^eta < 2, eta below 0.8526.
for loss in correlation logistic; do
  [ $loss = correlation ] && step=17/20 || step='1*2^-1'
  { one $loss; sed "s|STEP|$step|"; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from none
optimizer ngd schedule constant step STEP
start 1 5
ranges 1
group 0 floor 127*2^-6
path 1*2^-3 excess 0 centre 0 height 5 growth linear 1
END
  base "lock-in ngd, $loss"
  [ $loss = logistic ] || change 1 "optimizer ngd schedule constant step $step" 'optimizer ngd schedule constant step 43/50'
  [ $loss = correlation ] || change 1 "optimizer ngd schedule constant step $step" 'optimizer ngd schedule constant step 17/20'
  [ $loss = correlation ] || change 1 'start 1 5' 'start 1 7*2^-1'
  last='path 1*2^-3 excess 0 centre 0 height 5 growth linear 1'
  change 1 "$last" 'path 1*2^-5 excess 0 centre 0 height 5 growth linear 1'
  change 1 "$last" 'path 1*2^-3 excess -1 centre 0 height 5 growth linear 1'
  change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear 9*2^-3'
change 0 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear 1*2^-4096'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear 0'
change 1 "$last" 'path 1*2^-3 excess 0 centre 0 height 5 growth linear -1'
done

# A second group of one token, which has no floor.
instance=$work/two.json
echo '{"X": [[[2], [1]], [[3]]], "Y": [1, 1], "v": [1], "z": [[1], [1]]}' >"$instance"
{ one correlation | sed 's/^selection .*/selection 2 0 0/'; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from 0
optimizer gd schedule constant step 1
start 1 5
ranges 1
group 0 floor 127*2^-6
path 1*2^-3 excess 1*2^-4 centre 0 height 5 growth logarithmic 1*2^-2
END
base 'lock-in, a group of one token'
change 2 'ranges 1' 'ranges 2'
change 1 'group 0 floor 127*2^-6' 'group 0 floor 511*2^-8'
instance=$work/one.json

# From -2/5 the floor 11/8 keeps 3/8 of the attention, which is not half: the margin must be positive.
{ one correlation; cat; } >"$work/body" <<'END'
claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from 4
optimizer ngd schedule constant step 1*2^-3
start 1 -2/5
ranges 1
group 0 floor 11*2^-3
path 1*2^2 excess 6/5 centre 1*2^-100 height -1*2^-1 growth linear 1
END
base 'lock-in that dominates later'
claim='claim 2 forever-from-point problem 1 from 1 theorem lock-in dominates-from'
change 0 "$claim 4" "$claim none"
change 1 "$claim 4" "$claim 3"
change 1 "$claim 4" "$claim 0"
change 2 "$claim 4" "$claim -1"
change 1 'start 1 -2/5' 'start 1 -4/5'
last='path 1*2^2 excess 6/5 centre 1*2^-100 height -1*2^-1 growth linear'
change 1 "$last 1" "$last 1*2^-1"
change 1 "$last 1" "$last -1"
sed "s/dominates-from 4/dominates-from 24/; s/schedule constant/schedule inverse/" "$work/body" >"$work/later"
cp "$work/later" "$work/body"
base 'lock-in that dominates later, inverse steps'
change 1 "$claim 24" "$claim 23"
# slo = 5/8 from the start on.
sed "s/dominates-from 24/dominates-from 0/; s/^start .*/start 1 5/; s/^group 0 .*/group 0 floor 13*2^-3/" "$work/later" >"$work/body"
base 'lock-in that dominates from the start'

echo "$cases cases, $failures failures"
[ $failures -eq 0 ] && [ $cases -gt 250 ]
