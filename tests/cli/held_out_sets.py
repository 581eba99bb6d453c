#!/usr/bin/env python3
"""held_out_sets.py ATTEST CHECKER: random instances with selected sets, and with tokens that stand several times,
against SciPy's non-negative least squares and plain loops of NumPy, to 1e-6. Every certificate is checked again. Ends
with status 77 where NumPy or SciPy is not there."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy.optimize import nnls
except ImportError:
    sys.exit(77)

ATTEST, CHECKER = sys.argv[1:3]
TOLERANCE = 1e-6


def least_norm(above, equal):
    """||w|| of the shortest w with above w >= 1 and equal w = 0 (Lawson and Hanson's LDP); None: there is none."""
    basis = np.linalg.svd(equal)[2][np.linalg.matrix_rank(equal):].T if len(equal) else np.eye(above.shape[1])
    rows = above @ basis
    target = np.zeros(rows.shape[1] + 1)
    target[-1] = 1
    system = np.vstack([rows.T, np.ones(len(rows))])
    weights, distance = nnls(system, target, maxiter=10000)
    if distance < 1e-7:
        return None
    rest = system @ weights - target
    return np.linalg.norm(rest[:-1] / rest[-1])


def differences(data, sets):
    """Rows >= 1 and rows = 0, equal tokens left out."""
    above, equal = [], []
    for X, z, chosen in zip(data["X"], data["z"], sets):
        for t, x in enumerate(X):
            if x in X[:t] or t == chosen[0]:
                continue
            (equal if t in chosen else above).append(np.outer(np.subtract(X[chosen[0]], x), z).ravel())
    width = len(data["X"][0][0]) * len(data["z"][0])
    return np.reshape(above, (-1, width)), np.reshape(equal, (-1, width))


def close(enclosure, value):
    middle = (float(enclosure["lo"]) + float(enclosure["hi"])) / 2
    assert abs(middle - value) <= TOLERANCE * max(1, abs(value)), (enclosure, value)


class Folder:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def answer(self, command, data, *options, **files):
        """The JSON answer; its certificate is checked again."""
        for name, value in {"data": data, **files}.items():
            (self.path / f"{name}.json").write_text(json.dumps(value))
        given = [str(word) for name in files for word in (f"--{name.replace('_', '-')}", self.path / f"{name}.json")]
        certificate = self.path / "certificate"
        certificate.unlink(missing_ok=True)
        words = [command, str(self.path / "data.json"), "--json", "-o", str(certificate), *options, *given]
        done = subprocess.run([ATTEST, *words], capture_output=True, text=True, check=False)
        found = json.loads(done.stdout)
        assert done.returncode in (0, 1), (done.returncode, done.stderr)
        checked = subprocess.run([CHECKER, str(self.path / "data.json"), str(certificate)], capture_output=True,
                                 text=True, check=False)
        assert checked.returncode == 0, checked.stderr
        return found, checked.stdout


def gaussian(source, n, T, d):
    return {"X": source.normal(size=(n, T, d)).round(6).tolist(), "z": source.normal(size=(n, d)).round(6).tolist(),
            "Y": source.choice([-1, 1], size=n).tolist(), "v": source.normal(size=d).round(6).tolist()}


def selected_sets(folder, source):
    seen = {"feasible": 0, "infeasible": 0, "holds": 0, "fails": 0}
    for case in range(24):
        n, T, d = source.integers(2, 6), source.integers(3, 7), source.integers(2, 6)
        data = gaussian(source, n, T, d)
        sets = [sorted(source.choice(T, size=source.integers(1, 4 if case % 2 else 3), replace=False).tolist())
                for _ in range(n)]
        sets = [one if len(one) < T else one[:1] for one in sets]
        shares = [[int(share) for share in source.integers(1, 50, size=len(one))] for one in sets]
        above, equal = differences(data, sets)
        norm = least_norm(above, equal)
        found, lines = folder.answer("certify", data, selected_sets=sets, ratios=shares)
        assert found["verdict"] == ("infeasible" if norm is None else "feasible"), (case, found["verdict"], norm)
        seen[found["verdict"]] += 1
        if norm is not None:
            close(found["norm_value"], norm)
        if len(equal) == 0:
            continue
        logarithms = np.concatenate([np.log(one[0] / np.array(one[1:])) for one in shares])
        finite, rank = np.linalg.lstsq(equal, logarithms, rcond=None)[0], np.linalg.matrix_rank(equal)
        consistent = rank == len(equal)  # of random ratios
        verdict = found["finite_part"]["verdict"]
        assert verdict == ("holds" if consistent else "fails"), (case, verdict)
        seen[verdict] += 1
        if consistent:
            close(found["finite_part"]["norm_value"], np.linalg.norm(finite))
        assert (" finite-part " if consistent else " no-finite-part ") in lines, lines
    assert min(seen.values()) > 1, seen
    return seen


def trained(data, counts, step, steps):
    """||W|| after normalised steps from 0, each token written as often as it stands there."""
    X = [np.repeat(x, k, axis=0) for x, k in zip(data["X"], counts)]
    W = np.zeros((len(data["v"]), len(data["z"][0])))
    for _ in range(steps):
        V = np.zeros_like(W)
        for x, z, label in zip(X, data["z"], data["Y"]):
            score = label * (x @ data["v"])
            logits = x @ W @ z
            s = np.exp(logits - logits.max())
            s /= s.sum()
            f = s @ score
            V += np.outer((s * (score - f)) @ x, z) / (1 + np.exp(f))
        W += step * V / np.linalg.norm(V)
    return np.linalg.norm(W)


def multiplicities(folder, source):
    for _ in range(8):
        n, T, d = source.integers(2, 5), source.integers(3, 6), source.integers(3, 6)
        data = gaussian(source, n, T, d)
        for tokens in data["X"]:  # one more of a token that is there
            tokens.append(tokens[source.integers(T)])
        counts = source.integers(1, 6, size=(n, T + 1)).tolist()
        scores = [[y * np.dot(x, data["v"]) for x in X] for X, y in zip(data["X"], data["Y"])]
        best = [int(np.argmax(one)) for one in scores]
        above, equal = differences(data, [[t] for t in best])
        norm = least_norm(above, equal)
        found, _ = folder.answer("certify", {**data, "counts": counts})
        assert found["verdict"] == ("infeasible" if norm is None else "feasible"), (found["verdict"], norm)
        if norm is not None:
            close(found["norm_value"], norm)
        steps = ("--optimizer", "ngd", "--step", "1/10", "--steps", "30")
        run, _ = folder.answer("run", {**data, "counts": counts}, *steps)
        close(run["checkpoints"][-1]["norm"], trained(data, counts, 0.1, 30))


def main():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        print(selected_sets(folder, np.random.default_rng(20261)))
        multiplicities(folder, np.random.default_rng(20262))


main()
