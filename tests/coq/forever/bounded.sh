# Read by forever_test.sh. T15: the residual stays bounded.

# One active constraint, which is its own Gram matrix (||Delta||^2 = 2).
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

# Two active constraints at right angles, N empty: the growth is the least cosine, 1/sqrt 2; the centre and the pull
# matter.
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
