#!/bin/sh
# bundle.sh [BUILD] [ARCHIVE]: what a machine without network needs, as one .tar.gz: the programs, the Python package
# and the libraries that both load, but the C library's own. BUILD: build/release; ARCHIVE: attest.tar.gz.
set -eu
build=${1:-build/release} archive=${2:-attest.tar.gz}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bundle=$scratch/attest
mkdir -p "$bundle/bin" "$bundle/lib"
for program in attest attest-check attest-check-verified; do
  [ ! -x "$build/bin/$program" ] || cp "$build/bin/$program" "$bundle/bin/"
done
[ -x "$bundle/bin/attest" ] && [ -x "$bundle/bin/attest-check" ] || { echo "no programs in $build/bin" >&2; exit 1; }
if [ -d "$build/python/attest" ]; then
  cp -RL "$build/python" "$bundle/python"
  find "$bundle/python" -name __pycache__ -prune -exec rm -rf {} +
fi
for file in "$bundle"/bin/* "$bundle"/python/attest/_attest*.so; do
  [ ! -e "$file" ] || ldd "$file"
done | awk '$2 == "=>" { print $3 }' | sort -u |
  grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$bundle/lib/"
cat > "$bundle/activate" <<'END'
# . PATH/attest/activate: the programs and the Python package, in this shell.
ATTEST_HOME=$(cd "$(dirname "${BASH_SOURCE:-$0}")" && pwd)
export PATH="$ATTEST_HOME/bin:$PATH"
export LD_LIBRARY_PATH="$ATTEST_HOME/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$ATTEST_HOME/python${PYTHONPATH:+:$PYTHONPATH}"
END
tar -C "$scratch" -czf "$archive" attest
echo "$archive: $(du -h "$archive" | cut -f1), $(ls "$bundle/lib" | wc -l) libraries"
