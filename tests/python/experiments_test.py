"""The experiments: each answers, draws and judges; what is stopped goes on; what is open is listed."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import numpy as np

import attest
from attest.experiments import (EXPERIMENTS, conditions, driver, factors, floats, joint, limits, mirror, mirror_rates,
                                rates, sparsity, tokens)
from attest.experiments.__main__ import main
from attest.experiments.experiment import Case, Experiment, Outcome
from attest.experiments.instances import gaussian

try:
    import matplotlib
except ImportError:
    matplotlib = None

PROGRAM = os.environ.get("ATTEST_BINARY", "")


def quiet(stage, fraction):
    pass


def toy(conduct, name="toy", settings=None):
    return Experiment(name, "T", "two and two are four", 3, settings or {},
                      lambda seeds: [Case({"seed": k}) for k in range(seeds)], conduct,
                      lambda outcomes: f"{len(outcomes)} cases", lambda outcomes, figure: figure.subplots())


class Each(unittest.TestCase):
    def test_answers_with_a_certificate(self):
        with mock.patch.multiple(limits, STEPS=60, LIMIT=60), mock.patch.object(rates, "STEPS", 60), \
                mock.patch.object(floats, "STEPS", 100), mock.patch.object(mirror, "STEPS", 60), \
                mock.patch.object(tokens, "STEPS", 60), mock.patch.object(joint, "STEPS", 60), \
                mock.patch.object(mirror_rates, "STEPS", 60), mock.patch.object(factors, "STEPS", 60), \
                mock.patch.object(sparsity, "STEPS", 60), mock.patch.object(conditions, "STEPS", 60):
            for experiment in EXPERIMENTS.values():
                with self.subTest(experiment.name):
                    case = experiment.cases(1)[-1]
                    outcome = experiment.conduct(case, quiet)
                    self.assertEqual({key: outcome.row[key] for key in case.parameters}, dict(case.parameters))
                    if outcome.certificate:
                        outcome = outcome.check()
                        self.assertTrue(outcome.verified)
                    else:  # a contrary language has no collocation to certify
                        self.assertEqual((experiment.name, outcome.row["verdict"]), ("next-token", "conflict"))
                    self.assertTrue(experiment.verdict([outcome]))
                    if matplotlib:
                        with tempfile.TemporaryDirectory() as folder:
                            kept = driver.Folder(Path(folder) / "x", experiment, False)
                            driver.conclude(experiment, kept, [outcome])
                            self.assertIn("</svg>", (kept.path / "figure.svg").read_text())

    def test_a_floor_that_keeps_next_to_no_attention(self):
        """Its rounding moved the constants of the lock-in by more than their slack."""
        case = Case({"noise": 1.0, "start": "random:1", "n": 4, "T": 4, "seed": 5})
        outcome = conditions.conduct(case, quiet)
        self.assertEqual((outcome.row["theorem"], outcome.row["proved"]), ("T12n", "global"))
        self.assertIn("forever-from-run", outcome.check().verified)

    def test_seeds_are_instances(self):
        for experiment in EXPERIMENTS.values():
            names = [case.name for case in experiment.cases(3)]
            self.assertEqual(len(set(names)), len(names))
            self.assertEqual(3 * len(experiment.cases(1)), len(names))


class Driver(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "results"

    def run_it(self, experiment, seeds=3, jobs=2, **more):
        with redirect_stderr(io.StringIO()):
            return driver.conduct(experiment, seeds, jobs, self.path, **more)

    def test_nothing_is_left_out(self):
        def conduct(case, pulse):
            seed = case.parameters["seed"]
            return Outcome({"seed": seed}, reason="too hard" if seed == 1 else "")

        self.assertEqual(self.run_it(toy(conduct)), "verdict  3 cases")
        with open(self.path / "table.csv", newline="") as file:
            table = list(csv.DictReader(file))
        self.assertEqual([row["seed"] for row in table], ["0", "1", "2"])
        self.assertEqual([row["reason"] for row in table], ["", "too hard", ""])
        self.assertIn("seed 1: too hard", (self.path / "verdict.txt").read_text())

    def test_goes_on_where_it_was_stopped(self):
        asked = []

        def conduct(case, pulse):
            asked.append(case.parameters["seed"])
            if len(asked) == 2:
                raise KeyboardInterrupt
            return Outcome({"seed": case.parameters["seed"]})

        with self.assertRaises(KeyboardInterrupt):
            self.run_it(toy(conduct), jobs=1)
        self.run_it(toy(conduct), jobs=1)
        self.assertEqual(sorted(asked), [0, 1, 1, 2])
        self.run_it(toy(conduct), seeds=4)
        self.assertEqual(sorted(asked), [0, 1, 1, 2, 3])

    def test_cases_under_way_are_ended(self):
        started = threading.Event()

        def conduct(case, pulse):
            if case.parameters["seed"] == 0:
                started.wait()
                raise KeyboardInterrupt
            started.set()
            while True:
                pulse("", 0)

        with self.assertRaises(KeyboardInterrupt):
            self.run_it(toy(conduct), seeds=2)

    def test_other_settings_are_refused(self):
        def conduct(case, pulse):
            return Outcome({"seed": case.parameters["seed"]})

        self.run_it(toy(conduct))
        with self.assertRaises(driver.OtherSettings):
            self.run_it(toy(conduct, settings={"steps": 2}))
        self.run_it(toy(conduct, settings={"steps": 2}), fresh=True)
        (self.path / "experiment.json").unlink()
        with self.assertRaises(driver.OtherSettings):
            self.run_it(toy(conduct))


@unittest.skipUnless(PROGRAM, "the program is not built")
class FloatRuns(unittest.TestCase):
    def test_the_program_says_the_same(self):
        data = {key: value.astype(np.float32) if key != "Y" else value for key, value in gaussian(0, 6, 8, 10).items()}
        trajectory = floats.textbook_run(data, np.float32)
        with tempfile.TemporaryDirectory() as folder:
            attest.instance(**data).save(f"{folder}/data.npz")
            trajectory.save(f"{folder}/run.npz")
            again = attest.Trajectory.load(f"{folder}/run.npz")
            np.testing.assert_array_equal(again.W, trajectory.W)
            self.assertEqual(again.stated, trajectory.stated)
            line = [PROGRAM, "run", f"{folder}/data.npz", "--optimizer", "ngd", "--step", "1/10", "--steps", "2000",
                    "--compare", f"{folder}/run.npz"]
            said = json.loads(subprocess.run([*line, "--json"], check=True, capture_output=True, text=True).stdout)
            text = subprocess.run(line, check=True, capture_output=True, text=True).stdout
            wrong = subprocess.run([*line, "--loss", "exponential"], capture_output=True, text=True)
        found = attest.compare(trajectory, attest.instance(**data))
        said["comparison"]["trajectory"] = None
        self.assertEqual(said["comparison"], json.loads(found.to_json())["comparison"])
        self.assertIn("leaves the exact run", text)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("loss", wrong.stderr)
        # binary32 rounding moves the first steps by some units of 2^-24
        self.assertLess(float(found.steps[1].share), 1e-5)
        self.assertTrue(found.check().lines)


class Command(unittest.TestCase):
    def test_list_and_names(self):
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            self.assertEqual(main(["--list"]), 0)
            self.assertEqual(main(["nonsense"]), 2)
            self.assertEqual(main([]), 2)
        for name in EXPERIMENTS:
            self.assertIn(name, out.getvalue())
        self.assertIn("nonsense", err.getvalue())

    @unittest.skipUnless(PROGRAM, "the program is not built")
    def test_the_program_finds_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            line = [PROGRAM, "experiment", "regularisation-paths", "--seeds", "1", "--jobs", "2"]
            done = subprocess.run(line, cwd=folder, env=clean, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("verdict", done.stdout)
            results = Path(folder) / "experiment-regularisation-paths"
            self.assertTrue((results / "table.csv").exists())
            self.assertEqual(len(list((results / "certificates").glob("*.attest.gz"))), 2)
            self.assertIn("checked  certificates of 2 of 2 cases: ", (results / "verdict.txt").read_text())
            next((results / "rows").glob("*.json")).unlink()  # stopped between the certificate and the row
            again = subprocess.run(line, cwd=folder, env=clean, capture_output=True, text=True)
            self.assertEqual((again.returncode, again.stdout), (0, done.stdout), again.stderr)


@unittest.skipUnless(PROGRAM, "the program is not built")
class Ending(unittest.TestCase):
    """The program ends as certify/STATUS.md says, whatever becomes of it meanwhile."""

    LINE = [PROGRAM, "experiment", "local-convergence", "--jobs", "2", "-o", "results"]

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def started(self):
        """The program has become the package's."""
        process = subprocess.Popen(self.LINE, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        while "attest.experiments" not in Path(f"/proc/{process.pid}/cmdline").read_text():
            time.sleep(0.01)
        return process

    def rows(self):
        return set(self.folder.glob("results/rows/*.json"))

    def begun(self):
        """The experiment under way: it has answered a case."""
        known = self.rows()
        process = self.started()
        while process.poll() is None and self.rows() == known:
            time.sleep(0.02)
        return process

    def left(self, process, status):
        """What the process has said, once nothing half-written is found."""
        out, err = process.communicate()
        self.assertEqual(process.returncode, status, err)
        self.assertEqual(out, "")
        self.assertEqual([path.name for path in self.folder.rglob(".attest-tmp*")], [])
        for row in self.rows():
            json.loads(row.read_text())
        for certificate in self.folder.glob("results/certificates/*.gz"):
            self.assertTrue(gzip.decompress(certificate.read_bytes()).startswith(b"attest-certificate "))
        return err

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                process = self.begun()
                process.send_signal(number)
                err = self.left(process, 30)
                self.assertNotIn("Traceback", err)
                self.assertIn("stopped", err)
        self.assertFalse((self.folder / "results" / "table.csv").exists())

    def test_signals_while_it_starts(self):
        for delay in (0, 0.05, 0.2, 0.4):
            with self.subTest(delay):
                process = self.started()
                time.sleep(delay)
                process.send_signal(signal.SIGINT)
                self.assertNotIn("Traceback", self.left(process, 30))

    def test_a_second_signal_kills(self):
        process = self.begun()
        process.send_signal(signal.SIGINT)
        time.sleep(0.6)
        process.send_signal(signal.SIGTERM)  # it may have ended meanwhile
        self.left(process, process.wait())
        self.assertIn(process.returncode, (30, 128 + signal.SIGTERM))

    def test_a_signal_sent_twice_is_one(self):
        process = self.begun()
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        self.left(process, 30)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "experiment", "--list"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "attest: standard output cannot be written\n"))


if __name__ == "__main__":
    unittest.main()
