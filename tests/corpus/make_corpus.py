#!/usr/bin/env python3
"""Writes the corpus: correct/, incorrect/ and malformed/ (instances, certificates and .case files).

    make_corpus.py PATH_OF_write_case

The files are committed; this script documents where they come from and rebuilds them. Certificates start from those
of the independent producer (tests/oracle) and are then falsified or damaged one edit at a time. A few cases are written
by hand and stay as they are: infeasible-spanning-*, margin-at-most-*, rank-modulus-divides-denominator.
"""
import gzip
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import damaged_certificates
import damaged_instances
import damaged_tensors
import cross_entropy_claims
import equal_token_claims
import false_claims
import factored_claims
import finite_part_claims
import joint_forever_claims
import joint_path_claims
import next_token_claims
import mirror_claims
import mirror_forever_claims
import norm_claims
import norm_face_claims
import norm_solution_claims
import norm_path_claims
import offset_claims
import output_head_claims
import output_later_claims
import path_claims
import query_claims
import rows_claims
import run_claims
import run_finite_part_claims
import separability_claims
import training_claims

HERE = pathlib.Path(__file__).resolve().parent


class Corpus:
    """The three folders, and the untouched instances and certificates they start from."""

    def __init__(self, write_case):
        self.write_case = write_case
        self.scratch = pathlib.Path(tempfile.mkdtemp())
        self.written = {}

    def base(self, family, form="exact", loss="logistic"):
        """(instance text, certificate text) of a family."""
        subprocess.run([self.write_case, family, form, loss, self.scratch], check=True)
        return ((self.scratch / f"{family}.json").read_text(),
                (self.scratch / f"{family}-{form}.attest").read_text())

    def case(self, folder, name, instance, certificate, codes, instance_name=None, certificate_suffix=".attest",
             message=""):
        """Writes one case. Texts are encoded as ASCII; bytes are written as they are. Instances are shared by name."""
        instance_name = instance_name or f"{name}.json"
        for file, content in ((instance_name, instance), (name + certificate_suffix, certificate)):
            data = content if isinstance(content, bytes) else content.encode()
            path = HERE / folder / file
            if self.written.setdefault(path, data) != data:
                raise SystemExit(f"{path} would be overwritten with something else")
            path.write_bytes(data)
        (HERE / folder / f"{name}.case").write_text(
            f"instance {instance_name}\ncertificate {name}{certificate_suffix}\nexit {codes}\n"
            + (f"message {message}\n" if message else ""))


def recount(text):
    """The certificate with the totals of its end line made right again."""
    lines = text.rstrip("\n").split("\n")
    problems = sum(line.startswith("problem ") for line in lines)
    claims = sum(line.startswith("claim ") for line in lines)
    lines[-1] = f"end problems {problems} claims {claims} lines {len(lines)}"
    return "\n".join(lines) + "\n"


def edit(text, pattern, replacement, count=1):
    """Replaces the first matches of a regular expression; it is an error when nothing changes."""
    changed, hits = re.subn(pattern, replacement, text, count=count, flags=re.M)
    if hits == 0 or changed == text:
        raise SystemExit(f"edit without effect: {pattern}")
    return recount(changed)


def correct(corpus):
    families = ["standard-c", "one-group-s", "ragged-p", "ragged-c", "narrow-c", "gaussian10-s", "any-choice11-c",
                "query-last-s", "query-second-s", "query-before-last-s", "given-scores-p",
                "given-scores-c", "given-scores-s", "duplicate-support-p", "duplicate-selected-c", "repeated80-p",
                "repeated81-s",
                "counted80-c", "counted81-p", "all-equal-group-c", "all-equal-s",
                "identical-samples-c", "query-zero-c", "query-negated-p", "query-minute-c", "one-hot-c",
                "collinear-tight", "slack-52", "near-infeasible60", "near-infeasible200", "huge-integers",
                "zero-multiplier", "dependent-positive", "rank-deficient", "spread60-s", "near-tie-c", "tie-c",
                "tie-other-p", "integers53-p", "integers51-s", "rational70-c", "single-tokens-p"]
    for family in families:
        for form in ("exact", "gap", "lambda-min"):
            instance, certificate = corpus.base(family, form, "exponential" if form == "gap" else "logistic")
            if form == "exact" and len(certificate) > 40000:
                continue
            vacuous = family.startswith(("single-tokens", "all-equal-s"))
            corpus.case("correct", f"{family}-{form}", instance, certificate, 3 if vacuous else 0, f"{family}.json")
    instance, certificate = corpus.base("ragged-c")
    packed = gzip.compress(certificate.encode(), mtime=0)
    corpus.case("correct", "gzip", instance, packed, 0, "ragged-c.json", ".attest.gz")
    corpus.case("correct", "gzip-without-suffix", instance, packed, 0, "ragged-c.json")


def main():
    corpus = Corpus(sys.argv[1])
    correct(corpus)
    false_claims.write(corpus, edit, recount)
    damaged_certificates.write(corpus, edit)
    damaged_instances.write(corpus)
    damaged_tensors.write(corpus)
    run_claims.write(corpus, edit, recount)
    path_claims.write(corpus, edit, recount)
    path_claims.write_residuals(corpus, edit, recount)
    separability_claims.write(corpus, recount)
    norm_claims.write(corpus, recount)
    norm_face_claims.write(corpus, recount)
    norm_solution_claims.write(corpus, recount)
    norm_path_claims.write(corpus, recount)
    mirror_claims.write(corpus, recount)
    mirror_forever_claims.write(corpus, recount)
    factored_claims.write(corpus, recount)
    equal_token_claims.write(corpus, edit, recount)
    offset_claims.write(corpus, recount)
    next_token_claims.write(corpus, edit)
    training_claims.write(corpus)
    cross_entropy_claims.write(corpus, edit, recount)
    output_head_claims.write(corpus, edit, recount)
    output_later_claims.write(corpus, edit, recount)
    query_claims.write(corpus, recount)
    rows_claims.write(corpus, recount)
    joint_path_claims.write(corpus, recount)
    joint_forever_claims.write(corpus, recount)
    finite_part_claims.write(corpus, recount)
    run_finite_part_claims.write(corpus, recount)
    shutil.rmtree(corpus.scratch)


if __name__ == "__main__":
    main()
