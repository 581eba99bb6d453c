#!/usr/bin/env python3
"""cross_entropy_mutations.py CHECKER CHECK_MANY CORPUS VERIFIED MANY_VERIFIED: changes every number of the claims about
all later steps and about paths of minimisers in the corpus's certificates of cross-entropy, one at a time. The
verified checker accepts no change that attest-check refuses; what that one accepts is judged by mutation_tests."""
import pathlib
import sys
import tempfile
from collections import Counter

from checked import checkers
from norm_mutations import changes

KINDS = (" forever-from-", " regularisation-path ", " path-residual ", " norm-path ", " factored-forever ")


def main():
    corpus = pathlib.Path(sys.argv[3]) / "correct"
    seen = Counter()
    with checkers(sys.argv) as (checker, verified), tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "changed.attest"
        for original in sorted(corpus.glob("cross-entropy*.attest")):
            lines = original.read_text().split("\n")
            first = next((k for k, line in enumerate(lines) if any(kind in line for kind in KINDS)), None)
            if first is None:
                continue
            instance = corpus / original.with_suffix(".case").read_text().split()[1]
            for what, changed in changes(original.read_text()):
                if changed.split("\n")[:first] != lines[:first]:
                    continue
                path.write_text(changed)
                code, other = checker.status(instance, path), verified.status(instance, path)
                seen[code, other] += 1
                if other == 0 != code:
                    sys.exit(f"{original.name}, {what}: exit {code}, of the verified checker {other}")
    rejected, accepted, stricter = seen[1, 1], seen[0, 0], seen[0, 1]
    print(f"{rejected} changes rejected as false by both, {accepted} accepted by both, {stricter} by attest-check only")
    if rejected < 300 or accepted < 300 or stricter > 5:
        sys.exit("too few changes of either kind, or too many refused by the verified checker alone")


if __name__ == "__main__":
    main()
