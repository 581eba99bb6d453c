#!/bin/sh
# Fails when a source of the development contains a word that leaves something unproved or assumes it, and when
# a library is loaded that the configure step does not look for.
set -eu
cd "$(dirname "$0")"
if grep -rnwE --include='*.v' 'Admitted|admit|admits|give_up|Axiom|Axioms|Parameter|Parameters|Conjecture|Abort' .; then
  echo "these words do not belong into a finished development" >&2
  exit 1
fi
# Every library that is loaded is one that the configure step looks for and README.md names.
for library in $(grep -hoE '^From [A-Za-z]+' theories/*/*.v extraction/*.v | cut -d' ' -f2 | sort -u); do
  case $library in Coq | Attest) continue ;; esac
  if ! grep -q "From $library Require" CMakeLists.txt || ! grep -qi "libcoq-$library" README.md; then
    echo "CMakeLists.txt does not look for $library, or README.md does not name its package" >&2
    exit 1
  fi
done
