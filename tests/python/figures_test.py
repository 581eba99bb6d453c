"""Figures, the estimator and PyTorch: where matplotlib, scikit-learn and PyTorch are installed."""

import doctest
import io
import sys
import unittest

import numpy as np

import attest
from package_test import sample

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    matplotlib = None
try:
    import sklearn
except ImportError:
    sklearn = None
try:
    import torch
except ImportError:
    torch = None


@unittest.skipUnless(matplotlib, "no matplotlib")
class Figures(unittest.TestCase):
    def tearDown(self):
        plt.close("all")

    def drawn(self, ax):
        text = io.StringIO()
        ax.figure.savefig(text, format="svg")
        return text.getvalue()

    def test_margins_show_every_token(self):
        X, Y, v, z = sample(2)
        found = attest.certify(X, Y, v, z=z)
        ax = found.plot()
        plain, support, _ = ax.get_lines()
        self.assertEqual(len(plain.get_xdata()) + len(support.get_xdata()), 3 * 3)
        self.assertEqual(len(support.get_xdata()), len(found.support))
        np.testing.assert_allclose(support.get_ydata(), 1, atol=1e-9)
        self.assertGreaterEqual(min(plain.get_ydata(), default=1), 1 - 1e-9)
        self.assertIn("support token", self.drawn(ax))

    def test_run_and_path(self):
        X, Y, v, z = sample(1)
        run = attest.run(X, Y, v, z=z, step="1/10", steps=200)
        self.assertIn("svg", self.drawn(run.plot()))
        self.assertIn("svg", self.drawn(attest.path(X, Y, v, z=z).plot()))
        self.assertIn("svg", self.drawn(attest.run(X, Y, v, z=z, step="1/10", steps=0).plot()))

    def test_nothing_to_draw_is_said(self):
        found = attest.certify([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [1, 1], [1, 0], z=[[1], [1]], select=[0, 0])
        self.assertIn("no W separates", self.drawn(found.plot()))


@unittest.skipUnless(sklearn, "no scikit-learn")
class Estimator(unittest.TestCase):
    def test_fit_predict_score(self):
        X, Y, v, z = sample(2)
        svm = attest.AttentionSVM().fit(X, Y, v, z=z)
        np.testing.assert_array_equal(svm.predict(X, z=z), svm.selection_)
        self.assertEqual(svm.score(X, Y, v, z=z), 1)
        self.assertEqual(svm.W_.shape, (5, 5))
        self.assertEqual(sklearn.base.clone(svm).get_params(), svm.get_params())
        with self.assertRaisesRegex(ValueError, "infeasible"):
            attest.AttentionSVM().fit([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [1, 1], [1, 0], z=[[1], [1]],
                                      select=[0, 0])


@unittest.skipUnless(torch, "no PyTorch")
class Torch(unittest.TestCase):
    def test_tensors_are_exact(self):
        X, Y, v, z = sample(2)
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            tensor = torch.tensor(X, dtype=dtype, requires_grad=True)
            self.assertEqual(attest.instance(tensor, torch.tensor(Y), torch.tensor(v), z=z).sha256,
                             attest.instance(tensor.detach().double().numpy(), Y, v, z=z).sha256)

    def test_recorder(self):
        import attest.torch

        W = torch.nn.Parameter(torch.zeros(2, 3))
        recorder = attest.torch.record(lambda: W)
        for step in range(3):
            recorder.keep()
            with torch.no_grad():
                W += 1
        trajectory = recorder.trajectory()
        self.assertEqual(trajectory.W.dtype, np.float32)
        np.testing.assert_array_equal(trajectory.W[:, 0, 0], [0, 1, 2])
        np.testing.assert_array_equal(trajectory.t, [0, 1, 2])


def load_tests(loader, tests, pattern):
    if sklearn:
        import attest.estimator

        tests.addTests(doctest.DocTestSuite(sys.modules["attest.estimator"], {"attest": attest}))
    return tests


if __name__ == "__main__":
    unittest.main()
