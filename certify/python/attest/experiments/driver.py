"""Conducts an experiment: cases in parallel, one row and one certificate each in a folder, table, figure, verdict."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import threading
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import attest

from ..cores import sharing_pool
from .ending import interrupted, write, writing
from .experiment import Case, Experiment, Outcome
from .job import Alone


class Stopped(Exception):
    """Raised in a case that is under way when the experiment ends."""


class OtherSettings(Exception):
    """The folder holds results of another experiment or of other settings."""


class Folder:
    """What is kept of an experiment, so that it goes on where it was stopped."""

    def __init__(self, path: Path, experiment: Experiment, fresh: bool) -> None:
        self.path = path
        identity = json.dumps({"experiment": experiment.name, "settings": dict(experiment.settings),
                               "attest": attest.__version__}, sort_keys=True)
        mark = path / "experiment.json"
        if mark.exists() and mark.read_text(encoding="utf-8") != identity and not fresh:
            raise OtherSettings(f"{path} holds results of other settings; give --fresh or another --output")
        if path.exists() and not mark.exists() and any(path.iterdir()):
            raise OtherSettings(f"{path} is there and holds something else")
        self.begins_anew = fresh
        for part in ("rows", "certificates"):
            (path / part).mkdir(parents=True, exist_ok=True)
        if fresh:
            for old in (path / "rows").glob("*.json"):
                old.unlink()
        write(mark, identity.encode())

    def _row(self, case: Case) -> Path:
        return self.path / "rows" / f"{case.name}.json"

    def known(self, case: Case) -> Optional[Outcome]:
        try:
            kept = json.loads(self._row(case).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return Outcome(kept["row"], "", kept["curve"], kept["reason"], verified=tuple(kept.get("verified", ())))

    def keep(self, case: Case, outcome: Outcome) -> None:
        if outcome.certificate:
            self._keep_proof(self.path / "certificates", case.name, outcome)
        kept = {"row": outcome.row, "curve": outcome.curve, "reason": outcome.reason, "verified": outcome.verified}
        write(self._row(case), json.dumps(kept).encode())

    @staticmethod
    def _keep_proof(folder: Path, name: str, outcome: Outcome) -> None:
        if isinstance(outcome.instance, attest.NextToken):
            for ending, data in outcome.instance.files().items():
                write(folder / f"{name}{ending}", data)
            return
        write(folder / f"{name}.attest.gz", gzip.compress(outcome.certificate.encode("ascii"), mtime=0))
        if outcome.instance is not None:
            kind = "npz" if outcome.instance._held.binary64 else "json"
            with writing:
                outcome.instance.save(folder / f"{name}.{kind}", force=True)

    def write_table(self, outcomes: List[Outcome]) -> None:
        columns = [*dict.fromkeys(column for one in outcomes for column in one.row), "reason"]
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, columns)
        table.writeheader()
        for one in outcomes:
            table.writerow({**one.row, "reason": one.reason})
        write(self.path / "table.csv", text.getvalue().encode())


class Progress:
    """One line on a terminal, a line for each tenth elsewhere."""

    def __init__(self, cases: int, known: int) -> None:
        self.cases, self.done, self.known = cases, known, known
        self.began, self.told = time.monotonic(), known * 10 // max(cases, 1)
        if known:
            print(f"{known} of {cases} are there already", file=sys.stderr)

    def one_more(self) -> None:
        self.done += 1
        spent = time.monotonic() - self.began
        left = spent / (self.done - self.known) * (self.cases - self.done)
        text = f"{self.done} of {self.cases}, {spent:.0f} s, about {left:.0f} s to go"
        if sys.stderr.isatty():
            print(f"\r{text:<60}", end="\n" if self.done == self.cases else "", file=sys.stderr, flush=True)
        elif self.done * 10 // self.cases > self.told:
            self.told = self.done * 10 // self.cases
            print(text, file=sys.stderr, flush=True)


def conduct(experiment: Experiment, seeds: int, jobs: int, path: Path, check: bool = True, fresh: bool = False,
            job: Optional[Alone] = None) -> str:
    """Answers every case that is not answered yet and writes the results; returns the verdict.

    Several processes (``job``) answer a share of the cases each, and the first one concludes; the verdict is empty
    at the others. Raises OtherSettings, SaidByFirst, KeyboardInterrupt (what is answered stays).
    """
    job = job or Alone()
    cases = experiment.cases(seeds)

    def begin() -> Tuple[Folder, Dict[str, Outcome]]:
        folder = Folder(path, experiment, fresh)
        return folder, {case.name: found for case in cases for found in [folder.known(case)] if found}

    folder, outcomes = job.from_first(begin)
    share = [case for case in cases if case.name not in outcomes][job.rank::job.size]
    answer_all(experiment, folder, share, outcomes, jobs, check, tell=job.rank == 0)
    job.wait()
    if job.rank > 0:
        return ""
    found = [outcomes.get(case.name) or folder.known(case) for case in cases]
    return conclude(experiment, folder, [outcome for outcome in found if outcome])


def answer_all(experiment: Experiment, folder: Folder, cases: List[Case], outcomes: Dict[str, Outcome], jobs: int,
               check: bool, tell: bool) -> None:
    """Answers these cases, several at a time, and keeps what is found in the folder and in ``outcomes``."""
    progress = Progress(len(cases) + len(outcomes), len(outcomes)) if tell else None
    ending = threading.Event()

    def pulse(stage: str, fraction: float) -> None:
        if ending.is_set():
            raise Stopped

    def answer(case: Case) -> Outcome:
        if ending.is_set():
            raise Stopped
        outcome = experiment.conduct(case, pulse)
        if check and outcome.certificate:
            outcome = outcome.check()
        folder.keep(case, outcome)
        return outcome

    with sharing_pool(jobs) as pool:
        waiting: Dict[Future[Any], Case] = {pool.submit(answer, case): case for case in cases}
        try:
            while waiting:
                ready = wait([interrupted, *waiting], return_when=FIRST_COMPLETED).done
                if interrupted in ready:
                    raise KeyboardInterrupt
                for done in ready:
                    outcomes[waiting.pop(done).name] = done.result()
                    if progress:
                        progress.one_more()
        except BaseException:
            ending.set()
            for future in waiting:
                future.cancel()
            raise


def conclude(experiment: Experiment, folder: Folder, outcomes: List[Outcome]) -> str:
    """Table, figure and verdict of all cases."""
    folder.write_table(outcomes)
    lines = [f"{experiment.name} ({experiment.papers})", f"claim    {experiment.claim}",
             f"verdict  {experiment.verdict(outcomes)}", f"checked  {checked(outcomes)}"]
    lines += [f"listed   {' '.join(f'{k} {v}' for k, v in parameters(one).items())}: {one.reason}"
              for one in outcomes if one.reason]
    write(folder.path / "verdict.txt", ("\n".join(lines) + "\n").encode())
    try:
        draw(experiment, folder, outcomes)
    except ImportError:
        print("no figure: matplotlib is not installed", file=sys.stderr)
    return lines[2]


def checked(outcomes: List[Outcome]) -> str:
    """What the independent checker has verified: claims by kind."""
    kinds = Counter(kind for one in outcomes for kind in one.verified)
    text = f"certificates of {sum(bool(one.verified) for one in outcomes)} of {len(outcomes)} cases"
    return text + (": " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) if kinds else "")


def parameters(outcome: Outcome) -> Dict[str, Any]:
    names = ("kind", "model", "decoder_step", "rule", "format", "norm", "P", "V", "n", "T", "d", "seed")
    return {name: outcome.row[name] for name in names if name in outcome.row}


def draw(experiment: Experiment, folder: Folder, outcomes: List[Outcome]) -> None:
    """The figure as SVG, the claim above and the verdict below it."""
    import textwrap

    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    lines = textwrap.wrap(f"{experiment.papers}: {experiment.claim}", 110)
    lines += textwrap.wrap(f"certified: {experiment.verdict(outcomes)}", 110)
    figure = Figure(figsize=(8, 4.5 + 0.16 * len(lines)), layout="constrained")
    FigureCanvasSVG(figure)
    experiment.draw(outcomes, figure)
    figure.suptitle("\n".join(lines), fontsize="small", x=0.01, ha="left")
    picture = io.BytesIO()
    with rc_context({"svg.hashsalt": experiment.name}):  # ids that are no random numbers
        figure.savefig(picture, format="svg", metadata={"Date": None})
    write(folder.path / "figure.svg", picture.getvalue())
