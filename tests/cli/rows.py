#!/usr/bin/env python3
"""rows.py ATTEST CHECKER SOURCE [VERIFIED]: attest certify --joint and --selected-sets, path --joint and run --joint
as a user has them. Planar examples have the limits that can be seen by hand; random instances have those that
enumeration in fractions finds (tests/mutation/rows_mutations.py). Every certificate is checked again, the first ones
by the verified checker too, with the same lines."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

ATTEST, CHECKER, SOURCE = sys.argv[1:4]
VERIFIED = sys.argv[4:]
sys.path.insert(0, str(pathlib.Path(SOURCE) / "tests" / "mutation"))
from rows_mutations import Problem  # noqa: E402  (found by the path above)


def fail(what):
    sys.exit(f"rows.py: {what}")


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


class Folder:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.verified = 0

    def certify(self, instance, *options, status=0):
        """The JSON answer; the certificate is verified."""
        data, certificate = self.path / "data.json", self.path / "data.cert"
        certificate.unlink(missing_ok=True)
        data.write_text(json.dumps(instance))
        done = run(ATTEST, "certify", data, "--json", "-o", certificate, *options)
        if done.returncode != status:
            fail(f"{options} of {instance}: status {done.returncode}, {done.stdout} {done.stderr}")
        if status == 0:
            checked = run(CHECKER, data, certificate)
            if checked.returncode not in (0, 3):
                fail(f"{options} of {instance}: {checked.stderr}")
            lines = checked.stdout.count("v claim")
            if lines != len(json.loads(done.stdout)["claims"]):
                fail(f"{options}: {lines} lines")
            if VERIFIED and self.verified < 5:
                self.verified += 1
                again = run(*VERIFIED, data, certificate)
                if (again.returncode, again.stdout) != (checked.returncode, checked.stdout):
                    fail(f"{options} of {instance}: the verified checker ends with {again.returncode}: {again.stderr}")
        return json.loads(done.stdout)

    def sets(self, instance, sets, **more):
        (self.path / "sets.json").write_text(json.dumps(sets))
        return self.certify(instance, "--selected-sets", self.path / "sets.json", **more)


def near(enclosure, squared):
    """Does the enclosure of a norm hold the root of a fraction?"""
    return Fraction(enclosure["lo"]) ** 2 <= squared <= Fraction(enclosure["hi"]) ** 2


def plane(middle):
    """Rows of the decoder (0,1), `middle`, (1,0); of the attention (1,0), (-1,1), (1,1)."""
    return {"X": [[[0, 1], [0, 0]], [[-x for x in middle], [0, 0]], [[0, 0], [1, 0]]], "Y": [1, -1, 1], "v": [1, 1],
            "K": [[[1, 0], [0, 0]], [[-1, 1], [0, 0]], [[0, 0], [1, 1]]], "alpha": [0, 0, 1]}


def planar(folder):
    for name, middle in (("tight", [0.5, 0.5]), ("relaxed", [1, 1])):
        sample = pathlib.Path(SOURCE) / "certify" / "samples" / f"plane_{name}.json"
        assert json.loads(sample.read_text()) == plane(middle), sample
    tight = folder.certify(plane([0.5, 0.5]), "--joint")
    # Tokens beside the selected ones are 0. Sequence 0 alone leaves a margin of (1-X)/sqrt(1+(1-X)^2): nu = 2^-3/2.
    assert tight["label_margins"]["verdict"] == "holds" and tight["label_margins"]["finished"], tight
    assert 0.94 * 0.125 <= Fraction(tight["label_margins"]["nu"]) ** 2 <= 0.125, tight
    assert tight["verdict"] == "feasible" and tight["decoder"]["supporting"] == [0, 1, 2], tight
    assert tight["attention"]["problem"] == "plain" and near(tight["attention"]["norm_value"], 5), tight
    assert near(tight["decoder"]["norm_value"], 2) and tight["decoder"]["strictly_complementary"] is True, tight
    relaxed = folder.certify(plane([1, 1]), "--joint")
    assert relaxed["decoder"]["supporting"] == [0, 2] and relaxed["attention"]["relaxed"] == [1], relaxed
    assert relaxed["attention"]["problem"] == "relaxed" and near(relaxed["attention"]["norm_value"], 2), relaxed
    assert relaxed["attention"]["support"] == [[0, 1], [1, 1]] and relaxed["attention"]["rank"] == 1, relaxed
    margins = relaxed["label_margins"]
    assert (margins["verdict"], margins["verdict_supporting"], margins["witness"]["kind"]) == ("fails", "holds", "ray")
    (a, ), (b, ) = margins["witness"]["W"]
    assert 0 < b - a < min(a, a + b), margins
    assert [claim["kind"] for claim in relaxed["claims"]].count("joint-attention") == 1
    enclosed = folder.certify(plane([1, 1]), "--joint", "--form", "enclosure")
    assert enclosed["attention"]["support"] == [[0, 1], [1, 1]] and near(enclosed["attention"]["norm_value"], 2)
    against = folder.certify({**plane([1, 1]), "X": [[[1, 0], [0, 0]], [[1, 0], [0, 0]], [[0, 0], [1, 0]]]}, "--joint")
    assert against["verdict"] == "infeasible" and against["attention"] is None, against
    assert against["decoder"]["witness"]["groups"] == [0, 1], against
    data = {"X": [[[2], [2], [0]], [[0], [1], [0]]], "Y": [1, 1], "v": [1],
            "K": [[[1, 2], [1, 0], [0, 1]], [[0, 0], [4, 0], [4, 0]]]}
    answer = folder.sets(data, [[0, 1], [2]])
    assert answer["verdict"] == "feasible" and near(answer["norm_value"], 1) and answer["support"] == [[0, 2]], answer
    assert answer["selected_sets"] == [[0, 1], [1]] and answer["equalities"] == 1, answer
    for sets in ([[0, 1]], [[0, 3], [1]], [[], [1]], [0, 1], {"0": [1]}, [[0, -1], [1]], [[0, 0.5], [1]]):
        assert "error" in folder.sets(data, sets, status=2), sets
    scored = {"X": data["X"], "scores": [[2, 1, 0], [0, 1, 0]]}
    assert "decoder" in folder.certify(scored, "--joint", status=2)["error"]["message"]
    words = run(ATTEST, "certify", folder.path / "data.json", "--joint", "--norm", "nuc")
    assert words.returncode == 2, words.stderr


def joint_paths(folder):
    """The planar examples' joint paths; what is broken has none."""
    for middle, problem in (([0.5, 0.5], "plain"), ([1, 1], "relaxed")):
        (folder.path / "data.json").write_text(json.dumps(plane(middle)))
        certificate = folder.path / "path.cert"
        certificate.unlink(missing_ok=True)
        done = run(ATTEST, "path", folder.path / "data.json", "--joint", "--json", "-o", certificate)
        found = json.loads(done.stdout)["path"]
        assert done.returncode == 0 and (found["verdict"], found["problem"]) == ("holds", problem), done.stdout
        assert all(float(found[key]) > 0 for key in ("from_radius", "from_decoder_radius", "rate_constant")), found
        assert (float(found["slope"]) > 0) == (problem == "relaxed"), found
        checked = run(CHECKER, folder.path / "data.json", certificate)
        assert checked.returncode == 0 and "joint-path problem" in checked.stdout, checked
    # The tokens beside the selected ones are better: attention on them leaves a larger label margin.
    better = {**plane([0.5, 0.5]), "X": [[[0, 1], [0, 3]], [[-0.5, -0.5], [-2, -2]], [[3, 0], [1, 0]]]}
    (folder.path / "data.json").write_text(json.dumps(better))
    answer = json.loads(run(ATTEST, "path", folder.path / "data.json", "--joint", "--json").stdout)
    assert answer["path"]["verdict"] == "fails" and answer["label_margins"]["witness"]["kind"] == "point", answer


