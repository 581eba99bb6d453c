#!/usr/bin/env python3
"""reproduce_conflicts.py INSTANCE.npz AUDIT.json: asks SciPy's HiGHS about every conflict of `attest audit --json`.

For each conflict the linear program <Delta_c, W> >= 1 over its rows is solved; with --rest also the one over all
rows of the sequences that the audit keeps. HiGHS works in doubles, so it agrees or is unsure; the certificate is the
proof.
Needs python3-numpy and python3-scipy.
"""
import argparse
import json

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix


def queries(data, X, n):
    if "K" in data:
        return np.ones((n, 1))
    if "z" in data:
        return data["z"].astype(float)
    query = data["query"] if "query" in data else np.array(0)
    if query.dtype.kind in "US":
        return np.array([x[-1] for x in X])
    return np.array([x[int(query)] for x in X])


def separable(features, z, selection, rows):
    """Is there a W with <(x_selected - x_t) z', W> >= 1 for all (group, t) in rows? None: HiGHS does not know."""
    scaled = []
    for group, token in rows:
        delta = np.outer(features[group][selection[group]] - features[group][token], z[group]).ravel()
        length = np.linalg.norm(delta)
        if length == 0:
            return False
        scaled.append(delta / length)
    # the rows' lengths do not matter for whether some W separates: W may be long
    answer = linprog(np.zeros(len(scaled[0])), A_ub=csr_matrix(-np.array(scaled)), b_ub=-np.ones(len(rows)),
                     bounds=(None, None), method="highs")
    return {0: True, 2: False}.get(answer.status)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("instance")
    parser.add_argument("audit")
    parser.add_argument("--rest", action="store_true", help="also solve for the sequences that stay")
    asked = parser.parse_args()
    data = np.load(asked.instance)
    with open(asked.audit, encoding="utf-8") as file:
        found = next(entry for entry in json.load(file)["instances"] if entry["path"] == asked.instance)
    X = [x.astype(float) for x in data["X"]]
    features = [k.astype(float) for k in data["K"]] if "K" in data else X
    z = queries(data, X, len(X))
    counts = {True: 0, False: 0, None: 0}
    for conflict in found["conflicts"]:
        counts[separable(features, z, found["selection"], conflict["rows"])] += 1
    print(f"conflicts: {counts[False]} confirmed, {counts[None]} unsure, {counts[True]} contradicted")
    wrong = counts[True] > 0
    if asked.rest and found["drop"]["at_most"] is not None:
        left_out = set(found["drop"]["groups"])
        repeated = set()
        for group, tokens in found["equal_tokens"]:
            repeated |= {(group, t) for t in tokens if found["selection"][group] in tokens or t != min(tokens)}
        rows = [(i, t) for i, x in enumerate(X) for t in range(len(x))
                if i not in left_out and t != found["selection"][i] and (i, t) not in repeated]
        verdict = separable(features, z, found["selection"], rows)
        print(f"the rest ({len(rows)} rows): {({True: 'separable', False: 'infeasible', None: 'unsure'})[verdict]}")
        wrong = wrong or verdict is False
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
