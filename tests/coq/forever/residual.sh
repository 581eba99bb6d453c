# Read by forever_test.sh. T14: the residual in a region that T10 or T11 keeps.

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
