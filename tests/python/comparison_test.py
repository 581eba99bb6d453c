"""Recorded runs beside exact ones, trained layers, certificates as theorems: from Python."""

import tempfile
import unittest
from fractions import Fraction

import numpy as np

import attest

TWO = dict(X=[[[1, 0], [0, 1]]], Y=[1], v=[1, 0], query=0)


def rational_instance():
    """Three sequences whose first step from 0 is rational: the correlation loss has slope -1 everywhere."""
    X = np.array([[[3, 1, 0], [0, 2, 1], [1, 0, 2]], [[1, 3, 1], [2, 0, 1], [0, 1, 3]],
                  [[0, 1, 3], [3, 0, 1], [1, 2, 0]]])
    return dict(X=X, Y=[1, -1, 1], v=[1, 2, 0], z=np.array([[2, 0, 1], [0, 2, 0], [1, 1, 0]]))


def first_step(data, step):
    """W_1 of gradient descent from 0 with the correlation loss, exactly."""
    n, T, d = data["X"].shape
    W = [[Fraction(0)] * d for _ in range(d)]
    for i in range(n):
        scores = [data["Y"][i] * sum(int(a) * int(b) for a, b in zip(x, data["v"])) for x in data["X"][i]]
        mean = Fraction(sum(scores), T)
        for t in range(T):
            weight = Fraction(step) * (scores[t] - mean) / T / n
            for j in range(d):
                for k in range(d):
                    W[j][k] += weight * int(data["X"][i][t][j]) * int(data["z"][i][k])
    return W


class Distance(unittest.TestCase):
    def test_is_that_of_exact_arithmetic(self):
        data = rational_instance()
        exact = first_step(data, Fraction(1, 2))
        V = np.random.default_rng(0).standard_normal((3, 3))
        W = np.stack([np.zeros((3, 3)), V])
        found = attest.compare(([0, 1], W), **data, optimizer="gd", step="1/2", loss="correlation")
        square = sum((Fraction(V[j, k]) - exact[j][k]) ** 2 for j in range(3) for k in range(3))
        length = sum(exact[j][k] ** 2 for j in range(3) for k in range(3))
        step = found.steps[1]
        self.assertLessEqual(step.distance.lo ** 2, square)
        self.assertGreaterEqual(step.distance.hi ** 2, square)
        self.assertLess(step.distance.width, Fraction(1, 10 ** 15))
        self.assertLessEqual(step.exact_norm.lo ** 2, length)
        self.assertGreaterEqual(step.exact_norm.hi ** 2, length)
        self.assertLessEqual(step.share.lo ** 2, square / length)
        self.assertGreaterEqual(step.share.hi ** 2, square / length)
        self.assertEqual((found.within_until, found.first_beyond, found.beyond_from), (0, 1, 1))

    def test_the_exact_step_rounded_is_within(self):
        data = rational_instance()
        rounded = np.array([[float(x) for x in row] for row in first_step(data, Fraction(1, 2))])
        found = attest.compare(([0, 1], np.stack([0 * rounded, rounded])), **data, optimizer="gd", step="1/2",
                               loss="correlation", share="1/1000000000000")
        self.assertEqual((found.within_until, found.first_beyond), (1, None))
        self.assertEqual(found.steps[1].other_tokens, ())

    def test_start_of_its_own_and_momentum(self):
        data = rational_instance()
        W = np.random.default_rng(1).standard_normal((2, 3, 3))
        for momentum in ("0", "1/2"):
            found = attest.compare(([0, 7], W), **data, optimizer="ngd", step="1/10", momentum=momentum)
            self.assertEqual(found.within_until, 0)
            run = attest.run(**data, W0=W[0], init="instance", optimizer="ngd", step="1/10", steps=7, momentum=momentum)
            norm = run.checkpoints[-1].norm
            self.assertLessEqual(norm.lo, found.steps[1].exact_norm.hi)
            self.assertLessEqual(found.steps[1].exact_norm.lo, norm.hi)


class Tokens(unittest.TestCase):
    def test_other_tokens_are_named(self):
        V = np.array([[-5.0, 0], [0, 0]])  # turns away from the token that the exact run selects
        found = attest.compare(([0, 3], np.stack([0 * V, V])), **TWO, optimizer="ngd", step="1/10")
        self.assertEqual(found.steps[0].open, 1)  # at 0 nothing is selected
        self.assertEqual(found.steps[1].other_tokens, ((0, 1, 0),))
        self.assertEqual((found.first_other_tokens, found.other_tokens_from), (3, 3))

    def test_equal_tokens_are_one(self):
        data = dict(X=[[[1, 0], [0, 1], [1, 0]]], Y=[1], v=[1, 0], z=[[1]])
        V = np.array([[0.5], [0]])
        found = attest.compare(([0, 3], np.stack([0 * V, V])), **data, optimizer="ngd", step="1/10")
        self.assertEqual((found.steps[1].other_tokens, found.steps[1].open), ((), 0))
        found = attest.compare(([0, 3], np.stack([0 * V, -V])), **data, optimizer="ngd", step="1/10")
        self.assertEqual(found.steps[1].other_tokens, ((0, 1, 0),))

    def test_ties_stay_open(self):
        V = np.array([[0.0, 5], [0, 0]])
        found = attest.compare(([0, 3], np.stack([0 * V, V])), **TWO, optimizer="ngd", step="1/10")
        self.assertEqual((found.steps[1].other_tokens, found.steps[1].open), ((), 1))

    def test_no_number_is_beyond(self):
        V = np.full((2, 2), np.nan)
        found = attest.compare(([0, 3], np.stack([np.zeros((2, 2)), V])), **TWO, optimizer="ngd", step="1/10")
        self.assertIsNone(found.steps[1].distance)
        self.assertEqual((found.steps[1].beyond, found.beyond_from), (True, 3))


