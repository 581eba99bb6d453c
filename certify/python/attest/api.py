"""The functions of the package: each takes arrays, an Instance or a path, and returns a result with its proof."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _attest
from .comparison import Comparison
from .cores import cores, sharing_pool, threads_of_call
from .errors import InputError
from .instance import Instance, _raw, _text, held
from .layer import Layer
from .options import (FORMS, LOSSES, MIRROR_RULES, RULES, bits_of_enclosures, one_of, refused, schedule_word, tokens,
                      whole)
from .results import Audit, Certified, Checked, JointCertified, Path, Run, Selections, SetsCertified, Theorems
from .trajectories import trajectory as _trajectory

__all__ = ["audit", "certify", "certify_all", "certify_joint", "certify_sets", "check", "checkpoint", "compare",
           "path", "run", "selections", "to_coq", "verify"]

Progress = Callable[[str, float], Any]


def _teller(progress: Union[None, bool, Progress]) -> Optional[Progress]:
    if progress is True:
        from .progress import show

        return show()
    return progress or None


def _call(time_limit: float, memory_limit: int, progress: Union[None, bool, Progress]) -> "_attest.Call":
    if not time_limit >= 0:
        raise refused("time_limit", f"{time_limit} is no number of seconds")
    return _attest.Call(float(time_limit), whole("memory_limit", memory_limit, 0), _teller(progress), threads_of_call())


def _exact(number: Any, option: str) -> str:
    return number if isinstance(number, str) else _text(number, option)


def certify(X: Any, Y: Any = None, v: Any = None, *, select: Optional[Sequence[int]] = None, norm: str = "fro",
            gap: Any = None, form: str = "auto", loss: str = "none", precision: int = 128, time_limit: float = 0,
            memory_limit: int = 0, progress: Union[None, bool, Progress] = None, **keys: Any) -> Certified:
    """Decides the max-margin problem of a selection: min ||W|| such that every selected token beats the others by 1.

    Parameters
    ----------
    X, Y, v, **keys
        The instance as for :func:`attest.instance`; or ``X`` alone an Instance or a path.
    select : sequence of n ints, optional
        The selected token of each sequence; default ``alpha``, then the best scores.
    norm : "fro", "nuc", or "lP"
        The Frobenius, the nuclear, or the entrywise P-norm with a rational P > 1: "l3", "l7/4".
    gap : number or text, above 0 and at most 1
        Relative gap that is asked for in other norms than "fro"; default 1e-30. ``form``, ``loss`` and ``precision``
        speak of "fro".
    form : "auto", "exact" or "enclosure"
        Evidence: rational numbers, or enclosures of ``precision`` bits.
    loss : "none", "logistic", "exponential", "correlation", or "cross-entropy" for an instance with that head
        Loss of the smoothness claim.
    time_limit, memory_limit : seconds and bytes, 0 for none
        When reached the answer says "undecided" and what is proved.
    progress : callable (stage, fraction), or True for a line in the terminal or notebook

    Returns a :class:`Certified`. Guarantee: every field that is not said to be rounded is proved (theory.md T2-T5), and
    ``result.check()`` has the independent checker confirm it. Raises InputError (a ValueError), KeyboardInterrupt.

    >>> found = attest.certify([[[1, 0], [0, 1]]], [1], [1, 0], query=0)
    >>> found.verdict, found.margin.lo == found.margin.hi, found.support
    ('feasible', False, ((0, 1),))
    >>> found.norm_value.lo <= 0.70710678118654757 and found.check().vacuous
    False
    >>> nuclear = attest.certify([[[1, 0], [0, 1]]], [1], [1, 0], query=0, norm="nuc")
    >>> nuclear.verdict, nuclear.rank_upper, nuclear.check().vacuous
    ('feasible', 1, False)
    """
    data = held(X, Y, v, **keys)
    answer, certificate, near = _attest.certify(data._held, tokens("select", select), one_of("form", form, FORMS),
                                                one_of("loss", loss, ("none", *LOSSES)), bits_of_enclosures(precision),
                                                norm, "" if gap is None else _exact(gap, "gap"),
                                                _call(time_limit, memory_limit, progress))
    return Certified.of(data, json.loads(answer), certificate, near)


def certify_joint(X: Any, Y: Any = None, v: Any = None, *, select: Optional[Sequence[int]] = None, path: bool = False,
                  loss: str = "", form: str = "auto", precision: int = 128, time_limit: float = 0,
                  memory_limit: int = 0, progress: Union[None, bool, Progress] = None, **keys: Any) -> JointCertified:
    """Decides both margin problems of training the decoder together with the attention.

    The decoder's: min ||v|| such that Y_i v'x is at least 1 for the selected token x of each sequence. The attention's:
    as :func:`certify`'s, but where a sequence does not support the decoder's solution its margins need only be >= 0.
    ``v`` as given makes the scores that choose the selection. With ``path`` the minimisers of the loss (``loss``, by
    default "logistic") over ||v|| <= r and ||W|| <= R are bounded, too, as by ``attest path --joint``. Other arguments
    as for :func:`certify`; returns a :class:`JointCertified`, every number of which is proved but for ``v`` and ``W``,
    which are rounded. The certificate holds both margin problems, not the path.

    >>> both = attest.certify_joint([[[1, 0], [0, 1]], [[0, 3], [1, 0]]], [1, 1], [1, 1], query=0, select=[0, 0])
    >>> both.verdict, both.supporting, both.v.round(3).tolist(), both.check().vacuous
    ('feasible', (0, 1), [1.0, 0.333], False)
    >>> both = attest.certify_joint([[[2, 0], [0, 0.5]], [[0, -2], [0.5, 0]]], [1, -1], [1, 1], query=0, path=True)
    >>> both.label_margins, both.path.verdict, both.path.rate_constant > 0
    ('holds', 'holds', True)
    """
    data = held(X, Y, v, **keys)
    answer, certificate, near = _attest.certify_joint(data._held, tokens("select", select),
                                                      one_of("form", form, FORMS), bits_of_enclosures(precision),
                                                      bool(path), one_of("loss", loss, ("", *LOSSES)),
                                                      _call(time_limit, memory_limit, progress))
    return JointCertified.of(data, json.loads(answer), certificate, near)


@contextmanager
def _written(*lists: Optional[Sequence[Sequence[Any]]]) -> Iterator[List[str]]:
    """Paths of the lists as JSON files, empty where there is none; numbers other than integers as exact text."""
    def entry(value: Any) -> Any:
        return int(value) if isinstance(value, (int, np.integer)) else _text(value, "ratios")

    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, one in enumerate(lists):
            paths.append("" if one is None else os.path.join(folder, f"{number}.json"))
            if one is not None:
                with open(paths[-1], "w", encoding="utf-8") as file:
                    json.dump([[entry(value) for value in row] for row in one], file)
        try:
            yield paths
        except InputError as error:  # of one of these files, which nobody knows
            if not error.file or error.file not in paths:
                raise
            key = ("selected_sets", "ratios")[paths.index(error.file)]
            at = f", index {error.index}" if error.index else ""
            raise InputError(f"key {key}{at}: {error.reason}", "", key, error.index, error.reason) from None


def certify_sets(X: Any, Y: Any = None, v: Any = None, *, selected_sets: Sequence[Sequence[int]],
                 ratios: Optional[Sequence[Sequence[Any]]] = None, form: str = "auto", precision: int = 128,
                 time_limit: float = 0, memory_limit: int = 0, progress: Union[None, bool, Progress] = None,
                 **keys: Any) -> SetsCertified:
    """Decides the margin problem of several selected tokens a sequence: equal logits inside, 1 above all others.

    ``selected_sets`` has the tokens of each sequence. With ``ratios``, the attention on each of them up to a factor a
    sequence, the finite part is decided, too: the W_fin of least norm with <x_t - x_s, W_fin z> = log(ratio), or that
    no W has these. Other arguments as for :func:`certify`; returns a :class:`SetsCertified`.

    >>> found = attest.certify_sets([[[1, 0], [0, 1], [0, 0]]], [1], [1, 1], z=[[1]], selected_sets=[[0, 1]],
    ...                             ratios=[[2, 1]])
    >>> found.verdict, round(float(found.norm_value), 6), round(float(found.finite_norm), 6)
    ('feasible', 1.414214, 0.490129)
    """
    data = held(X, Y, v, **keys)
    with _written(selected_sets, ratios) as (sets, shares):
        answer, certificate, near = _attest.certify_sets(data._held, sets, shares, one_of("form", form, FORMS),
                                                      bits_of_enclosures(precision),
                                                      _call(time_limit, memory_limit, progress))
    return SetsCertified.of(data, json.loads(answer), certificate, near)


def certify_all(instances: Iterable[Any], *, jobs: Optional[int] = None,
                progress: Union[None, bool, Progress] = None, **options: Any) -> List[Certified]:
    """:func:`certify` of many instances (Instance, path, or dict of keys), ``jobs`` at a time, in their order.

    ``jobs`` defaults to the number of processors; the answers do not depend on it. ``progress`` is told how many are
    done. The first error, and Ctrl-C, end those under way.
    """
    given = list(instances)
    tell = _teller(progress)
    ending = threading.Event()

    def pulse(stage: str, fraction: float) -> None:
        if ending.is_set():
            raise KeyboardInterrupt

    def one(data: Any) -> Certified:
        keys = data if isinstance(data, dict) else {"X": data}
        return certify(**keys, progress=pulse, **options)

    with sharing_pool(whole("jobs", jobs or cores(), 1)) as pool:
        waiting = [pool.submit(one, data) for data in given]
        try:
            answers = []
            for number, future in enumerate(waiting, 1):
                answers.append(future.result())
                if tell:
                    tell(f"{number} of {len(given)} instances", number / len(given))
            return answers
        except BaseException:
            ending.set()
            for future in waiting:
                future.cancel()
            raise


def run(X: Any, Y: Any = None, v: Any = None, *, optimizer: str = "ngd", step: Any = None, steps: int = 1000,
        loss: str = "", schedule: str = "constant", momentum: Any = 0, potential: Any = None, against: str = "",
        init: Any = None,
        parameterization: str = "w", rank: Optional[int] = None, K0: Any = None, Q0: Any = None,
        init_scale: Any = None, bits: int = 100, precision: Union[int, str] = "auto", arithmetic: str = "validated",
        until_forever: bool = False, certificate: bool = True, selected_sets: Optional[Sequence[Sequence[int]]] = None,
        ratios: Optional[Sequence[Sequence[Any]]] = None, joint: bool = False, decoder_optimizer: str = "",
        decoder_step: Any = None, decoder_schedule: str = "", decoder_init: str = "", time_limit: float = 0,
        memory_limit: int = 0, progress: Union[None, bool, Progress] = None, **keys: Any) -> Run:
    """Runs gradient descent on the attention layer with every step enclosed, and proves what holds for ever.

    Parameters
    ----------
    X, Y, v, **keys
        As for :func:`certify`. ``W0`` (d, e) is the start with ``init="instance"``.
    optimizer : "gd", "ngd", "polyak", or mirror descent: "md", "nmd"
    step : number or text as "1/10", exact
        Needed but for "polyak".
    potential : number or text as "7/4", above 1
        P of mirror descent with the potential sum |W_jk|^P / P; its limit is that of the P-norm.
    against : text as "l7/4,fro,l3,l1,linf,nuc"
        Norms with whose solutions the last step of mirror descent is compared, by Bregman divergence and by 1 - corr:
        ``answer["against"]``, which says whether the solution is the only one.
    loss : "logistic", "exponential", "correlation"
        Empty: the head's own, of instances without one "logistic".
    schedule : "constant", "inverse" (step/(t+1)), "invsqrt" (step/sqrt(t+1))
    init : "zero" (default), "instance", "random:SEED"; of ``parameterization="kq"`` "identity" (default), "random:SEED"
    parameterization : "w", or "kq": the factors K (d, m) and Q (e, m) of W = K Q' are trained, by "gd" or "ngd"
    rank : int
        Their columns m; d by default. Or the start ``K0`` and ``Q0``, exact.
    init_scale : number or text, exact
        Of the start that ``init`` names (identity: 1, random: the inverse root of the rows).
    bits : int
        Correct bits that 1 - corr, norms and losses must keep.
    arithmetic : "validated", "double", or "mpfr" with ``precision`` bits
        Only "validated" proves.
    until_forever : bool
        Ends as soon as all later steps are decided.
    certificate : bool
        False: ``run.certificate`` is empty, which saves the time that it takes to make one (most of it, for runs of
        mirror descent and of K and Q).
    selected_sets, ratios
        As for :func:`certify_sets`: ``run.sets`` has how near W_t is to W_fin + c W_mm (by default with W_t's own
        ratios) at each checkpoint.
    joint : bool
        Trains the decoder v with W, by "gd" or "ngd" each, or by "md" or "nmd" (then ``potential`` is that of both);
        ``run.joint`` has what is seen of both; of "gd" and "ngd" from W_0 = 0 ``run.certificate`` holds both problems,
        the pair at its checkpoints and T20. ``decoder_optimizer``, ``decoder_step`` and ``decoder_schedule`` are W's
        where they are not given; ``decoder_init`` is "instance" (its v, the default), "zero" or "random:SEED".
        Schedules of joint runs may be "power:E", too: step (t+1)^E with an exact E <= 0.

    Returns a :class:`Run`; ``run.forever`` holds the theorem about all later steps (theory.md T10-T15, T17, T20).
    Raises InputError (a ValueError), KeyboardInterrupt.

    >>> run = attest.run([[[1, 0], [0, 1]]], [1], [1, 0], query=0, step="1/10", steps=100)
    >>> bool(run.forever), run.forever.selection
    (True, (0,))
    >>> run = attest.run([[[1, 0], [0, 1]]], [1], [1, 0], query=0, optimizer="nmd", potential="7/4", step="1/10",
    ...                  steps=9)
    >>> run.checkpoints[-1].t, run.checkpoints[-1].bregman is not None
    (9, True)
    >>> run = attest.run([[[1, 0], [0, 1]]], [1], [1, 0], query=0, parameterization="kq", optimizer="gd", step=1,
    ...                  steps=20)
    >>> len(run.checkpoints[-1].singular_values), run.checkpoints[-1].one_minus_corr_nuclear is not None
    (2, True)
    >>> run = attest.run([[[1, 0], [0, 1]]], [1], [1, 0], query=0, step="1/10", steps=20, joint=True)
    >>> run.joint.supporting, run.joint.nearest
    ((0,), 'plain')
    >>> run = attest.run([[[1, 0], [0, 1]]], [1], [1, 0], query=0, optimizer="nmd", potential="7/4", step="1/10",
    ...                  steps=9, joint=True)
    >>> run.joint.supporting, run.joint.nearest, run.checkpoints[-1].t
    ((0,), 'plain', 9)
    """
    request = _attest.RunRequest()
    request.optimizer = one_of("optimizer", optimizer, (*RULES, *MIRROR_RULES))
    request.schedule, request.loss = schedule_word("schedule", schedule), one_of("loss", loss, ("", *LOSSES))
    request.step = "" if step is None else _exact(step, "step")
    request.momentum = _exact(momentum, "momentum")
    request.potential = "" if potential is None else _exact(potential, "potential")
    request.against = against
    request.init, request.precision = "" if init is None else str(init), str(precision)
    request.arithmetic = one_of("arithmetic", arithmetic, ("validated", "double", "mpfr"))
    request.parameterization = one_of("parameterization", parameterization, ("w", "kq"))
    request.rank = "" if rank is None else str(int(rank))
    request.init_scale = "" if init_scale is None else _exact(init_scale, "init_scale")
    if K0 is not None or Q0 is not None:
        if K0 is None or Q0 is None:
            raise refused("Q0" if Q0 is None else "K0", "K0 and Q0 are given together")
        request.factors(K0, Q0)
    request.steps, request.bits = whole("steps", steps, 0), whole("bits", bits, 1, 3000)
    request.until_forever, request.certified = bool(until_forever), bool(certificate)
    data = held(X, Y, v, **keys)
    decoder = {"optimizer": decoder_optimizer, "step": "" if decoder_step is None else _exact(decoder_step, "step"),
               "schedule": decoder_schedule and schedule_word("decoder_schedule", decoder_schedule),
               "init": decoder_init}
    one_of("decoder_optimizer", decoder_optimizer, ("", "gd", "ngd", *MIRROR_RULES))
    if not joint and any(decoder.values()):
        raise refused(next(f"decoder_{name}" for name, word in decoder.items() if word), "goes with joint=True")
    with _written(selected_sets, ratios) as (request.selected_sets, request.ratios):
        if joint:
            answer, text, trace = _attest.run_joint(data._held, request, decoder,
                                                    _call(time_limit, memory_limit, progress))
        else:
            answer, text, trace = _attest.run(data._held, request, _call(time_limit, memory_limit, progress))
    return Run.of(data, json.loads(answer), text, trace)


def compare(trajectory: Any, X: Any, Y: Any = None, v: Any = None, *, optimizer: Optional[str] = None, step: Any = None,
            loss: Optional[str] = None, schedule: Optional[str] = None, momentum: Any = None, share: Any = "1/100",
            init: Optional[Any] = None, steps: Optional[int] = None, bits: int = 100, time_limit: float = 0,
            memory_limit: int = 0, progress: Union[None, bool, Progress] = None, **keys: Any) -> Comparison:
    """From which step on a recorded floating-point run is no longer the iteration that it stands for.

    The exact iteration is followed with every step enclosed; the recorded matrices are taken exactly. So what is said
    about both is proved, provided that they are the same iteration.

    Parameters
    ----------
    trajectory : Trajectory, recorder of :mod:`attest.torch`, path of an .npz file with t and W, or a pair (t, W)
    X, Y, v, **keys
        As for :func:`certify`.
    optimizer, step, loss, schedule, momentum
        The run's, as for :func:`run`. By default what the trajectory states; then ``loss`` "logistic", ``schedule``
        "constant" and no momentum. Losses are means over the sequences.
    share : exact number
        ||V - W_t|| > ``share`` ||W_t|| counts as having left the exact run.
    init
        As for :func:`run`; default the recorded W of step 0, which must be there.
    steps : int
        How far to follow the exact run; default to the last recorded step.

    Returns a :class:`Comparison`. Raises InputError where the trajectory states another run or starts elsewhere.

    >>> W = np.zeros((3, 2, 2), np.float32)                       # a run that never moves
    >>> found = attest.compare(([0, 1, 2], W), [[[1, 0], [0, 1]]], [1], [1, 0], query=0, optimizer="ngd", step="1/10")
    >>> found.within_until, found.beyond_from
    (0, 1)
    """
    recorded = _trajectory(trajectory)
    stated = recorded.stated

    def said(key: str, given: Any, default: Optional[str]) -> str:
        if given is not None:
            return _exact(given, key) if key in ("step", "momentum") else str(given)
        text = stated.get(key, default)
        if text is None:
            raise refused(key, "the trajectory does not state it, so it must be given")
        return text

    request = _attest.RunRequest()
    request.optimizer = one_of("optimizer", said("optimizer", optimizer, None), RULES)
    request.loss = one_of("loss", said("loss", loss, ""), ("", *LOSSES))
    request.step = said("step", step, "" if request.optimizer == "polyak" else None)
    request.schedule = schedule_word("schedule", said("schedule", schedule, "constant"))
    request.momentum = said("momentum", momentum, "0")
    request.init = "trajectory" if init is None else str(init)
    if not len(recorded):
        raise refused("t", "the trajectory records no step")
    request.steps = whole("steps", recorded.t[-1] if steps is None else steps, 0)
    request.bits = whole("bits", bits, 1, 3000)
    request.share = _exact(share, "share")
    request.compare(_attest.Trajectory.of([int(t) for t in recorded.t],
                                          np.ascontiguousarray(recorded.W, dtype=np.float64), dict(stated)))
    data = held(X, Y, v, **keys)
    answer, certificate, trace = _attest.run(data._held, request, _call(time_limit, memory_limit, progress))
    return Comparison.of(data, json.loads(answer), certificate, trace)


def checkpoint(X: Any, Y: Any = None, v: Any = None, *, W: Any = None, K: Any = None, Q: Any = None,
               decoder: Any = None, optimizer: Optional[str] = None, step: Any = None, loss: str = "logistic",
               time_limit: float = 0, memory_limit: int = 0, progress: Union[None, bool, Progress] = None,
               **keys: Any) -> Layer:
    """What is proved about a trained layer: its attention, the selection it is nearest to, all further training.

    Parameters
    ----------
    X, Y, v, **keys
        As for :func:`certify`.
    W : (d, e) array, or K : (d, m) and Q : (e, m) with W = K Q', multiplied exactly
        The layer, as it stands in x' W z: of a torch Linear the transposed weight.
    decoder : (d,) array, optional
        In place of the instance's v; then there is no certificate, which would speak of another instance.
    optimizer, step : optional
        How training goes on; default each rule in turn, with its own step.

    Returns a :class:`Layer`.

    >>> layer = attest.checkpoint([[[1, 0], [0, 1]]], [1], [1, 0], query=0, W=[[9, 0], [0, 0]])
    >>> layer.selection, layer.verdict, layer.attention[0].weights[0].lo > 0.999
    ((0,), 'holds', True)
    """
    weights = {key: _raw(key, value) for key, value in dict(W=W, K=K, Q=Q, v=decoder).items() if value is not None}
    data = held(X, Y, v, **keys)
    answer, certificate, _ = _attest.checkpoint(data._held, weights, one_of("optimizer", optimizer or "", ("", *RULES)),
                                                "" if step is None else _exact(step, "step"),
                                                one_of("loss", loss, ("", *LOSSES)),
                                                _call(time_limit, memory_limit, progress))
    return Layer.of(data, json.loads(answer), "" if decoder is not None else certificate)


def path(X: Any, Y: Any = None, v: Any = None, *, loss: str = "", norm: str = "fro", time_limit: float = 0,
         memory_limit: int = 0, progress: Union[None, bool, Progress] = None, **keys: Any) -> Path:
    """Bounds the regularisation path over balls in ``norm`` for every radius beyond an explicit one (theory.md T21).

    Arguments as for :func:`certify`, ``loss`` empty for the head's own; returns a :class:`Path`.

    >>> path = attest.path([[[1, 0], [0, 1]]], [1], [1, 0], query=0)
    >>> path.verdict, path.bound(1000) < 0.01
    ('holds', True)
    """
    data = held(X, Y, v, **keys)
    answer, certificate, near = _attest.path(data._held, one_of("loss", loss, ("", *LOSSES)), norm,
                                             _call(time_limit, memory_limit, progress))
    return Path.of(data, json.loads(answer), certificate, near)


def audit(X: Any, Y: Any = None, v: Any = None, *, precision: int = 128, time_limit: float = 0, memory_limit: int = 0,
          progress: Union[None, bool, Progress] = None, **keys: Any) -> Audit:
    """What one asks first of a dataset: equal tokens, ties, conflicts, how many sequences must go, margins, rounding.

    Arguments as for :func:`certify`; returns an :class:`Audit`.

    >>> found = attest.audit([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [1, 1], [1, 0], z=[[1], [0]])
    >>> found.zero_queries, found.drop.at_least, found.drop.at_most
    ((1,), 1, 1)
    """
    data = held(X, Y, v, **keys)
    answer, certificate, near = _attest.audit(data._held, bits_of_enclosures(precision),
                                              _call(time_limit, memory_limit, progress))
    return Audit.of(data, json.loads(answer), certificate, near)


def verify(X: Any, Y: Any = None, v: Any = None, *, select: Optional[Sequence[int]] = None, loss: str = "logistic",
           budget: Optional[int] = None, run_steps: Optional[int] = None, gd_step: Any = "", ngd_step: Any = "1/10",
           time_limit: float = 0, memory_limit: int = 0, progress: Union[None, bool, Progress] = None,
           **keys: Any) -> Theorems:
    """Which theorems of the papers hold on this instance: a sequence of one :class:`Row` each, none skipped.

    ``budget`` margin problems may be solved and ``run_steps`` steps made; by default some seconds' worth.

    >>> [row.verdict for row in attest.verify([[[1, 0], [0, 1]]], [1], [1, 0], query=0) if row.id == "A.svm"]
    ['holds']
    """
    data = held(X, Y, v, **keys)
    answer, _, _ = _attest.verify(data._held, tokens("select", select), one_of("loss", loss, LOSSES),
                                  None if budget is None else whole("budget", budget, 0),
                                  None if run_steps is None else whole("run_steps", run_steps, 0),
                                  _exact(gd_step, "gd_step"), _exact(ngd_step, "ngd_step"),
                                  _call(time_limit, memory_limit, progress))
    return Theorems.of(data, json.loads(answer))


def selections(X: Any, Y: Any = None, v: Any = None, *, budget: Optional[int] = None, time_limit: float = 0,
               memory_limit: int = 0, progress: Union[None, bool, Progress] = None, **keys: Any) -> Selections:
    """The selections that training may end in: the locally optimal ones with their margins.

    >>> attest.selections([[[1, 0], [0, 1]]], [1], [1, 0], query=0).found[0]["selection"]
    [0]
    """
    data = held(X, Y, v, **keys)
    answer, certificate, _ = _attest.selections(data._held, None if budget is None else whole("budget", budget, 0),
                                              _call(time_limit, memory_limit, progress))
    return Selections.of(data, json.loads(answer), certificate, None)


def check(instance: Any, certificate: Union[str, "os.PathLike[str]"], *, require: Sequence[str] = ()) -> Checked:
    """Has the independent checker (the code of ``attest-check``, which shares none with the rest) verify a certificate.

    ``instance`` is an Instance or a path; ``certificate`` a path or the text itself. ``require`` names claim kinds that
    must be among the verified ones. Raises CheckFailure when it is not verified.
    """
    with _files(instance, certificate) as (data, proof, _):
        lines, vacuous = _attest.check(data, proof, list(require))
    return Checked(tuple(lines), vacuous)


def to_coq(instance: Any, certificate: Union[str, "os.PathLike[str]"]) -> str:
    """A certificate as theorems of Coq: the text of a file, one theorem a claim (``attest export --coq``).

    Arguments as for :func:`check`, which is done first. Raises ValueError where no claim can be stated.
    """
    with _files(instance, certificate) as (data, proof, folder):
        output = os.path.join(folder, "Instance.v")
        said = _attest.export_coq(data, proof, output, _call(0, 0, None))
        if not os.path.exists(output):
            raise ValueError(said)
        with open(output, encoding="utf-8") as file:
            return file.read().replace(folder + os.sep, "")


@contextmanager
def _files(instance: Any, certificate: Union[str, "os.PathLike[str]"]) -> Iterator[Tuple[str, str, str]]:
    """Paths of instance and certificate, and a folder that is there as long as this is open."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(instance, Instance):
            name = os.path.join(folder, "instance.npz" if instance._held.binary64 else "instance.json")
            instance.save(name)
        else:
            name = os.fspath(instance)
        if isinstance(certificate, str) and "\n" in certificate:
            text, certificate = certificate, os.path.join(folder, "certificate")
            with open(certificate, "w", encoding="ascii", newline="\n") as file:
                file.write(text)
        yield name, os.fspath(certificate), folder
