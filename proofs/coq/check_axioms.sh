#!/bin/sh
# Checks which assumptions the theorems of the development rest on, against the recorded list AXIOMS.txt.
#
#   check_axioms.sh DIRECTORY            fails when a theorem rests on an assumption that is not recorded for it, when a
#                                        theorem is missing from the list, or when an assumption is not allowed at all
#   check_axioms.sh DIRECTORY --record   brings AXIOMS.txt up to date: adds new theorems, drops those that are gone
#
# DIRECTORY holds the compiled development (theories/*.vo). A line of AXIOMS.txt is: theorem, colon, assumptions; there
# is one for every `Theorem` of every file of theories/. Theorems with equal lists are checked together.
set -eu
LC_ALL=C  # one order of names everywhere
export LC_ALL

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mode=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Classical logic and extensionality as the standard library's real numbers use them, and machine integers.
allowed='ClassicalDedekindReals\.sig_not_dec|ClassicalDedekindReals\.sig_forall_dec|FunctionalExtensionality\.functional_extensionality_dep|Classical_Prop\.classic|(PrimInt63|Uint63|Sint63|Int63)\.[A-Za-z0-9_]+'

# The theorems, as File.name: those that are recorded in the order of the list, then those that are not.
touch "$here/AXIOMS.txt"
for file in "$here"/theories/*/*.v; do
  name=$(basename "$file" .v)
  sed -n "s|^Theorem \([A-Za-z0-9_']*\).*|$name.\1|p" "$file"
done > "$work/present"
cd "$work"
cut -d: -f1 "$here/AXIOMS.txt" > recorded_theorems
awk 'FILENAME == "present" { there[$0] = 1; next } { recorded[$0] = 1 } $0 in there
     END { while ((getline name < "present") > 0) if (!(name in recorded)) print name }' present recorded_theorems > theorems
if [ "$mode" != --record ] && ! diff -u recorded_theorems theorems >&2; then
  echo "AXIOMS.txt does not list the theorems of theories/: run check_axioms.sh DIRECTORY --record" >&2
  exit 1
fi
# Recorded theorems with equal lists form one group; a theorem that is not recorded is a group of its own.
awk -F': ' 'FILENAME == ARGV[1] { axioms[$1] = $2; next }
            { key = ($1 in axioms) ? axioms[$1] : "new " $1; group[key] = group[key] " " $1 }
            END { for (key in group) print substr(group[key], 2) }' "$here/AXIOMS.txt" theorems > groups

{
  sed 's|\..*||' theorems | sort -u | sed 's|^|From Attest Require |; s|$|.|'
  # A term that mentions them. (The type of a tuple holds all their statements, that of each part of it again.)
  awk '{ term = "tt"; for (i = 1; i <= NF; i++) term = "let _ := @" $i " in " term
         print "Definition group" NR " := " term "."; print "Print Assumptions group" NR "." }' groups
} > assumptions.v
if ! coqtop -q -Q "$build/theories" Attest -batch -l assumptions.v > raw 2> errors; then
  cat errors raw >&2
  exit 1
fi

# One block per group: "Closed under the global context", or "Axioms:" followed by "name : type" lines (a type may
# continue on indented lines).
awk '
  /^Closed under the global context/ { block++; next }
  /^Axioms:/ { block++; next }
  /^[A-Za-z]/ { split($0, part, /[ :]/); names[block] = names[block] " " part[1] }
  END { for (i = 1; i <= block; i++) print names[i] }
' raw > blocks
if [ "$(wc -l < blocks)" -ne "$(wc -l < groups)" ]; then
  echo "could not read the assumptions of every theorem" >&2
  exit 1
fi
while read -r line; do
  sorted=$(echo "$line" | tr ' ' '\n' | sed '/^$/d' | sort -u | tr '\n' ' ' | sed 's/ $//')
  echo "${sorted:-none}"
done < blocks > sorted_blocks
# One line per theorem again, in the order of the list.
paste -d: groups sorted_blocks | awk -F: '{ n = split($1, names, " "); for (i = 1; i <= n; i++) print names[i] ": " $2 }' > pairs
awk -F': ' 'FILENAME == ARGV[1] { axioms[$1] = $2; next } { print $1 ": " axioms[$1] }' pairs theorems > found

bad=$(cut -d: -f2- found | tr ' ' '\n' | sed '/^$/d; /^none$/d' | sort -u | grep -vxE "$allowed" || true)
if [ -n "$bad" ]; then
  echo "assumptions that are not allowed:" >&2
  echo "$bad" >&2
  exit 1
fi

if [ "$mode" = --record ]; then
  cp found "$here/AXIOMS.txt"
  echo "recorded $(wc -l < found) theorems"
elif diff -u "$here/AXIOMS.txt" found >&2; then
  echo "$(wc -l < found) theorems rest on the recorded assumptions"
else
  echo "the assumptions differ from AXIOMS.txt" >&2
  exit 1
fi
