"""Builds the extension module with the project's own CMake: pip install --no-build-isolation certify/python.

ATTEST_BUILD names a build folder that is there already, whose module is taken (and brought up to date).
"""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parents[2]


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        build = Path(os.environ.get("ATTEST_BUILD") or self.build_temp).resolve()
        if "ATTEST_BUILD" not in os.environ:
            subprocess.check_call(["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
                                   "-DATTEST_COQ=OFF", "-DATTEST_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"])
        subprocess.check_call(["cmake", "--build", str(build), "--target", "attest_python", "--parallel",
                               str(self.parallel or os.cpu_count() or 1)])
        built = list((build / "python" / "attest").glob("_attest*.so"))
        if not built:
            raise RuntimeError("CMake built no module: it needs python3-dev, python3-numpy and pybind11-dev")
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built[0]), str(target))


setup(ext_modules=[Extension("attest._attest", sources=[])], cmdclass={"build_ext": CMakeBuild})
