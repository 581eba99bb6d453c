"""job.py ATTEST MPIRUN SOURCES [PYTHON]: commands started as two and three processes of one job say, and write, what
one process does; a process that is lost ends the job with an error and nothing half-written."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import numpy
except ImportError:
    numpy = None

attest, mpirun, sources = sys.argv[1:4]
sources = Path(sources)
checker = attest + "-check"  # attest-check-job stands beside it
environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}  # which containers may forbid


def job(processes, *words):
    """The command line of a job; one process is started as always."""
    return of_processes(processes, [attest, *map(str, words)])


def of_processes(processes, line):
    return [mpirun, "--oversubscribe", "--bind-to", "none", "-n", str(processes), *line] if processes > 1 else line


def run(processes, *words):
    return run_line(processes, [attest, *map(str, words)])


def run_line(processes, line):
    done = subprocess.run(of_processes(processes, line), capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def without_costs(text):
    """What is printed but for times and memory."""
    text = re.sub(r'(?m)^c read .*\n', "", text)
    text = re.sub(r'"statistics": \{[^}]*\}', "", text)
    return re.sub(r'<tr><th scope="row">(time in all|memory of the process)</th>[^\n]*', "", text)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def write_instances(folder):
    folder.mkdir()
    for k in range(7):
        x = [[[1 + i, k - i], [i - k, 2 + t]] + [[t, i * i - k] for t in range(1 + k % 3)]
             for i in range(3) for t in [k % 2]]
        (folder / f"instance-{k}.json").write_text(json.dumps(
            {"X": x, "Y": [1, -1, 1], "v": [1, "1/3"], "z": [[1, k], [2, 1], [k - 3, 1]]}))
    (folder / "broken.json").write_text('{"X": [[[1, 0], [0]]], "Y": [1], "v": [1, 0]}')


def audits(scratch):
    folder = scratch / "instances"
    write_instances(folder)
    for form in (["--json"], ["--report", scratch / "page.html", "--force"]):
        alone = None
        for processes in (1, 3):
            out = scratch / f"certificates-{processes}"
            status, printed, told = run(processes, "audit", folder, "-o", out, *form)
            page = (scratch / "page.html").read_text() if "--report" in form else ""
            answer = (status, without_costs(printed).replace(out.name, "OUT"), contents(out),
                      without_costs(page).replace(out.name, "OUT"))
            alone = alone or answer
            for part, one, several in zip(("status", "output", "certificates", "page"), alone, answer):
                assert one == several, (form, processes, part, one, several, told)
            assert status == 2 and "broken.json" in printed, (status, printed)
    status, printed, told = run(2, "audit", folder / "instance-0.json")
    assert status in (0, 30) and "s AUDITED" in printed, (status, printed, told)
    status, printed, told = run(3, "audit", scratch / "nothing-here")
    assert status == 2 and told.count("nothing-here") == 1 - ("nothing-here" in printed), (status, printed, told)


def other_commands(scratch):
    status, printed, told = run(2, "info", sources / "certify/samples/digits01_unit.npz")
    assert status == 2 and told.count("started as several processes") == 1, (status, printed, told)


def children(pid):
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in listed.split()]


def lost(scratch):
    """One of three is killed in the middle: an error, no part of a certificate, none of the others is left.

    What is killed by SIGKILL while it writes cannot remove its own temporary file; nobody else's may stay.
    """
    folder = scratch / "many"
    folder.mkdir()
    for k in range(60):
        shutil.copy(sources / "certify/samples/digits01_unit.npz", folder / f"copy-{k:02}.npz")
    out = scratch / "some"
    with subprocess.Popen(job(3, "audit", folder, "-o", out), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment, text=True) as started:
        deadline = time.monotonic() + 120
        while not (out.exists() and any(out.glob("*.cert"))) and time.monotonic() < deadline:
            time.sleep(0.05)
        ranks = children(started.pid)
        assert len(ranks) == 3, ranks
        os.kill(ranks[1], signal.SIGKILL)
        printed, told = started.communicate(timeout=60)
    assert started.returncode != 0 and "s AUDITED" not in printed, (started.returncode, printed)
    assert "signal 9" in told, told
    assert 0 < len(list(out.glob("*.cert"))) < 60
    for path in out.iterdir():
        assert path.suffix == ".cert" or path.name.startswith(f".attest-tmp-{ranks[1]}-"), path
    whole = next(out.glob("*.cert"))
    assert run(1, "audit", folder / whole.name.removesuffix(".cert"), "-o", scratch / "again")[0] in (0, 30)
    assert (scratch / "again" / whole.name).read_bytes() == whole.read_bytes()


def write_large(folder, sequences, tokens=8, dimension=4):
    """X, z, Y, v, alpha as a folder of arrays: a teacher's selection, with many more rows than unknowns."""
    folder.mkdir()
    random = numpy.random.default_rng(3)
    x, z = random.standard_normal((sequences, tokens, dimension)), random.standard_normal((sequences, dimension))
    x, z = numpy.round(1024 * x) / 1024, numpy.round(1024 * z) / 1024  # as decimals the same numbers
    teacher = random.standard_normal((dimension, dimension))
    arrays = {"X": x, "z": z, "Y": random.choice([-1.0, 1.0], sequences), "v": numpy.arange(1.0, dimension + 1),
              "alpha": numpy.einsum("itd,de,ie->it", x, teacher, z).argmax(axis=1)}
    for key, array in arrays.items():
        numpy.save(folder / f"{key}.npy", array)
    numpy.savez(folder.with_suffix(".npz"), **arrays)
    whole = {key: array.astype(int).tolist() if key in ("Y", "alpha") else array.tolist()
             for key, array in arrays.items()}
    folder.with_suffix(".json").write_text(json.dumps(whole))