def joint_runs(folder):
    """Joint runs from a point on the limit, of one row, without a decoder's limit, with a margin left negative."""
    def trained(instance, *options, optimizer="ngd", statuses=(0, 30)):
        (folder.path / "data.json").write_text(json.dumps(instance))
        done = run(ATTEST, "run", folder.path / "data.json", "--joint", "--optimizer", optimizer, "--step", "1/10",
                   "--json", *options)
        if done.returncode not in statuses:
            fail(f"run --joint {options} of {instance}: status {done.returncode}, {done.stderr}")
        return json.loads(done.stdout)

    limit = folder.path / "limit.json"
    limit.write_text("[[1], [2]]")
    on = trained(plane([0.5, 0.5]), "--steps", "5", "--init", f"@{limit}")
    start = on["checkpoints"][0]
    for band in (start["one_minus_corr"]["plain"], start["decoder"]["one_minus_corr"]):
        assert Fraction(band["lo"]) <= 0 <= Fraction(band["hi"]), start
    assert on["verdict"] == "complete" and on["nearest"] == "plain", on
    one = trained({"X": [[[0, 1], [0, 0]]], "Y": [1], "v": [1, 1], "K": [[[1, 0], [0, 0]]]}, "--steps", "200")
    assert one["verdict"] == "complete" and one["nearest"] == "plain", one
    mirror_joint_runs(trained)
    certified_joint_runs(folder, trained)
    against = {**plane([1, 1]), "X": [[[1, 0], [0, 0]], [[1, 0], [0, 0]], [[0, 0], [1, 0]]]}
    assert trained(against, "--steps", "30")["nearest"] is None
    ahead = trained(plane([1, 1]), "--steps", "100", "--decoder-step", "1/2")
    shifted = next(limit for limit in ahead["limits"] if limit["problem"] == "shifted")
    assert shifted["selects"] is False, ahead["limits"]
    level = trained(plane([1, 1]), "--steps", "100", "--decoder-step", "1/20")
    shifted = next(limit for limit in level["limits"] if limit["problem"] == "shifted")
    assert shifted["selects"] is True, level["limits"]
    # e^-Y of late steps is written with an exponent.
    late = trained(one_token_left(), "--steps", "400", "--decoder-step", "1")
    assert max(len(band["hi"]) for point in late["checkpoints"] for band in point["one_minus_s"] if band) < 200, late


