"""Figures against kept images; their colours told apart with every kind of colour vision; vector formats stay vector.

images_test.py --keep draws the images of tests/python/images anew, to be looked at before they are committed.
"""

import io
import itertools
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import attest
from attest import figures
from package_test import sample

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.testing.compare import compare_images
except ImportError:
    matplotlib = None

IMAGES = Path(__file__).parent / "images"
MADE_WITH = "3.6"  # other versions place text otherwise
TOLERANCE = 6  # root mean square difference of grey levels


def recorded(data):
    """Exact points moved by a growing share, the last one with another token in front."""
    t = np.array([0, 1, 2, 5, 10, 20, 50, 100])
    found = attest.certify(data)
    W = np.stack([0 * found.W] + [s ** 0.9 / 10 * found.W / np.linalg.norm(found.W) for s in t[1:]])
    W[-1] *= -0.3
    return attest.Trajectory(t, W, {"optimizer": "ngd", "step": "1/10"})


def draw_all():
    """(name, axes) of every kind of result."""
    X, Y, v, z = sample(1)
    data = attest.instance(X, Y, v, z=z)
    run = attest.run(data, step="1/10", steps=200)
    plane = attest.certify([[[3, 1], [0, 2], [1, -1], [-1, 0]], [[1, 3], [2, 0], [0, 1], [-1, 1]]], [1, -1], [1, -1],
                           z=[[1, 0], [0, 1]], select=[0, 0])
    yield "margins", attest.certify(data).plot()
    yield "run", run.plot()
    yield "attention_over_time", figures.attention_over_time(run)
    yield "path", attest.path(data).plot()
    yield "selections", attest.selections(data).plot()
    yield "comparison", attest.compare(recorded(data), data).plot()
    yield "layer", attest.checkpoint(data, W=np.eye(5)).plot()
    yield "attention", figures.attention(data, 3 * np.eye(5))
    yield "tokens", figures.tokens(plane, 0)
    yield "joint", attest.certify_joint(data, form="enclosure").plot()
    yield "sets", attest.certify_sets(data, selected_sets=[[0, 1], [2], [3]]).plot()
    rows = attest.verify(data, run_steps=0, budget=0)
    yield "theorems", figures.theorems([row for row in rows if row.id.startswith("A.")])
    yield "run_mirror", attest.run(data, optimizer="nmd", potential="7/4", step="1/10", steps=200).plot()
    yield "run_factors", attest.run(data, optimizer="gd", parameterization="kq", step=1, steps=100).plot()
    yield "run_joint", attest.run(data, step="1/10", steps=200, joint=True).plot()
    yield "selection_graph", figures.selection_graph(attest.selections(data))


def save(ax, path):
    ax.figure.savefig(path, dpi=50, metadata={"Software": None})


@unittest.skipUnless(matplotlib, "no matplotlib")
class Images(unittest.TestCase):
    def tearDown(self):
        plt.close("all")

    @unittest.skipUnless(matplotlib and matplotlib.__version__.startswith(MADE_WITH), f"made with {MADE_WITH}")
    def test_as_kept(self):
        matplotlib.rcdefaults()
        names = set()
        with tempfile.TemporaryDirectory() as folder:
            for name, ax in draw_all():
                names.add(name)
                with self.subTest(name):
                    path = Path(folder) / f"{name}.png"
                    save(ax, path)
                    self.assertIsNone(compare_images(str(IMAGES / f"{name}.png"), str(path), TOLERANCE))
                plt.close("all")
        self.assertEqual(names, {path.stem for path in IMAGES.glob("*.png")})

    def test_vector_formats_hold_no_pixels(self):
        for name, ax in draw_all():
            text = io.StringIO()
            ax.figure.savefig(text, format="svg")
            self.assertNotIn("<image", text.getvalue(), name)
            plt.close("all")


def linear(colour):
    s = np.array([int(colour[k:k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ rgb
    f = np.cbrt(xyz / np.array([0.9505, 1, 1.089]))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# Machado, Oliveira, Fernandes, A physiologically-based model for simulation of color vision deficiency, 2009.
VISIONS = {"usual": np.eye(3),
           "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                          [-0.003882, -0.048116, 1.051998]],
           "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                            [-0.011820, 0.042940, 0.968881]],
           "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                          [0.004733, 0.691367, 0.303900]]}


class Colours(unittest.TestCase):
    def test_are_told_apart(self):
        palette = (figures.BLUE, figures.ORANGE, figures.GREEN, figures.BLACK, figures.PURPLE)
        for vision, matrix in VISIONS.items():
            seen = {colour: lab(np.clip(np.array(matrix) @ linear(colour), 0, 1)) for colour in palette}
            for a, b in itertools.combinations(palette, 2):
                self.assertGreater(np.linalg.norm(seen[a] - seen[b]), 15, (vision, a, b))  # 10 is seen at a glance


if __name__ == "__main__":
    if "--keep" in sys.argv:
        IMAGES.mkdir(exist_ok=True)
        matplotlib.rcdefaults()
        for name, ax in draw_all():
            save(ax, IMAGES / f"{name}.png")
            plt.close("all")
    else:
        unittest.main()
