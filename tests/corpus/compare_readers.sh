#!/bin/sh
# compare_readers.sh ATTEST CHECKER FOLDER: two independent readers must agree on every instance file of the corpus:
# both accept it, with the same hash, or both refuse it. `attest info` prints its hash; the checker confirms it, or
# names its own, when it compares the hash of a certificate.
attest=$1
checker=$2
folder=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ -n "$ATTEST_SANITIZED" ] || ulimit -v 4000000
failures=0
accepted=0
refused=0
for instance in "$folder"/correct/*.json "$folder"/correct/*.npz "$folder"/correct/*.json.gz \
                "$folder"/correct/*.safetensors "$folder"/malformed/*.safetensors \
                "$folder"/malformed/*.json "$folder"/malformed/*.npz "$folder"/malformed/*.json.gz; do
  timeout 120 "$attest" info --json "$instance" >"$work/info" 2>"$work/info.err"
  mine=$?
  hash=$(tr -d ' \n' <"$work/info" | sed -n 's/.*"sha256":"\([0-9a-f]\{64\}\)".*/\1/p')
  # A certificate with this hash and a false claim: 1 when the hash is confirmed, 4 when it is not, 2 or 5 when the
  # instance is refused. An unread instance gets a hash of zeros.
  cat >"$work/probe.attest" <<PROBE
attest-certificate 1
producer probe 1
instance sha256 ${hash:-0000000000000000000000000000000000000000000000000000000000000000}
problem 1
setting prompt
norm euclidean
loss none
selection 0
claim 1 infeasible problem 1
vector farkas 0 over 1
end problems 1 claims 1 lines 11
PROBE
  timeout 120 "$checker" "$instance" "$work/probe.attest" >"$work/check" 2>"$work/check.err"
  theirs=$?
  case $mine-$theirs in
    0-1) accepted=$((accepted + 1)) ;;
    # 5-4: a limit that the checker comes to after the hash.
    [25]-[25] | 5-4) refused=$((refused + 1)) ;;
    *) failures=$((failures + 1))
       echo "$instance: attest info $mine, attest-check $theirs"
       head -c 300 "$work/info.err" "$work/check.err" ;;
  esac
done
echo "$accepted accepted by both, $refused refused by both, $failures disagreements"
[ "$failures" -eq 0 ] && [ "$accepted" -gt 60 ] && [ "$refused" -gt 300 ]