class Statements(unittest.TestCase):
    def recorded(self, **stated):
        recorder = attest.Recorder(**stated)
        for t in range(3):
            recorder.add(np.zeros((2, 2)), t)
        return recorder

    def test_what_is_stated_must_match(self):
        stated = dict(optimizer="ngd", step="0.1", loss="logistic", schedule="constant", momentum="0")
        self.assertEqual(len(attest.compare(self.recorded(**stated), **TWO).steps), 3)
        attest.compare(self.recorded(**stated), **TWO, step="1/10")
        for key, other in (("optimizer", "gd"), ("step", "1/9"), ("loss", "exponential"), ("schedule", "inverse"),
                           ("momentum", "1/2")):
            with self.assertRaisesRegex(attest.InputError, key):
                attest.compare(self.recorded(**stated), **TWO, **{key: other})
        with self.assertRaisesRegex(ValueError, "optimizer"):
            attest.compare(self.recorded(), **TWO)
        with self.assertRaises(ValueError):
            self.recorded(rule="ngd").trajectory()

    def test_the_start_must_be_there_and_match(self):
        W = np.ones((2, 2, 2))
        with self.assertRaisesRegex(attest.InputError, "W_0"):
            attest.compare(([0, 1], W), **TWO, optimizer="ngd", step="1/10", init="zero")
        with self.assertRaisesRegex(attest.InputError, "W_0"):
            attest.compare(([1, 2], W), **TWO, optimizer="ngd", step="1/10")
        late = attest.compare(([1, 2], W), **TWO, optimizer="ngd", step="1/10", init="zero")
        self.assertFalse(late.answer["comparison"]["states_start"])

    def test_shapes(self):
        for t, W in (([0, 1], np.zeros((2, 2, 3))), ([0, 0], np.zeros((2, 2, 2))), ([0], np.zeros((2, 2, 2))),
                     ([0, 1], np.zeros((2, 2, 2), int)), ([-1, 1], np.zeros((2, 2, 2)))):
            with self.assertRaises(ValueError):
                attest.compare((t, W), **TWO, optimizer="ngd", step="1/10")
        prompt = dict(X=TWO["X"], Y=[1], v=[1, 0], K=[[[1, 0], [0, 1]]])
        found = attest.compare(([0, 1], np.zeros((2, 2))), **prompt, optimizer="ngd", step="1/10")
        self.assertEqual(len(found.steps), 2)


class Layers(unittest.TestCase):
    def setUp(self):
        self.data = {"X": np.array([[[3.0, 1, 0], [0, 2, 1], [1, 0, 2]], [[1, 3, 1], [2, 0, 1], [0, 1, 3]]]),
                     "Y": [1, -1], "v": [0.25, 0.125, 0], "z": np.array([[0.5, 0, 0.25], [0, 0.5, 0]])}

    def test_attention_and_claims(self):
        W = np.random.default_rng(2).standard_normal((3, 3))
        layer = attest.checkpoint(**self.data, W=W)
        for i, sequence in enumerate(layer.attention):
            logits = self.data["X"][i] @ W @ self.data["z"][i]
            s = np.exp(logits) / np.exp(logits).sum()
            np.testing.assert_allclose([float(one) for one in sequence.weights], s, rtol=1e-12)
            self.assertEqual(sequence.nearest, int(np.argmax(s)))
        self.assertAlmostEqual(float(layer.norm_value), np.linalg.norm(W), places=12)
        self.assertTrue(layer.check().lines)
        self.assertIn("<table>", layer._repr_html_())

    def test_a_long_one_is_covered(self):
        best = attest.certify(**self.data)
        layer = attest.checkpoint(**self.data, W=1000 * best.W)
        self.assertTrue(layer, layer.summary)
        self.assertTrue(any(one.forever for one in layer.training))
        self.assertIn("forever-from-point", layer.claims)
        self.assertTrue(layer.check().lines)

    def test_factors_are_multiplied_exactly(self):
        K = [["1/3", 1], [2, 0], [0, "1/7"]]
        Q = [[3, 0], ["1/5", 1], [1, 1]]
        product = [[1, "16/15", "4/3"], [6, "2/5", 2], [0, "1/7", "1/7"]]
        factors, whole = (attest.checkpoint(**self.data, **weights) for weights in (dict(K=K, Q=Q), dict(W=product)))
        self.assertEqual([a.weights for a in factors.attention], [a.weights for a in whole.attention])
        self.assertEqual(factors.norm_value, whole.norm_value)

    def test_another_decoder_has_no_certificate(self):
        layer = attest.checkpoint(**self.data, W=np.eye(3), decoder=[1, 0, 0])
        self.assertEqual(layer.certificate, "")

    def test_errors(self):
        for weights in ({}, dict(W=np.eye(3), K=np.eye(3)), dict(W=np.eye(4)), dict(W=np.full((3, 3), np.inf)),
                        dict(K=np.eye(3))):
            with self.assertRaises(attest.InputError):
                attest.checkpoint(**self.data, **weights)


class Coq(unittest.TestCase):
    def test_theorems_are_stated(self):
        found = attest.certify(**TWO, form="exact")
        text = found.to_coq()
        self.assertIn("Theorem", text)
        self.assertIn(found.instance.sha256, text)
        self.assertNotIn(tempfile.gettempdir() + "/", text)
        with self.assertRaises(ValueError):
            attest.to_coq(attest.instance(**{**TWO, "v": [2, 0]}), found.certificate)


if __name__ == "__main__":
    unittest.main()
