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

    def test_every_kind_of_run_says_what_it_shows(self):
        X, Y, v, z = sample(1, d=8)
        for options, label, words in (
                (dict(steps=300), "1 - corr", ["certified", "bound proved for all later steps"]),
                (dict(optimizer="nmd", potential="7/4", steps=60), "Bregman", ["certified"]),
                (dict(optimizer="gd", parameterization="kq", steps=40), "1 - corr", ["Frobenius", "nuclear"]),
                (dict(joint=True, steps=40), "1 - corr", ["plain problem", "decoder"]),
                (dict(steps=40, selected_sets=[[0, 1], [2], [3]]), "1 - corr", ["certified"])):
            ax = attest.run(X, Y, v, z=z, step="1/10", **options).plot()
            self.assertIn(label, ax.get_ylabel(), options)
            legend = " ".join(text.get_text() for text in ax.get_legend().get_texts())
            for word in words:
                self.assertIn(word, legend, options)
            self.assertIn("svg", self.drawn(ax))

    def test_joint_and_sets(self):
        X, Y, v, z = sample(2)
        both = attest.certify_joint(X, Y, v, z=z)
        _, support, _, labels = both.plot().get_lines()
        self.assertEqual(len(support.get_xdata()), len(both.support))
        self.assertGreaterEqual(min(labels.get_ydata()), 1 - 1e-12)
        sets = attest.certify_sets(X, Y, v, z=z, selected_sets=[[0, 1], [2], [3]])
        plain, support, _, together = sets.plot().get_lines()
        self.assertEqual(list(together.get_xdata()), [0])
        np.testing.assert_allclose(together.get_ydata(), 0, atol=1e-12)
        np.testing.assert_allclose(support.get_ydata(), 1, atol=1e-12)
        same = attest.certify_sets(*[[[[1, 0], [1, 0], [2, 0]]], [1], [1, 0]], z=[[1]], selected_sets=[[0]])
        self.assertIn("svg", self.drawn(same.plot()))

    def test_theorems_and_sentences(self):
        X, Y, v, z = sample(2)
        rows = attest.verify(X, Y, v, z=z, run_steps=0)
        ax = rows.plot()
        self.assertEqual(sum(len(line.get_xdata()) for line in ax.get_lines()), len(rows))
        self.assertIn("svg", self.drawn(attest.ntp(["dog barks", "the dog barks"]).plot()))

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
        self.assertEqual(doctest.testmod(sys.modules["attest.estimator"], extraglobs={"attest": attest}).failed, 0)
        with self.assertRaisesRegex(ValueError, "infeasible"):
            attest.AttentionSVM().fit([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [1, 1], [1, 0], z=[[1], [1]],
                                      select=[0, 0])

    def test_where_scikit_learn_makes_the_calls(self):
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        X, Y, v, _ = sample(2)
        X, Y = np.asarray(X), np.asarray(Y)
        search = GridSearchCV(attest.AttentionSVM(v=v, query=-1), {"norm": ["fro", "nuc"]}, cv=2).fit(X, Y)
        self.assertEqual(search.score(X, Y), 1)
        self.assertTrue(np.isfinite(search.cv_results_["mean_test_score"]).all())
        doubled = make_pipeline(FunctionTransformer(lambda tokens: 2 * tokens), attest.AttentionSVM(v=v)).fit(X, Y)
        alone = attest.AttentionSVM().fit(X, Y, v)
        np.testing.assert_array_equal(doubled.predict(X), alone.predict(X))


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


    def momentum_run(self, dtype, lr=0.1, momentum=0.9, steps=60):
        """A layer trained by torch.optim.SGD on the logistic loss, recorded at every step."""
        import attest.torch

        X, Y, v, z = sample(2)
        tokens, queries, scores = (torch.tensor(array, dtype=dtype) for array in (X, z, Y[:, None] * (X @ v)))
        W = torch.nn.Parameter(torch.zeros(5, 5, dtype=dtype))
        optimizer = torch.optim.SGD([W], lr=lr, momentum=momentum)
        recorder = attest.torch.record(W, optimizer=optimizer, loss="logistic")
        for _ in range(steps + 1):
            recorder.keep()
            optimizer.zero_grad()
            attention = torch.softmax(torch.einsum("ntd,de,ne->nt", tokens, W, queries), 1)
            torch.nn.functional.softplus(-(attention * scores).sum(1)).mean().backward()
            optimizer.step()
        return recorder, dict(X=tokens, z=queries, scores=scores)

    def test_momentum_is_that_of_the_exact_run(self):
        for dtype, share in ((torch.float32, "1/10000"), (torch.float64, "1/1000000000000")):
            recorder, data = self.momentum_run(dtype)
            self.assertEqual(recorder.trajectory().stated, {"optimizer": "gd", "step": "1/10", "schedule": "constant",
                                                            "momentum": "9/10", "loss": "logistic"})
            found = attest.compare(recorder, **data, share=share)
            self.assertEqual((found.within_until, found.run.answer["momentum"]), (60, "9/10"))
            with self.assertRaisesRegex(attest.InputError, "momentum"):
                attest.compare(recorder, **data, momentum="8/10")
            wrong = attest.compare(attest.Trajectory(recorder.trajectory().t, recorder.trajectory().W), **data,
                                   optimizer="gd", step="1/10")
            self.assertLess(wrong.within_until, 5)

    def test_other_optimizers_are_refused(self):
        import attest.torch

        W = torch.nn.Parameter(torch.zeros(2, 3))
        for optimizer in (torch.optim.Adam([W]), torch.optim.SGD([W], lr=1.0, momentum=0.5, nesterov=True),
                          torch.optim.SGD([W], lr=1.0, momentum=0.5, dampening=0.5),
                          torch.optim.SGD([W], lr=1.0, weight_decay=0.1)):
            with self.assertRaisesRegex(ValueError, "optimizer"):
                attest.torch.record(W, optimizer=optimizer)
        optimizer = torch.optim.SGD([W], lr=1.0)
        recorder = attest.torch.record(W, optimizer=optimizer)
        recorder.keep()
        optimizer.param_groups[0]["lr"] = 0.5
        with self.assertRaisesRegex(ValueError, "changed"):
            recorder.keep()


def load_tests(loader, tests, pattern):
    if sklearn:
        import attest.estimator

        tests.addTests(doctest.DocTestSuite(sys.modules["attest.estimator"], {"attest": attest}))
    return tests


if __name__ == "__main__":
    unittest.main()
