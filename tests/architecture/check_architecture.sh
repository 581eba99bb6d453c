#!/bin/sh
# check_architecture.sh SOURCE_ROOT CHECKER: the rules that keep the checker independent and small.
root=$1
checker=$2
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
cd "$root" || exit 1

# Source text without comments and string literals, so that prose does not count.
code() {
  sed -e 's/"\([^"\\]\|\\.\)*"/""/g' -e 's://.*$::' "$@"
}

# numerics and proofs never include each other; neither includes certify; nothing outside tests includes tests.
includes() {
  grep -rnE "^ *# *include *[\"<]($2)/" "$1" --include='*.cpp' --include='*.hpp' --include='*.inc'
}
includes numerics 'proofs|certify|tests' && fail 'numerics includes another part'
includes proofs 'numerics|certify|tests' && fail 'proofs includes another part'
includes certify 'tests' && fail 'certify includes tests'
includes tests/oracle 'numerics|proofs|certify' && fail 'the reference shares code with what it judges'

# Inside a part a folder includes itself and those that stand before it here, so no two folders need each other.
one_way() {
  part=$1
  shift
  later=''
  for folder in $(printf '%s\n' "$@" | tac); do
    [ -d "$part/$folder" ] || fail "no folder $part/$folder"
    [ -n "$later" ] && includes "$part/$folder" "$part/(${later#|})" && fail "$part/$folder includes what builds on it"
    later="$later|$folder"
  done
  for folder in "$part"/*/; do
    name=$(basename "$folder")
    ls "$folder"*.hpp "$folder"*.cpp >/dev/null 2>&1 || continue
    case " $* " in *" $name "*) ;; *) fail "$folder is in no order of folders" ;; esac
  done
}
one_way numerics numbers problem margin norms runs forever updates next_token mirror factored joint
one_way proofs/checker base instance problem text runs forever claims
one_way proofs/checker/claims margin descent paths norms replays mirror joint factored tokens
one_way certify process numbers instance certificates pictures catalogue coq audits reports python commands manual

# The checker's headers: its own, the standard library's, GMP's and zlib's.
grep -rhoE '^ *# *include *<[^>]+>' proofs/checker | grep -oE '<[^>]+>' | sort -u >"${TMPDIR:-/tmp}/headers.$$"
while read -r header; do
  case $header in
    '<gmp.h>' | '<gmpxx.h>' | '<zlib.h>') ;;
    '<sys/'* | '<unistd.h>' | '<fcntl.h>' | '<sched.h>') ;;
    *[./]*) fail "the checker includes $header" ;;
  esac
done <"${TMPDIR:-/tmp}/headers.$$"
rm -f "${TMPDIR:-/tmp}/headers.$$"

# No floating point in the checker: no type, no literal, no floating-point function of GMP or C.
floating='float|double|long double|_Float[0-9]+|mpf_[a-z_]+|mpf_class|sqrtl|sqrtf|pow|frexp|ldexp|get_d|mpz_get_d|mpq_get_d|strtod|stod|stof'
literal='[^A-Za-z0-9_.][0-9]+\.[0-9]|[^A-Za-z0-9_.x][0-9]+[eE][-+]?[0-9]+[^0-9a-zA-Z]'
sources=$(find proofs/checker -name '*.cpp' -o -name '*.hpp')
# Of all files at once; where something is found, of each, to name it.
# shellcheck disable=SC2086
if code $sources | grep -qwE "$floating" || code $sources | grep -qE "$literal"; then
  for file in $sources; do
    code "$file" | grep -nwE "$floating" && fail "floating point in $file"
    code "$file" | grep -nE "$literal" && fail "a floating-point literal in $file"
  done
  fail 'floating point in the checker'
fi

# Shared libraries of the checker's program.
libraries=$(readelf -d "$checker" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -n "$libraries" ] || fail "no dynamic section in $checker"
for library in $libraries; do
  case $library in
    libgmp.so* | libgmpxx.so* | libz.so* | libstdc++.so* | libgcc_s.so* | libc.so* | libm.so* | ld-linux*) ;;
    libasan.so* | libubsan.so*) ;;  # the sanitizer build
    *) fail "the checker links $library" ;;
  esac
done

# Sizes, in lines of code without comments: the readers of instance files; the kernel (arithmetic, the problem, and the
# claims about it); the registry, two lines a claim kind; what reads the certificate, hashes the instance and prints;
# the words of claims, read and said; and what belongs to sentences.
# The checker is meant to be read in full: these bounds are there to be lowered, towards 1,000 for the readers and
# 1,500 for the kernel, not raised (the readers once for archives that have one reading only and a limit of memory,
# once for safetensors, given scores and counts, once for numbers in eight bytes, read where they lie, once for
# selections of several tokens, once for JSON that comes in pieces and numbers in temporary files; the kernel when it
# took in the losses and the declarations of each claim's evidence, for rows that tokens share, for rows with senses,
# for what claim kinds about joint training, mirror descent and factors ask, and when a factorisation went on several
# threads; the program when several processes check together, and for --threads; the keys of sentences, of heads of
# several outputs and of a query at every token left the readers for files of their own). What is in none of the groups
# belongs to a later claim kind, head or setting and stays short, file by file.
readers='base/cursor base/numbers instance/array instance/compressed instance/instance instance/json instance/literal
         instance/named_arrays instance/npy instance/safetensors instance/zip'
kernel='base/exact base/failure base/matrix_rank base/scaled_matrix base/smallest_eigenvalue problem/loss
        problem/problem problem/smoothness problem/vectors text/claim text/context claims/margin/enclosure
        claims/margin/rank claims/margin/selection claims/descent/smoothness claims/margin/solution
        claims/margin/support'
registry='claims/registry'
program='base/sha256 checker command_line instance/canonical main text/certificate'
words='text/reader text/statement'
sentences='instance/sentences text/setting'
count_lines() {
  total=0
  for name in "$@"; do
    for file in proofs/checker/"$name".cpp proofs/checker/"$name".hpp; do
      [ -f "$file" ] && total=$((total + $(code "$file" | grep -cE '[^[:space:]]')))
    done
  done
  echo "$total"
}
at_most() {
  group=$1
  limit=$2
  shift 2
  lines=$(count_lines "$@")
  echo "checker: $group $lines lines"
  [ "$lines" -gt 50 ] && [ "$lines" -le "$limit" ] || fail "the $group has $lines lines"
}
at_most readers 1522 $readers
at_most bytes 287 base/bytes base/spool
at_most kernel 1830 $kernel
at_most registry 97 $registry
at_most program 767 $program
at_most words 188 $words
at_most sentences 181 $sentences
for file in $(find proofs/checker -name '*.cpp'); do
  name=${file#proofs/checker/}
  name=${name%.cpp}
  case " $(echo base/bytes base/spool $readers $kernel $registry $program $words $sentences) " in *" $name "*) continue ;; esac
  [ "$(count_lines "$name")" -le 320 ] || fail "$file and its header have $(count_lines "$name") lines"
done

# Every header, and every source without a header of its own, opens with a comment that says what it is for.
for file in $(find numerics proofs/checker certify tests -name '*.cpp' -o -name '*.hpp' | grep -v '/build/'); do
  [ -f "${file%.cpp}.hpp" ] && [ "$file" != "${file%.cpp}.hpp" ] && continue
  read -r first <"$file"
  case $first in //*) ;; *) fail "$file does not open with a comment" ;; esac
done

[ "$failures" -eq 0 ] || exit 1
