# Read by forever_test.sh. T11: better tokens that the direction leaves behind.

instance=$work/better.json
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
