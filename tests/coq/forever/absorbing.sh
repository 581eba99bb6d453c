# Read by forever_test.sh. T10: absorbing regions.

instance=$work/one.json

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
