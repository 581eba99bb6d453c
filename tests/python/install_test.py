"""pip installs the package without a network, from a build that is there, and what it installs works alone."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

SOURCES, BUILD = (Path(os.environ[name]) for name in ("ATTEST_PYTHON_SOURCES", "ATTEST_BUILD"))


@unittest.skipUnless(find_spec("pip") and find_spec("setuptools") and find_spec("wheel"), "no pip, setuptools or wheel")
class Install(unittest.TestCase):
    def test_target(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder, target = Path(scratch) / "sources", Path(scratch) / "target"
            shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                            "--no-build-isolation", "--disable-pip-version-check", "--target", target, folder],
                           check=True, env={**os.environ, "PIP_CACHE_DIR": scratch})
            code = ("import attest, attest.experiments; from pathlib import Path; "
                    "assert Path(attest.__file__).parents[1] == Path({!r}); "
                    "print(attest.certify([[[1, 0], [0, 1]]], [1], [1, 0], query=0).check())").format(str(target))
            done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(target)},
                                  capture_output=True, text=True, cwd=scratch)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("optimal", done.stdout)
            self.assertTrue((target / "attest" / "_attest.pyi").exists())
            self.assertTrue((target / "bin" / "attest-experiment").exists())


if __name__ == "__main__":
    unittest.main()
