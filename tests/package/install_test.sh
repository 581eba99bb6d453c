#!/bin/sh
# install_test.sh BUILD SCRATCH CONSUMER INSTANCE: installs BUILD below SCRATCH, builds CONSUMER against it and runs
# both its program and the installed attest; manual pages and completions are there and hold every option.
set -eu
build=$1 scratch=$2 consumer=$3 instance=$4
prefix=$scratch/prefix
rm -rf "$prefix" "$scratch/consumer"
cmake --install "$build" --prefix "$prefix" >/dev/null
cmake -S "$consumer" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$scratch/consumer" >/dev/null
"$prefix/bin/attest" certify "$instance" -o "$scratch/installed.cert" --force >/dev/null
"$scratch/consumer/consumer" "$instance" "$scratch/installed.cert" | tee "$scratch/consumer.out"
grep -q '^40 groups, 120 constraints; verified claims: [1-9]' "$scratch/consumer.out"

commands=$("$prefix/bin/attest" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ]
for command in $commands; do
  page=$prefix/share/man/man1/attest-$command.1
  completions=$prefix/share/bash-completion/completions/attest
  for option in $("$prefix/bin/attest" "$command" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    sed 's/\\-/-/g' "$page" | grep -q -- "$option" || { echo "FAILED: $page does not name $option"; exit 1; }
    grep -q -- "$option" "$completions" || { echo "FAILED: completions do not name $option"; exit 1; }
  done
done
grep -q 'EXIT STATUS' "$prefix/share/man/man1/attest-check.1"
bash -c ". '$prefix/share/bash-completion/completions/attest'
  COMP_WORDS=(attest certify --fo) COMP_CWORD=2 && _attest && [ \"\${COMPREPLY[*]}\" = '--form --force' ] &&
  COMP_WORDS=(attest cert) COMP_CWORD=1 && _attest && [ \"\${COMPREPLY[*]}\" = certify ] &&
  COMP_WORDS=(attest certify --form e) COMP_CWORD=3 && _attest && [ \"\${COMPREPLY[*]}\" = 'exact enclosure' ]" ||
  { echo 'FAILED: bash completion'; exit 1; }