def one_instance(scratch):
    """The passes over one large instance are shared: the same certificates, the same words."""
    write_large(scratch / "large", 9000)
    for path in (scratch / "large", scratch / "large.npz", scratch / "large.json"):
        alone = None
        for processes in (1, 2, 3):
            out = scratch / f"shared{path.suffix}-{processes}"
            status, printed, told = run(processes, "certify", path, "-o", out, "--json")
            answer = (status, without_costs(printed).replace(out.name, "OUT"), out.read_bytes())
            alone = alone or answer
            for part, one, several in zip(("status", "output", "certificate"), alone, answer):
                assert one == several, (path, processes, part, told)
            assert '"sets+' in printed, printed[-300:]
    # The catalogue's rows have ten seconds, so what is said of them differs.
    for processes in (1, 2, 3):
        status, printed, told = run(processes, "audit", scratch / "large", "-o", scratch / f"audited-{processes}")
        assert "s AUDITED" in printed, (status, printed, told)
        assert contents(scratch / "audited-1") == contents(scratch / f"audited-{processes}"), processes
    # What is small goes no other way; what is wrong is said once.
    for path in (sources / "certify/samples/digits01_unit.npz", scratch / "nothing-here"):
        one, several = (run(processes, "certify", path) for processes in (1, 2))
        assert one[0] == several[0] and without_costs(one[1]) == without_costs(several[1]), (one, several)
        assert several[2].count("nothing-here") == one[2].count("nothing-here"), several


