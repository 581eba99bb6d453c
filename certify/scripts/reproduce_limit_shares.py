#!/usr/bin/env python3
"""reproduce_limit_shares.py BIN [SEEDS [STEPS [LIMIT]]]: paper B's shares of not-local, local and global limits by dimension.

n = 5 sequences of T = 5 tokens (X, z, v unit-normalised Gaussians in binary64, labels at random), dimension d in {2, 3, 4, 5,
10, 20, 40}, SEEDS (100) instances each, normalised gradient descent with step 1/10 from W = 0. Counted per dimension, each
verdict certified, no seed dropped:

  at step STEPS (2000)   optimality of the tokens that dominate: global, local only, neither, undecided
  for ever               proved global or local limit by step LIMIT (20000); else `unproved`: neither a proof nor a refutation
  B1                     all 20 constraints of the optimal selection are tight at its max-margin solution

Then every seed without a proof, with what is known of it. Needs python3-numpy; BIN is build/release/bin.
"""
import sys
import time

from experiment import Attest, gaussian

SEEDS, STEPS, LIMIT = (int(a) for a in (sys.argv[2:] + ["100", "2000", "20000"][len(sys.argv) - 2:]))
GROUPS, TOKENS = 5, 5


def all_tight(attest):
    """B1 of the instance: True, False or None (undecided)."""
    facts = attest.json("certify")
    if facts["verdict"] == "infeasible":
        return False
    if facts["verdict"] != "feasible" or facts["support"] is None:
        return None
    return len(facts["support"]) == GROUPS * (TOKENS - 1)


def share(count):
    return f"{100 * count / SEEDS:.0f} %"


def main():
    attest = Attest(sys.argv[1])
    unproved = []
    columns = ["global", "local", "neither", "undecided", "proved global", "proved local", "unproved", "B1", "B1 undecided"]
    print(f"{'d':>3} | " + " | ".join(columns) + " | seconds")
    for d in (2, 3, 4, 5, 10, 20, 40):
        counts = dict.fromkeys(columns, 0)
        began = time.monotonic()
        for seed in range(SEEDS):
            attest.load(gaussian(seed, GROUPS, TOKENS, d))
            run = attest.normalised_descent(STEPS)
            kind = attest.optimality(run["selection"])
            counts[kind] += 1
            if run["forever"]["verdict"] != "holds":
                run = attest.normalised_descent(LIMIT, "--until-forever")
                kind = attest.optimality(run["selection"])
            if run["forever"]["verdict"] == "holds" and kind in ("global", "local"):
                counts["proved " + kind] += 1
            else:
                counts["unproved"] += 1
                unproved.append(f"d {d}, seed {seed}: {kind} at step {run['steps']}; {run['forever'].get('reason', '')}"
                                f"{'; ' + run['reason'] if 'reason' in run else ''}")
            tight = all_tight(attest)
            counts["B1"] += tight is True
            counts["B1 undecided"] += tight is None
        print(f"{d:>3} | " + " | ".join(share(counts[c]) for c in columns) + f" | {time.monotonic() - began:.0f}", flush=True)
    print("\nwithout a proof for all later steps:")
    for line in unproved:
        print(line)


main()
