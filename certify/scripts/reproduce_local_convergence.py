#!/usr/bin/env python3
"""reproduce_local_convergence.py BIN [SEEDS [STEPS [LIMIT]]]: paper B's local-convergence experiment, with certified verdicts.

For each seed: n = 6 sequences of T = 8 tokens in dimension 10 (X, z, v unit-normalised Gaussians in binary64, labels at
random), normalised gradient descent with step 1/10 from W = 0. Printed per seed: the certified selection at step STEPS (2000),
its local or global optimality, the certified 1 - correlation with its max-margin direction, the widest band of 1 - correlation at a
checkpoint, the correct bits, and the first step t0 <= LIMIT
(20000) from which a theorem proves it for ever. No seed is dropped. Needs python3-numpy; BIN is build/release/bin.
"""
import statistics
import sys
from fractions import Fraction

from experiment import Attest, gaussian

SEEDS, STEPS, LIMIT = (int(a) for a in (sys.argv[2:] + ["100", "2000", "20000"][len(sys.argv) - 2:]))


def width(enclosure):
    """hi - lo of two plain decimals, from their exact digits."""
    return float(Fraction(enclosure["hi"]) - Fraction(enclosure["lo"]))


def main():
    attest = Attest(sys.argv[1])
    kinds, first, widest, least_bits = {"global": 0, "local": 0, "neither": 0, "undecided": 0}, [], 0.0, None
    print(f"{'seed':>4}  {'selection':<13} {'optimality':<10} {'1 - corr':<12} {'band':<8} {'bits':>4} {'t0':>6}  theorem")
    for seed in range(SEEDS):
        attest.load(gaussian(seed, n=6, tokens=8, d=10))
        reached = attest.normalised_descent(STEPS)
        selection = reached["selection"]
        kind, corr, band = attest.optimality(selection), "-", "-"
        seen = [c["one_minus_corr"] for c in reached["checkpoints"] if c["one_minus_corr"]]
        if seen:
            corr, band = f"{float(seen[-1]['lo']):.6g}", f"{max(map(width, seen)):.0e}"
            widest = max([widest, *map(width, seen)])
        bits = reached["correct_bits"]
        least_bits = bits if least_bits is None else min(bits, least_bits)
        proof = attest.normalised_descent(LIMIT, "--until-forever")["forever"]
        kinds[kind] += 1
        if proof["verdict"] == "holds":
            first.append(proof["t0"])
        print(f"{seed:>4}  {' '.join('?' if t is None else str(t) for t in selection):<13} {kind:<10} {corr:<12} {band:<8} "
              f"{bits:>4} {proof['t0'] if proof['verdict'] == 'holds' else '-':>6}  {proof.get('theorem') or proof['verdict']}", flush=True)
    print(f"\nwidest band of 1 - corr: {widest:.0e}; at least {least_bits} correct bits")
    print(f"limits at step {STEPS}: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    print(f"proved for ever by step {LIMIT}: {len(first)} of {SEEDS}" +
          (f"; t0 from {min(first)} to {max(first)}, median {statistics.median(first):.0f}" if first else ""))


main()