def certified_joint_runs(folder, trained):
    """Their certificates, re-checked; none from another start."""
    certificate = folder.path / "run.cert"
    for middle, options in (([0.5, 0.5], ()), ([1, 1], ("--decoder-step", "1/50", "--schedule", "invsqrt"))):
        certificate.unlink(missing_ok=True)
        found = trained(plane(middle), "--steps", "40", "-o", certificate, *options)
        checked = run(CHECKER, folder.path / "data.json", certificate)
        assert checked.returncode == 0 and "joint-run problem" in checked.stdout, checked
        assert "one-minus-corr" in checked.stdout and found["claims"][-1]["kind"] == "joint-run", found["claims"]
    slower = ("--schedule", "power:-1/8", "--decoder-step", "1/5")
    proved = (one_token_left(), ()), (two_groups(), slower), (two_groups(), ("--loss", "exponential"))
    for instance, options in proved:
        certificate.unlink()
        found = trained(instance, "--steps", "400", "--until-forever", "-o", certificate, *options)
        checked = run(CHECKER, folder.path / "data.json", certificate)
        at = found["forever"]["t0"]
        assert checked.returncode == 0 and f"joint-run {len(found['claims']) - 1} at {at} " in checked.stdout, checked
        assert found["claims"][-1]["kind"] == "joint-forever" and found["limit"] == "plain", found["claims"]
    certificate.unlink()
    other = trained(plane([1, 1]), "--steps", "5", "--decoder-init", "random:1", "-o", certificate)
    assert other["certificate"] is None and other["certificate_note"] and not certificate.exists(), other


