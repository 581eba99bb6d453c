#!/usr/bin/env python3
"""compare_checkers.py CHECKER VERIFIED CORPUS STEP: the two checkers must agree on every STEP-th case of the corpus:
the same exit code, the same lines, also with --json, and the same reason for a rejection or a mismatch."""
import pathlib
import re
import subprocess
import sys
import tempfile

# The sizes of the smoothness sum and of a path's constant depend on how they were rounded, and so do the numbers of a
# finite part.
ROUNDED = re.compile(rb"smoothness sum|theorem against (rate-constant|that of residual)|"
                     rb"against (decay|decoder-rate|slope)")
FINITE_PART = re.compile(rb"\(finite-part\).*(squared residuals|dual value)")
# A claim about a run, its points, its path or later steps is refused without a reason.
WITHOUT_REASON = re.compile(b"|".join([
    rb"claim [0-9]* \((run|run-finite-part|path-inequality|forever-from-point|forever-from-run|factored-forever|"
    rb"regularisation-path)\), line [0-9]*: the check failed$",
    rb"claim [0-9]* \((mirror-run|token-ray|token-run|factored-run|joint-run)\), line [0-9]*: "
    rb"a (number is not proved to be in its band|correlation with a solution)",
    rb"claim [0-9]* \(mirror-forever\), line [0-9]*: "
    rb"(a slope is not positive|T17's conditions, or what they imply, are not proved)$",
    rb"claim [0-9]* \(joint-forever\), line [0-9]*: a condition of T20 or a number of what follows is not proved$",
    rb"claim [0-9]* \(token-forever\), line [0-9]*: a condition of T23 or a number of what follows is not proved$",
    rb"claim [0-9]* \(token-shift\), line [0-9]*: a token is not known to have less attention$",
    rb"\(factored-run\), line [0-9]*: claim [0-9]* is not about the nuclear norm of its problem$"]), re.MULTILINE)


def without_numbers(line):
    if ROUNDED.search(line):
        line = re.sub(rb" \([0-9]* over [0-9]* bits\)", b"", line, count=1)
    if FINITE_PART.search(line):
        line = re.sub(rb": [^:]* is false$", b"", line, count=1)
    return line


def same_reason(mine, theirs):
    mine = list(map(without_numbers, mine.split(b"\n")))
    renamed = re.sub(rb"^attest-check-verified: ", b"attest-check: ", theirs, flags=re.MULTILINE)
    return mine == list(map(without_numbers, renamed.split(b"\n"))) or WITHOUT_REASON.search(theirs) is not None


class Comparison:
    def __init__(self, checker, verified, folder):
        self.checker, self.verified, self.folder = checker, verified, pathlib.Path(folder)
        self.same = self.beyond = self.failures = 0
        self.printed = []  # certificates, and what they were printed back as

    def run(self, program, *arguments):
        try:
            return subprocess.run([program, *arguments], capture_output=True, timeout=120, check=False)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(late.cmd, "of no end in two minutes", b"", b"")

    def both(self, *arguments):
        return self.run(self.checker, *arguments), self.run(self.verified, *arguments)

    def report(self, what, mine, theirs, why):
        self.failures += 1
        print(f"{what}: attest-check exit {mine.returncode}, attest-check-verified exit {theirs.returncode}: {why}")
        print(theirs.stderr[:300].decode(errors="replace"), end="")

    def case(self, case):
        instance, certificate = (case.parent / line.split(" ", 1)[1] for line in case.read_text().splitlines()[:2])
        mine, theirs = self.both(instance, certificate)
        # Beyond the verified checker: no verdict of its own, whatever attest-check's is.
        if theirs.returncode == 5 and b"not verified yet" in theirs.stderr:
            if theirs.stdout:
                self.report(case, mine, theirs, "lines without a verdict")
            self.beyond += 1
        elif mine.returncode != theirs.returncode:
            self.report(case, mine, theirs, "different exit codes")
        elif mine.stdout != theirs.stdout:
            self.report(case, mine, theirs, "different lines")
        elif mine.returncode not in (0, 2, 3) and not same_reason(mine.stderr, theirs.stderr):
            self.report(case, mine, theirs, "different reasons")
        else:
            self.same += 1
            if mine.returncode in (0, 3):
                self.accepted(case, instance, certificate)

    def accepted(self, case, instance, certificate):
        """What was parsed, printed back, is the certificate that was given."""
        back = self.folder / f"{self.same}.attest"
        printed = self.run(self.verified, "--print-parsed", instance, certificate)
        back.write_bytes(printed.stdout)
        again = self.run(self.verified, "--print-parsed", instance, back)
        if again.stdout != printed.stdout:
            self.report(case, printed, again, "not printed in canonical form")
        self.printed += [certificate, back]
        mine, theirs = self.both("--json", instance, certificate)
        if mine.stdout != theirs.stdout:
            self.report(case, mine, theirs, "different JSON")

    def compare_printed(self):
        """The same words and numbers in the same places: a reader that swaps two of them is found here or above."""
        program = pathlib.Path(__file__).with_name("same_certificate.py")
        differences = self.run(sys.executable, program, *self.printed)
        if differences.returncode != 0:
            self.failures += 1
            print("Certificates are printed back differently:", differences.stdout.decode(errors="replace"))

    def options(self, corpus):
        case = (corpus / "correct" / "collinear-tight-exact.case").read_text().splitlines()
        files = [corpus / "correct" / line.split(" ", 1)[1] for line in case[:2]]
        for options in ("--require optimal", "--require optimal --require infeasible", "--require optimum",
                        "--requires", "--require"):
            mine, theirs = self.both(*options.split(), *files)
            if mine.returncode != theirs.returncode or mine.stdout != theirs.stdout:
                self.report(options, mine, theirs, "different answers")


def main():
    checker, verified, corpus, step = *sys.argv[1:3], pathlib.Path(sys.argv[3]), int(sys.argv[4])
    cases = [case for kind in ("correct", "incorrect", "malformed") for case in sorted((corpus / kind).glob("*.case"))]
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(checker, verified, folder)
        for case in cases[step - 1::step]:
            comparison.case(case)
        comparison.compare_printed()
        comparison.options(corpus)
    print(f"{comparison.same} agree, {comparison.beyond} beyond the verified checker, "
          f"{comparison.failures} disagreements")
    sys.exit(comparison.failures > 0 or comparison.same <= 50)


if __name__ == "__main__":
    main()
