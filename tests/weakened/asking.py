"""What asks the tests of a changed source: commands with a limit of time, a copy of the tree, the corpus."""
import os
import shutil
import signal
import subprocess

from entries import ROOT


def quiet(command, timeout, cwd=None, env=None):
    """(exit code or None after the timeout, the last of the output)."""
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        code = None
    return code, output.decode(errors="replace")[-4000:]


def copy_tree(work):
    """work/tree: the sources, with unchanged files left alone so that builds stay incremental."""
    tree = os.path.join(work, "tree")
    wanted = set()
    for part in ("proofs", "tests"):
        for folder, folders, files in os.walk(os.path.join(ROOT, part)):
            folders[:] = [one for one in folders if one not in ("build", "__pycache__")]
            for name in files:
                source = os.path.join(folder, name)
                target = os.path.join(tree, os.path.relpath(source, ROOT))
                wanted.add(target)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(source, "rb") as one:
                    content = one.read()
                if os.path.exists(target):
                    with open(target, "rb") as other:
                        if other.read() == content:
                            continue
                with open(target, "wb") as other:
                    other.write(content)
                shutil.copymode(source, target)
    for folder, _, files in os.walk(tree):
        for name in files:
            if os.path.join(folder, name) not in wanted:
                os.remove(os.path.join(folder, name))
    return tree


def cases(tree):
    """(case, instance, certificate, expected exit codes, words of the refusal) of the corpus."""
    for kind in ("correct", "incorrect", "malformed"):
        folder = os.path.join(tree, "tests", "corpus", kind)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".case"):
                with open(os.path.join(folder, name), encoding="utf-8") as text:
                    fields = dict(line.split(" ", 1) for line in text.read().splitlines())
                yield (name, os.path.join(folder, fields["instance"]), os.path.join(folder, fields["certificate"]),
                       [int(code) for code in fields["exit"].split()], fields.get("message", ""))


def answered_otherwise(tree, program, some="", beyond={}):
    """(case, how) for the cases of the corpus, of those whose names have `some`, that the program answers otherwise;
    of those `beyond` it no words are asked, and this exit code if it names one."""
    for name, instance, certificate, expected, words in cases(tree):
        if some not in name:
            continue
        if name in beyond:
            expected, words = beyond[name] or expected, ""
        code, output = quiet([program, instance, certificate], 60)
        if code not in expected:
            yield name, f"{name}: exit {code}"
        elif words not in output:
            yield name, f"{name}: other words"


def corpus(tree, program, some="", beyond={}):
    """How the first such case is answered, or nothing."""
    return next((how for _, how in answered_otherwise(tree, program, some, beyond)), None)