def checks(scratch):
    """attest-check-job says what attest-check says, of what is right and of what is not."""
    certificate, changed = scratch / "shared-1", scratch / "changed.cert"
    changed.write_text(certificate.read_text().replace("\nclaim 1 ", "\nclaim 2 ", 1))
    larger = scratch / "larger"
    shutil.copytree(scratch / "large", larger)
    x = numpy.load(larger / "X.npy", mmap_mode="r+")
    x[-1, 0, 0] += 1
    x.flush()
    for instance, proof, expected in ((scratch / "large", certificate, 0), (scratch / "large.npz", certificate, 0),
                                      (scratch / "large.json", certificate, 0), (larger, certificate, 4),
                                      (scratch / "large", changed, 2), (scratch / "nothing-here", certificate, 2)):
        one = subprocess.run([checker, instance, proof], capture_output=True, text=True, check=False)
        assert one.returncode == expected, (instance, one)
        for processes in (1, 2, 3):
            line = [checker + "-job", str(instance), str(proof)]
            status, printed, told = run_line(processes, line)
            assert (status, printed) == (one.returncode, one.stdout), (instance, processes, status, told)
            assert told.count(one.stderr) == 1 or not one.stderr, (one.stderr, told)


def memory_of_an_audit(scratch):
    """Of 700,000 rows an audit holds none, nor their numbers; a number of some words each would be 100 MB and more."""
    most = 0  # kB, 29 MB of mapped pages included
    with subprocess.Popen([attest, "audit", str(scratch / "huge")], stdout=subprocess.PIPE, text=True) as started:
        while started.poll() is None:
            held = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{started.pid}/status").read_text())
            most = max(most, int(held.group(1)) if held else 0)
            time.sleep(0.01)
        printed = started.stdout.read()
    assert "s AUDITED feasible 1" in printed and 0 < most < 200_000, (most, started.returncode, printed)


def lost_in_a_check(scratch):
    """One of three that check an instance is killed: an error, no verdict."""
    line = [checker + "-job", str(scratch / "huge"), str(scratch / "shared-1")]
    with subprocess.Popen(of_processes(3, line), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                          text=True) as started:
        deadline = time.monotonic() + 60
        while len(ranks := children(started.pid)) < 3 and time.monotonic() < deadline:
            time.sleep(0.001)
        os.kill(ranks[1], signal.SIGKILL)
        printed, told = started.communicate(timeout=60)
    assert started.returncode != 0 and not printed, (started.returncode, printed)
    assert "signal 9" in told, told


def lost_in_a_pass(scratch):
    """One of three that share an instance is killed: an error, nothing written."""
    out = scratch / "unfinished.cert"
    with subprocess.Popen(job(3, "certify", scratch / "large", "-o", out), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment, text=True) as started:
        deadline = time.monotonic() + 60
        while len(ranks := children(started.pid)) < 3 and time.monotonic() < deadline:
            time.sleep(0.001)
        os.kill(ranks[2], signal.SIGKILL)
        printed, told = started.communicate(timeout=60)
    assert started.returncode != 0 and "s FEASIBLE" not in printed, (started.returncode, printed)
    assert "signal 9" in told, told
    assert not [path for path in scratch.iterdir() if path.name.startswith("unfinished")]


def experiments(scratch):
    alone = None
    for processes in (1, 2):
        out = scratch / f"experiment-{processes}"
        status, printed, told = run(processes, "experiment", "local-convergence", "--seeds", "2", "-o", out)
        assert status == 0, (processes, status, printed, told)
        answer = (printed.replace(out.name, "OUT"), contents(out))
        alone = alone or answer
        assert alone == answer, (processes, alone[0], answer[0], set(alone[1]) ^ set(answer[1]))
    status, _, told = run(2, "experiment", "global-shares", "--seeds", "2", "-o", out)
    assert status == 2 and told.count("other settings") == 1, (status, told)


with tempfile.TemporaryDirectory() as place:
    audits(Path(place))
    other_commands(Path(place))
    lost(Path(place))
    if numpy is not None:
        write_large(Path(place) / "huge", 100000)
        one_instance(Path(place))
        memory_of_an_audit(Path(place))
        lost_in_a_pass(Path(place))
        checks(Path(place))
        lost_in_a_check(Path(place))
    if "--experiments" in sys.argv:
        experiments(Path(place))
print("as one process")