def mirror_joint_runs(trained):
    """Mirror descent of both: on its limit, towards it, and what does not go together."""
    one = {"X": [[[0, 1], [0, 0]]], "Y": [1], "v": [1, 1], "K": [[[3, 1], [0, 0]]]}
    found = trained(one, "--steps", "60", "--potential", "3", optimizer="nmd")
    assert found["verdict"] == "complete" and found["nearest"] == "plain" and found["supporting"] == [0], found
    assert found["attention"] == {"optimizer": "nmd", "step": "1/10", "power": "0", "potential": "3"}, found
    assert found["forever"]["reason"] and found["limit"] is None and len(found["shapes"]) == 3, found
    # W moves along sign(K) |K|^(1/2) from the first step on, which is the solution's direction in the 3-norm.
    last = found["checkpoints"][-1]
    assert Fraction(last["one_minus_corr"]["plain"]["hi"]) < Fraction(1, 10 ** 10), last
    plain = trained(one, "--steps", "20", "--potential", "7/4", "--decoder-optimizer", "nmd", optimizer="md")
    assert plain["verdict"] == "complete" and plain["decoder"]["optimizer"] == "nmd", plain
    for optimizer, options in (("nmd", ()), ("ngd", ("--potential", "3")), ("polyak", ()),
                               ("nmd", ("--potential", "3", "--decoder-optimizer", "gd")),
                               ("gd", ("--decoder-optimizer", "md"))):
        assert "error" in trained(one, "--steps", "2", *options, optimizer=optimizer, statuses=(2,)), options


def catalogue(folder):
    """Rows of joint training: decided on the planar examples, and on a run that T20 covers."""
    def verdicts(instance, *options):
        (folder.path / "data.json").write_text(json.dumps(instance))
        rows = json.loads(run(ATTEST, "verify", folder.path / "data.json", "--json", *options).stdout)
        return {row["id"]: row["verdict"] for row in rows if row["id"] in JOINT_ROWS}

    tight = verdicts(plane([0.5, 0.5]), "--no-runs")
    assert [tight[row] for row in JOINT_ROWS] == ["holds", "holds", "holds", "undecided", "holds"], tight
    relaxed = verdicts(plane([1, 1]), "--no-runs")
    assert [relaxed[row] for row in JOINT_ROWS] == ["holds", "fails", "holds", "undecided", "undecided"], relaxed
    trained = verdicts({"X": [[[0, 0, 2, 4], [-4, -3, 3, 4]], [[-2, -2, 3, -1], [-2, 3, -2, -1]]], "Y": [1, -1],
                        "v": [1, 0, -3, -3], "query": 0}, "--steps", "500")
    assert trained["C.joint"] == "holds", trained


JOINT_ROWS = ("A.vsvm", "A.margin", "A.joint", "C.joint", "D.joint")


def one_token_left():
    return {"X": [[[0, 9], [0, 0]]], "Y": [1], "v": [1, 1], "K": [[[9, 0], [0, 0]]]}


def two_groups():
    """Both support the decoder, (1,2,0)/2, with different multipliers; two tokens of group 1 are equal to W."""
    return {"X": [[[2, 0, 0], [0, 0, 1]], [[0, 1, 0], [-1, 0, 0], [0, 0, 0], [0, 0, 2]]], "Y": [1, 1], "v": [2, 2, 1],
            "K": [[[2, 1], [0, 0]], [[0, 0], [-1, -2], [-3, -4], [-1, -2]]]}


def drawn(source, groups, tokens, dimension, keys, size):
    def row(n):
        return [source.randint(-size, size) for _ in range(n)]
    return {"X": [[row(dimension) for _ in range(tokens)] for _ in range(groups)],
            "Y": [source.choice([1, -1]) for _ in range(groups)], "v": row(dimension),
            "K": [[row(keys) for _ in range(tokens)] for _ in range(groups)],
            "alpha": [source.randrange(tokens) for _ in range(groups)]}


