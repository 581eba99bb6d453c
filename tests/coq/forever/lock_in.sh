# Read by forever_test.sh. T12, T12n: lock-in by loss.

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
