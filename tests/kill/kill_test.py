#!/usr/bin/env python3
"""kill_test.py ATTEST CHECKER [--kills N] [--seed S]: SIGKILL at random moments of every command that writes.

After each kill every output is absent, what it was before, or complete: byte for byte what a run left alone writes
(a state of a run, which depends on the moment, must be one that --resume goes on from, to a certificate that the
checker accepts). Nothing else lies in the folder but temporary files of a recognisable name, and the next run does not
mind them. Half of the kills come at a random moment of the command's time, half when a temporary file has just
appeared. From 200 kills on, every fortieth one is of an endless run while it saves its state.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TEMPORARY = re.compile(r"\.attest-tmp-[0-9]+-[0-9]+")
RUN = ["run", "i.json", "--optimizer", "ngd", "--step", "1/10"]

# Command, and its outputs.
COMMANDS = [
    (["certify", "i.json", "-o", "c.cert"], ["c.cert"]),
    (["certify", "i.json", "-o", "c.cert.gz", "--loss", "logistic"], ["c.cert.gz"]),
    (["selections", "small.json", "-o", "s.cert"], ["s.cert"]),
    (["convert", "i.json", "o.npz"], ["o.npz"]),
    (["convert", "i.json", "o.json"], ["o.json"]),
    (["convert", "i.json", "o.json.gz"], ["o.json.gz"]),
    (["convert", "i.json", "o.txt"], ["o.txt"]),
    (["convert", "i.json", "folder"], ["folder"]),
    (["export", "--coq", "small.json", "small.cert", "-o", "E.v"], ["E.v"]),
    (RUN + ["--steps", "60", "-o", "r.attest", "--trace", "t.npz", "--plot", "p.svg"],
     ["r.attest", "t.npz", "p.svg", "r.attest.state"]),
    (RUN + ["--steps", "60", "--state", "state", "-o", "r.gz"], ["state", "r.gz"]),
]
STATES = {"state", "r.attest.state"}


def write_instances(folder):
    """i.json: 12 x 6 x 12 with all digits of binary64, so that files are large; small.json: 3 x 3 x 3."""
    source = random.Random(1)

    def numbers(count):
        return "[" + ",".join(f'"{source.gauss(0, 1).hex()}"' for _ in range(count)) + "]"

    def rows(count, width):
        return "[" + ",".join(numbers(width) for _ in range(count)) + "]"

    d = 12
    tokens = "[" + ",".join(rows(6, d) for _ in range(12)) + "]"
    labels = ",".join(source.choice(["1", "-1"]) for _ in range(12))
    (folder / "i.json").write_text(f'{{"X":{tokens},"Y":[{labels}],"v":{numbers(d)},"z":{rows(12, d)}}}')
    (folder / "small.json").write_text(
        '{"X":[[[3,1,0],[0,2,1],[1,0,2]],[[1,3,1],[2,0,1],[0,1,3]],[[0,1,3],[3,0,1],[1,2,0]]],"Y":[1,-1,1],'
        '"v":["1/4","1/8",0],"z":[["1/2",0,"1/4"],[0,"1/2",0],["1/4","1/4",0]]}')


def content(path):
    """The bytes of a file, the files of a folder, or nothing."""
    if path.is_dir():
        return {entry.name: entry.read_bytes() for entry in path.iterdir()}
    return path.read_bytes() if path.exists() else None


class Trials:
    def __init__(self, attest, checker, seed, folder):
        self.attest, self.checker, self.random, self.folder = attest, checker, random.Random(seed), folder
        self.inputs = folder / "inputs"
        self.inputs.mkdir()
        write_instances(self.inputs)
        self.call(["certify", "small.json", "-o", "small.cert"], self.inputs)
        self.given = {entry.name for entry in self.inputs.iterdir()}
        self.tally = {"absent": 0, "old": 0, "complete": 0, "finished before": 0, "temporary files left": 0}
        self.expected = {}
        for index, (command, outputs) in enumerate(COMMANDS):
            work = self.fresh()
            began = time.monotonic()
            self.call(command, work)
            seconds = time.monotonic() - began
            self.expected[index] = (seconds, {name: content(work / name) for name in outputs})
            self.judge_alone(work, command, outputs)
            shutil.rmtree(work)

    def fresh(self):
        work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for entry in self.inputs.iterdir():
            os.link(entry, work / entry.name)
        return work

    def call(self, command, work):
        done = subprocess.run([self.attest] + command, cwd=work, capture_output=True, text=True)
        if done.returncode not in (0, 30):
            sys.exit(f"{command}: exit {done.returncode}\n{done.stderr}")

    def judge_alone(self, work, command, outputs):
        """What an undisturbed command writes is accepted by the checker."""
        for name in outputs:
            if name.endswith((".cert", ".attest", ".gz", "resumed")) and name != "o.json.gz":
                instance = next(word for word in command if word.endswith(".json"))
                code = subprocess.run([self.checker, instance, name], cwd=work, capture_output=True).returncode
                if code != 0:
                    sys.exit(f"{command}: {name} is not accepted: {code}")

    def kill(self, process, work, seconds):
        """Kills at a random moment, or when a temporary file has appeared. False: the command was done before."""
        if self.random.random() < 0.5:
            try:
                process.wait(timeout=self.random.uniform(0, 1.1 * seconds))
            except subprocess.TimeoutExpired:
                pass
        else:
            linger = self.random.choice([0, 0, 0.0002, 0.001])
            while process.poll() is None:
                if any(TEMPORARY.fullmatch(name) for name in os.listdir(work)):
                    time.sleep(linger)
                    break
        alive = process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        return alive

    def resumes(self, work, name):
        """A state left by a kill is gone on from; at its own step it is the certificate of what was done."""
        text = (work / name).read_text()
        assert text.startswith("attest-run-state ") and text.endswith("\nend\n"), f"{name} is cut"
        step = re.search(r"^record ([0-9]+) ", text, re.MULTILINE).group(1)
        self.call(RUN + ["--steps", step, "--state", name, "--resume", "-o", "resumed"], work)
        self.judge_alone(work, RUN, ["resumed"])
        (work / "resumed").unlink()

    def endless_trial(self):
        work = self.fresh()
        command = RUN + ["--steps", "100000000", "--state", "state"]
        process = subprocess.Popen([self.attest] + command, cwd=work, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while self.random.random() < 0.9 or not (work / "state").exists():  # it appears after two seconds
            time.sleep(self.random.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.resumes(work, "state")
        self.tally["complete"] += 1
        shutil.rmtree(work)

    def trial(self, index):
        command, outputs = COMMANDS[index]
        seconds, expected = self.expected[index]
        work = self.fresh()
        before = {}
        # An older output of the same kind, which the command may replace: it is one byte longer than what comes.
        if self.random.random() < 0.5 and command[0] != "convert":
            for name in outputs:
                if isinstance(expected[name], bytes):
                    (work / name).write_bytes(expected[name] + b"\n")
                    before[name] = expected[name] + b"\n"
        process = subprocess.Popen([self.attest] + command, cwd=work, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        if not self.kill(process, work, seconds):
            self.tally["finished before"] += 1
        for name in outputs:
            found = content(work / name)
            if found is None:
                assert name not in before or name == "r.attest.state", f"{command}: {name} is gone"
                self.tally["absent"] += 1
            elif found == before.get(name):
                self.tally["old"] += 1
            elif name in STATES:
                self.resumes(work, name)
                self.tally["complete"] += 1
            else:
                assert found == expected[name], f"{command}: {name} is neither absent, old nor complete"
                self.tally["complete"] += 1
        others = {entry.name for entry in work.iterdir()} - self.given - set(outputs)
        assert all(TEMPORARY.fullmatch(name) for name in others), f"{command}: left {sorted(others)}"
        self.tally["temporary files left"] += len(others)
        for name in self.given:
            assert (work / name).read_bytes() == (self.inputs / name).read_bytes(), f"{command}: {name} was changed"
        if others or self.random.random() < 0.1:
            self.again(work, command, outputs, expected)
        shutil.rmtree(work)

    def again(self, work, command, outputs, expected):
        """The same command, undisturbed, in what the killed one left behind."""
        if command[0] == "convert":
            target = work / outputs[0]
            shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
        self.call(command, work)
        for name in outputs:
            if name not in STATES:
                assert content(work / name) == expected[name], f"{command}: {name} differs after a kill"

    def run(self, kills):
        order = [k % len(COMMANDS) for k in range(kills)]
        self.random.shuffle(order)
        for number, index in enumerate(order, 1):
            self.trial(index) if kills < 200 or number % 40 != 0 else self.endless_trial()
        print(f"{kills} kills: " + ", ".join(f"{count} {what}" for what, count in self.tally.items()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("attest", type=os.path.abspath)
    parser.add_argument("checker", type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Trials(options.attest, options.checker, options.seed, pathlib.Path(folder)).run(options.kills)


if __name__ == "__main__":
    main()