def agrees(found, problem, what):
    """One problem's answer against enumeration."""
    if (problem.w is None) != (found["verdict"] == "infeasible"):
        fail(f"{what}: {found['verdict']}")
    if problem.w is None:
        return
    w = problem.w
    if not near(found["norm_value"], sum(x * x for x in w)):
        fail(f"{what}: {found['norm_value']}, not {w}")
    if [tuple(place) for place in found["support"]] != problem.support():
        fail(f"{what}: {found['support']}, not {problem.support()}")


def enumerated(folder):
    source = random.Random(7)
    seen = {"plain": 0, "relaxed": 0, "infeasible": 0, "undefined": 0, "sets": 0, "no sets": 0}
    for count in range(60):
        data = drawn(source, source.randint(1, 4), source.randint(2, 3), 2 + count % 2, 2, 3)
        text = json.dumps(data)
        keys = [[group[a] for a in range(len(group))] for group in data["K"]]
        first = [next(t for t, key in enumerate(group) if key == group[a]) for group, a in zip(keys, data["alpha"])]
        # Equal keys of the selected token with other rows of X are refused.
        if any(group[t] == group[a] and t != a for group, a in zip(keys, first) for t in range(len(group))):
            continue
        selection = ("selection", str(len(first)), *map(str, first))
        decoder = Problem([("decoder",), selection], text)
        form = ["auto", "exact", "enclosure"][count % 3]
        answer = folder.certify(data, "--joint", "--form", form)
        agrees(answer["decoder"], decoder, f"decoder of {text}")
        if decoder.w is None:
            seen["undefined"] += 1
            continue
        relaxed = [i for i, a in enumerate(first) if (i, a) not in decoder.support()]
        lines = [("relaxed", str(len(relaxed)), *map(str, relaxed)), selection] if relaxed else [selection]
        if answer["attention"]["relaxed"] != relaxed:
            fail(f"{text}: {answer['attention']['relaxed']} are relaxed, not {relaxed}")
        attention = Problem(lines, text)
        agrees(answer["attention"], attention, f"attention of {text}")
        seen["infeasible" if attention.w is None else answer["attention"]["problem"]] += 1
        sets = [sorted(source.sample(range(len(group)), source.randint(1, 2))) for group in data["K"]]
        same = [sorted({next(s for s, key in enumerate(group) if key == group[t]) for t in chosen})
                for group, chosen in zip(keys, sets)]
        found = Problem([("selected-sets", str(len(same)), *(",".join(map(str, s)) for s in same))], text)
        agrees(folder.sets(data, sets), found, f"sets {sets} of {text}")
        seen["no sets" if found.w is None else "sets"] += 1
    print(seen)
    if min(seen[key] for key in ("plain", "relaxed", "sets", "no sets", "undefined", "infeasible")) < 2:
        fail("some outcome hardly occurs")


def infeasible_runs(folder):
    """A query of zero: whatever is selected, no W separates it, and the answer says which row."""
    data, sets = folder.path / "data.json", folder.path / "sets.json"
    data.write_text(json.dumps({"X": [[[1, 0], [0, 1]]], "Y": [1], "v": [1, 0], "z": [[0, 0]]}))
    sets.write_text("[[0]]")
    steps = ("--optimizer", "gd", "--step", "1/10", "--steps", "1", "--json")
    witness = {"rows": [[0, 1]], "groups": [0]}
    joint = json.loads(run(ATTEST, "run", data, "--joint", *steps).stdout)
    assert joint["limits"][0]["verdict"] == "infeasible" and joint["limits"][0]["witness"] == witness, joint
    for model in (("--optimizer", "md", "--potential", "3"), ("--optimizer", "gd", "--parameterization", "kq")):
        answer = json.loads(run(ATTEST, "run", data, *model, *steps[2:]).stdout)
        assert answer["witness"] == witness, answer
    several = json.loads(run(ATTEST, "run", data, "--selected-sets", sets, *steps).stdout)["selected_sets"]
    assert several["margin_problem"] == "infeasible" and several["witness"] == witness, several


def main():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        planar(folder)
        joint_paths(folder)
        joint_runs(folder)
        catalogue(folder)
        enumerated(folder)
        infeasible_runs(folder)


main()
