#!/bin/sh
# command_tests.sh CHECKER: the command line of attest-check: options, exit statuses, what goes to which stream.
checker=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

# expect NAME STATUS COMMAND...: runs it and compares the exit status; output in $folder/out and $folder/err.
expect() {
  name=$1; status=$2; shift 2
  "$@" >"$folder/out" 2>"$folder/err"
  code=$?
  if [ "$code" -ne "$status" ]; then
    echo "$name: exit $code instead of $status"; cat "$folder/err"; failures=$((failures + 1))
  fi
}
verify() { "$@" || { echo "failed: $*"; failures=$((failures + 1)); }; }

instance=$folder/instance.json
echo '{"X": [[[2], [1]]], "Y": [1], "v": [1], "z": [[1]]}' >"$instance"
hash=$(printf '%s\n' 'attest-instance 1' 'setting cross-attention' 'groups 1' 'tokens 2' 'dimension 1' 'factor-dimension 1' \
  X '1*2^1' 1 Y 1 v 1 z 1 | sha256sum | cut -d' ' -f1)
write() {  # write SELECTION CLAIM...: a certificate of one problem
  selection=$1; shift
  {
    printf '%s\n' 'attest-certificate 1' 'producer hand 1' "instance sha256 $hash" 'problem 1' 'setting cross-attention' \
      'norm euclidean' 'loss none' "selection 1 $selection" "$@"
    echo "end problems 1 claims 1 lines $(($# + 9))"
  } >"$folder/certificate"
}
certificate=$folder/certificate

write 0 'claim 1 globally-optimal problem 1'
expect accepted 0 "$checker" "$instance" "$certificate"
verify [ "$(cat "$folder/out")" = "v claim 1 globally-optimal problem 1 setting cross-attention norm euclidean loss none selection 0
s VERIFIED" ]
verify [ ! -s "$folder/err" ]
expect json 0 "$checker" --json "$instance" "$certificate"
verify [ "$(cat "$folder/out")" = '{"status":"VERIFIED","claims":[{"claim":1,"kind":"globally-optimal","problem":1,"line":"claim 1 globally-optimal problem 1 setting cross-attention norm euclidean loss none selection 0"}]}' ]
expect required 0 "$checker" --require globally-optimal "$instance" "$certificate"
expect missing-kind 1 "$checker" --require optimal "$instance" "$certificate"
verify [ ! -s "$folder/out" ]
gzip -c "$certificate" >"$folder/certificate.gz"
gzip -c "$instance" >"$folder/instance.json.gz"
expect compressed 0 "$checker" "$folder/instance.json.gz" "$folder/certificate.gz"
expect full-output 2 sh -c '"$1" "$2" "$3" >/dev/full' sh "$checker" "$instance" "$certificate"

write 1 'claim 1 globally-optimal problem 1'
expect rejected 1 "$checker" --json "$instance" "$certificate"
verify [ ! -s "$folder/out" ]
verify grep -q 'claim 1 (globally-optimal), line 9' "$folder/err"
verify grep -q '(0, 0)' "$folder/err"

write 0 'claim 1 convex problem 1'
expect unknown-kind 2 "$checker" "$instance" "$certificate"
verify grep -q 'line 9' "$folder/err"
hash=$(printf '%064d' 0)
write 0 'claim 1 globally-optimal problem 1'
expect mismatch 4 "$checker" "$instance" "$certificate"

expect help 0 "$checker" --help
verify grep -q '^Usage' "$folder/out"
expect version 0 "$checker" --version
expect no-arguments 2 "$checker"
expect one-file 2 "$checker" "$instance"
expect three-files 2 "$checker" "$instance" "$certificate" "$certificate"
expect unknown-option 2 "$checker" --force "$instance" "$certificate"
expect require-nothing 2 "$checker" "$instance" "$certificate" --require
expect require-nonsense 2 "$checker" --require nonsense "$instance" "$certificate"
expect no-instance 2 "$checker" "$folder/absent" "$certificate"
expect no-certificate 2 "$checker" "$instance" "$folder/absent"
expect folder-as-certificate 2 "$checker" "$instance" "$folder"
[ "$failures" -eq 0 ]
