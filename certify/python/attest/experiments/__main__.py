"""attest experiment NAME, or python -m attest.experiments NAME: an experiment of the papers with certified answers."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import List, Optional

import attest

from ..cores import cores
from . import EXPERIMENTS
from .driver import OtherSettings, conduct
from .ending import end_on_signals, with_output
from .experiment import Experiment
from .job import Alone, SaidByFirst, join


def listing() -> str:
    lines = []
    for one in EXPERIMENTS.values():
        lines.append(f"{one.name:<22}{one.papers}; {len(one.cases(one.seeds))} cases with --seeds {one.seeds}")
        lines += textwrap.wrap(one.claim, 96, initial_indent=" " * 4, subsequent_indent=" " * 4)
    return "\n".join(lines)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="attest experiment", description=__doc__)
    parser.add_argument("name", nargs="?", metavar="NAME", help="which one; --list says what there is")
    parser.add_argument("--list", action="store_true", help="say which experiments there are, with the papers' claims")
    parser.add_argument("--seeds", type=positive, help="instances of each kind (default: the experiment's own number)")
    parser.add_argument("--jobs", type=positive, default=cores(),
                        help="instances at a time (default: one for each core that this process has)")
    parser.add_argument("-o", "--output", type=Path, help="folder of the results (default: experiment-NAME)")
    parser.add_argument("--no-check", dest="check", action="store_false",
                        help="do not have the independent checker verify every certificate")
    parser.add_argument("--fresh", action="store_true",
                        help="begin anew where the folder holds results of other settings")
    asked = parser.parse_args(arguments)
    if asked.list:
        print(listing())
        return 0
    if asked.name not in EXPERIMENTS:
        print("attest: " + (f"no experiment {asked.name!r}" if asked.name else "which experiment?") +
              f" (there are: {', '.join(EXPERIMENTS)})", file=sys.stderr)
        return 2
    experiment = EXPERIMENTS[asked.name]
    path = asked.output or Path(f"experiment-{experiment.name}")
    try:
        job = join()
    except ImportError as error:
        print(f"attest: started as several processes, which needs mpi4py: {error}", file=sys.stderr)
        return 2
    return repeat(experiment, path, asked, job)


def repeat(experiment: Experiment, path: Path, asked: argparse.Namespace, job: Alone) -> int:
    """Conducts the experiment and says what was found; the exit status."""
    try:
        verdict = conduct(experiment, asked.seeds or experiment.seeds, asked.jobs, path, asked.check, asked.fresh, job)
    except SaidByFirst:
        return 2
    except OtherSettings as error:
        print(f"attest: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"attest: {error}", file=sys.stderr)
        return job.give_up(2)
    except attest.CheckFailure as error:
        print(f"attest: the checker does not verify a certificate: {error}", file=sys.stderr)
        return job.give_up(1)
    except KeyboardInterrupt:
        print(f"\nattest: stopped; the same command goes on from {path}", file=sys.stderr)
        return job.give_up(30)
    if job.rank > 0:
        return 0
    print(verdict)
    print(f"written to {path}: table.csv, figure.svg, verdict.txt, certificates")
    return 0


def program() -> int:
    end_on_signals()
    return with_output(main)


if __name__ == "__main__":
    sys.exit(program())
