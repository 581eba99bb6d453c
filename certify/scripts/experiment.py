"""What the reproductions share: random instances of the papers' kind, and the programs' JSON answers."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def unit(array):
    return array / np.linalg.norm(array, axis=-1, keepdims=True)


def gaussian(seed, n, tokens, d):
    """X, z, v unit-normalised Gaussians in binary64, labels at random."""
    random = np.random.default_rng([seed, n, tokens, d])
    return {"X": unit(random.standard_normal((n, tokens, d))), "z": unit(random.standard_normal((n, d))),
            "v": unit(random.standard_normal(d)), "Y": random.choice(np.array([-1, 1]), n)}


class Attest:
    """attest on one instance at a time: Attest(BIN).load(arrays), then json("run", "--steps", 2000, ...)."""

    def __init__(self, binaries):
        self.program = pathlib.Path(binaries) / "attest"
        if not self.program.is_file():
            sys.exit(f"{self.program}: no such program; BIN is the folder that holds attest")
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "instance.npz"

    def load(self, arrays):
        np.savez(self.path, **arrays)

    def json(self, command, *options):
        arguments = [self.program, command, self.path, *options, "--json"]
        done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True)
        if done.returncode not in (0, 30):
            sys.exit(f"attest {command} {' '.join(map(str, options))}: exit {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def normalised_descent(self, steps, *options):
        """Normalised gradient descent with step 1/10 from W = 0."""
        return self.json("run", "--optimizer", "ngd", "--step", "1/10", "--steps", steps, *options)

    def optimality(self, selection):
        """"global", "local" (and not global), "neither" or "undecided", certified; None in the selection: undecided."""
        if None in selection:
            return "undecided"
        facts = self.json("certify", "--select", ",".join(map(str, selection)))
        if facts["globally_optimal"]:
            return "global"
        if facts["locally_optimal"]:
            return "local"
        return "neither" if facts["locally_optimal"] is False else "undecided"
