"""The notebooks run from top to bottom; where Jupyter's client is installed, one of them in its kernel too."""

import json
import os
import sys
import unittest
from pathlib import Path

try:
    import matplotlib
except ImportError:
    matplotlib = None
try:
    import ipykernel
    import nbclient
    import nbformat
except ImportError:
    nbclient = None

FOLDER = Path(os.environ["ATTEST_NOTEBOOKS"])
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def code(name):
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@unittest.skipUnless(matplotlib, "no matplotlib")
class Notebooks(unittest.TestCase):
    def test_there_are_some(self):
        self.assertEqual(len(NAMES), 5)

    def test_kept_without_output(self):
        for name in NAMES:
            for cell in code(name):
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), name)

    def test_run(self):
        import matplotlib.pyplot as plt

        for name in NAMES:
            with self.subTest(name), open(os.devnull, "w") as nowhere:
                space, out = {}, sys.stdout
                sys.stdout = nowhere
                try:
                    for cell in code(name):
                        exec(compile("".join(cell["source"]), f"{name}.ipynb", "exec"), space)
                finally:
                    sys.stdout = out
                    plt.close("all")

    @unittest.skipUnless(nbclient, "no nbclient and ipykernel")
    def test_in_a_kernel(self):
        os.environ.pop("MPLBACKEND", None)  # the kernel's own: pictures in the notebook
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        notebook = nbformat.read(FOLDER / "certify_your_data.ipynb", as_version=4)
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        kinds = {kind for output in shown for kind in output.get("data", {})}
        self.assertIn("text/html", kinds)
        self.assertIn("image/png", kinds)


if __name__ == "__main__":
    unittest.main()
