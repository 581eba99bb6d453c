"""The Python package: exact from array to certificate, errors with key and index, the checker's word on each result."""

import doctest
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from fractions import Fraction
from unittest import mock

import numpy as np

import attest
import attest.cores
from attest.results import Interval


def sample(seed=0, n=3, T=4, d=5, dtype=np.float64):
    random = np.random.default_rng(seed)
    return (random.standard_normal((n, T, d)).astype(dtype), random.choice([-1, 1], n),
            random.standard_normal(d).astype(dtype), random.standard_normal((n, d)).astype(dtype))


class Arrays(unittest.TestCase):
    def same(self, *instances):
        self.assertEqual(len({one.sha256 for one in instances}), 1)

    def test_number_formats_are_exact(self):
        X, Y, v, z = sample(dtype=np.float16)
        given = attest.instance(X, Y, v, z=z)
        exact = [[[Fraction(float(x)) for x in row] for row in rows] for rows in X]
        self.same(given, attest.instance(X.astype(np.float32), Y.astype(float), v.astype(np.float64), z=z),
                  attest.instance(exact, list(map(int, Y)), [str(Fraction(float(x))) for x in v], z=z),
                  attest.instance(np.asfortranarray(X), Y, v.astype(">f8"), z=z[::-1][::-1]))

    def test_integers_beyond_doubles(self):
        big = 2**60 + 1
        one = attest.instance(np.array([[[big, 0], [0, 1]]], dtype=np.int64), [1], [1, 0])
        self.same(one, attest.instance([[[big, 0], [0, 1]]], [1], [1, 0]),
                  attest.instance([[[str(big), 0], [0, 1]]], [1], [1, 0]))
        self.assertNotEqual(one.sha256, attest.instance([[[2**60, 0], [0, 1]]], [1], [1, 0]).sha256)

    def test_ragged(self):
        one = attest.instance([[[1, 2], [0, 1]], [[3, 4]]], [1, -1], [1, 0], query="last")
        padded = attest.instance([[[1, 2], [0, 1]], [[3, 4], [0, 0]]], [1, -1], [1, 0], lengths=[2, 1], query="last")
        self.assertEqual(one.lengths, (2, 1))
        self.same(one, padded)

    def test_scores_and_queries_from_the_end(self):
        X = [[[1, 2], [0, 1]], [[3, 4]]]
        padded = np.array([[[1, 2], [0, 1]], [[3, 4], [0, 0]]])
        self.same(attest.instance(X, scores=[[1, "1/2"], [3]]),
                  attest.instance(padded, scores=np.array([[1, 0.5], [3, np.nan]], np.float16), lengths=[2, 1]))
        self.same(attest.instance(X, [1, -1], [1, 0], query=-1),
                  attest.instance(X, [[1], [-1]], [[1], [0]], query="last"))
        third = attest.instance(X, scores=[["1/3", 0], [1]])
        self.assertTrue(attest.certify(third).check().lines)

    def test_counts_and_equal_tokens(self):
        twice = attest.instance([[[1, 0], [0, 1], [1, 0]], [[3, 4], [5, 6]]], [1, 1], [1, 0])
        self.assertEqual(attest.certify(twice).merged, ((0, (0, 2)),))
        self.assertEqual(list(twice.features()["counts"]), [2, 1, 0, 1, 1])
        X = [[[1, 0], [0, 1]], [[3, 4], [5, 6]]]
        counted = attest.instance(X, [1, 1], [1, 0], counts=[[2, 1], [1, 1]])
        self.same(counted, attest.instance(X, [1, 1], [1, 0], counts=[2, 1, 1, 1]),
                  attest.instance(X, [1, 1], [1, 0], counts=np.array([[2, 1], [1, 1]], np.uint8)))
        ragged = [[[1, 0], [0, 1]], [[3, 4]]]
        self.same(attest.instance(ragged, [1, 1], [1, 0], counts=[[2, 1], [3]]),
                  attest.instance(ragged, [1, 1], [1, 0], counts=[2, 1, 3]))
        runs = [attest.run(one, step="1/10", steps=20).checkpoints[-1].norm for one in (twice, counted)]
        self.assertLess(abs(runs[0].mid - runs[1].mid), 1e-15)
        for counts in ([[0, 1], [1, 1]], [[1, 1]], [[0.5, 1], [1, 1]]):
            with self.assertRaises(attest.InputError) as caught:
                attest.instance(X, [1, 1], [1, 0], counts=counts)
            self.assertEqual(caught.exception.key, "counts")

    def test_file_and_back(self):
        X, Y, v, z = sample()
        one = attest.instance(X, Y, v, z=z)
        third = attest.instance([[[Fraction(1, 3), 0], [0, 1]]], [1], [1, 0])
        with tempfile.TemporaryDirectory() as folder:
            for given, name in ((one, "a.npz"), (one, "b.json"), (third, "c.json.gz")):
                path = os.path.join(folder, name)
                given.save(path)
                self.same(given, attest.load(path))
            with self.assertRaises(ValueError):
                third.save(os.path.join(folder, "d.npz"))  # binary64 cannot hold 1/3

    def test_safetensors(self):
        X, Y, v, z = sample(dtype=np.float16)
        arrays = {"X": X, "Y": Y.astype(np.int8), "v": v.astype(np.float32), "z": z.astype(np.float64)}
        words = {"float16": "F16", "float32": "F32", "float64": "F64", "int8": "I8"}
        header, data = {}, b""
        for key, array in arrays.items():
            end = len(data) + array.nbytes
            header[key] = {"dtype": words[str(array.dtype)], "shape": array.shape, "data_offsets": [len(data), end]}
            data += array.tobytes()
        text = json.dumps(header).encode()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.safetensors")
            with open(path, "wb") as file:
                file.write(len(text).to_bytes(8, "little") + text + data)
            self.same(attest.load(path), attest.instance(**arrays))
            self.assertTrue(attest.certify(path).check().lines)

    def test_errors_name_key_and_index(self):
        good = dict(X=[[[1, 2], [0, 1]]], Y=[1], v=[1, 0])
        for change, key, index in ((dict(X=[[[1, float("nan")], [0, 1]]]), "X", "[0,0,1]"),
                                   (dict(Y=[2]), "Y", "[0]"), (dict(v=[1, 2, 3]), "v", ""),
                                   (dict(X=[[["1/0", 2], [0, 1]]]), "X", "[0,0,0]"),
                                   (dict(X=np.zeros((1, 2, 2), complex)), "X", ""),
                                   (dict(nonsense=[1]), "nonsense", "")):
            with self.assertRaises(attest.InputError) as caught:
                attest.instance(**{**good, **change})
            self.assertEqual((caught.exception.key, caught.exception.index), (key, index), change)


class Options(unittest.TestCase):
    """Words that no function knows are refused before anything is computed, by the name of the argument."""

    def refused(self, key, call, **options):
        X, Y, v, z = sample()
        with self.assertRaises(attest.InputError, msg=str(options)) as caught:
            call(X, Y, v, z=z, **options)
        self.assertEqual(caught.exception.key, key, options)
        self.assertNotIn("--", str(caught.exception))
        return caught.exception

    def test_of_certify(self):
        for key, value in dict(form="best", loss="hinge", norm="l0.5", gap=0, precision=8, time_limit=-1,
                               memory_limit=-1, select=[0, 0, 9]).items():
            self.refused(key, attest.certify, **{key: value})
        self.assertEqual(self.refused("select", attest.certify, select=[0, 0.5, 0]).index, "[1]")
        self.refused("selected_sets", attest.certify_sets, selected_sets=[[0], [1]])
        self.assertEqual(self.refused("selected_sets", attest.certify_sets, selected_sets=[[0], [1], [7]]).index, "[2]")

    def test_of_runs(self):
        for key, value in dict(optimizer="adam", schedule="cosine", loss="hinge", arithmetic="quad", bits=0, steps=-1,
                               parameterization="qkv", init="ones", step="0", momentum=1, against="l3", rank=2,
                               decoder_step=1, potential=2).items():
            self.refused(key, attest.run, **{"step": "1/10", "steps": 3, key: value})
        self.refused("steps", attest.run, step=1, steps=2.5)
        self.refused("step", attest.run)
        self.refused("Q0", attest.run, step=1, parameterization="kq", K0=np.eye(5))
        self.refused("decoder_optimizer", attest.run, step=1, joint=True, decoder_optimizer="adam")

    def test_no_certificate_of_a_run(self):
        X, Y, v, z = sample()
        for options in (dict(), dict(optimizer="nmd", potential=2, against="l1,nuc"), dict(parameterization="kq"),
                        dict(joint=True)):
            run = attest.run(X, Y, v, z=z, step="1/10", steps=3, certificate=False, **options)
            self.assertEqual((run.certificate, run.claims), ("", ()), options)
        kept = attest.run(X, Y, v, z=z, step="1/10", steps=3)
        self.assertIn("run", kept.claims)

    def test_of_others(self):
        self.refused("loss", attest.path, loss="hinge")
        self.refused("norm", attest.path, norm="l")
        self.refused("loss", attest.verify, loss="hinge")
        self.refused("budget", attest.verify, budget=-1)
        self.refused("optimizer", attest.checkpoint, W=np.eye(5), optimizer="adam")
        self.refused("precision", attest.audit, precision=1)
        X, Y, v, z = sample()
        for given, key in ((([0], np.zeros((1, 5, 5))), "optimizer"), (([], np.zeros((0, 5, 5))), "t")):
            with self.assertRaises(attest.InputError) as caught:
                attest.compare(given, X, Y, v, z=z, step="1/10", optimizer=None if key == "optimizer" else "gd")
            self.assertEqual(caught.exception.key, key)


class Results(unittest.TestCase):
    def test_every_certificate_is_verified(self):
        X, Y, v, z = sample(1)
        one = attest.instance(X, Y, v, z=z)
        for result in (attest.certify(one), attest.path(one), attest.selections(one, budget=50),
                       attest.run(one, step="1/10", steps=50)):
            self.assertTrue(result.check().lines, type(result))
            json.loads(result.to_json())
            self.assertIn("<table>", result._repr_html_())
        with self.assertRaises(attest.CheckFailure) as caught:
            attest.check(attest.instance(X, Y, v, z=2 * z), attest.certify(one).certificate)
        self.assertEqual(caught.exception.status, 4)

    def test_joint_problems(self):
        X, Y, v, z = sample(2)
        both = attest.certify_joint(X, Y, v, z=z)
        self.assertEqual(both.verdict, "feasible")
        self.assertEqual(sorted(both.supporting + both.relaxed), list(range(len(Y))))
        self.assertAlmostEqual(np.linalg.norm(both.v), float(both.decoder_norm), places=12)
        self.assertAlmostEqual(np.linalg.norm(both.W), float(both.norm_value), places=12)
        labels = [y * x[a] @ both.v for x, y, a in zip(X, Y, both.selection)]
        self.assertTrue(all(margin > 1 - 1e-12 for margin in labels))
        self.assertTrue(all((abs(labels[i] - 1) < 1e-12) == (i in both.supporting) for i in range(len(Y))))
        self.assertTrue(both.check().lines)
        self.assertIn("supporting sequences", both._repr_html_())

    def test_joint_run(self):
        X, Y, v, z = sample(2)
        run = attest.run(X, Y, v, z=z, joint=True, step="1/10", decoder_step="3/100", steps=40, bits=60)
        self.assertEqual((run.steps, run.optimizer), (40, "ngd"))
        self.assertTrue(any("joint-run" in line for line in run.check().lines))
        self.assertEqual(list(run.joint.problems)[0], "plain")
        self.assertEqual([point.t for point in run.joint.points], [point.t for point in run.checkpoints])
        last = run.joint.points[-1]
        self.assertEqual(last.one_minus_corr["plain"], run.checkpoints[-1].one_minus_corr)
        self.assertAlmostEqual(float(run.joint.points[0].decoder_norm), np.linalg.norm(v), places=12)
        # As long as all its steps together at most; W begins at 0.
        self.assertLessEqual(float(run.checkpoints[-1].norm.lo), 4)
        self.assertLessEqual(abs(float(last.decoder_norm) - np.linalg.norm(v)), 1.2)
        self.assertEqual(run.trace["t"][-1], 40)
        self.assertIn("nearest problem", run._repr_html_())
        self.assertIsNone(attest.run(X, Y, v, z=z, step="1/10", steps=2).joint)
        with self.assertRaises(ValueError):
            attest.run(X, Y, v, z=z, step="1/10", steps=2, decoder_step="1/10")
        with self.assertRaises(attest.InputError):
            attest.run(X, Y, v, z=z, step="1/10", steps=2, joint=True, momentum="1/2")

    def test_joint_run_proved_for_ever(self):
        X, Y, v, z = sample(1, d=8)
        run = attest.run(X, Y, v, z=z, joint=True, step="1/10", steps=1000, bits=60, until_forever=True)
        self.assertEqual((run.joint.supporting, run.forever.theorem), ((0, 1, 2), "T20"))
        self.assertEqual(run.forever.t0, run.steps)

    def test_several_selected_tokens(self):
        X, z = [[[2, 0, 1], [0, 1, 1], [-1, -1, 3]], [[1, 1, 0], [-1, 0, 2]]], [[1], [1]]
        scores, sets = [[1, 1, -2], [2, -1]], [[0, 1], [0]]
        found = attest.certify_sets(X, scores=scores, z=z, selected_sets=sets, ratios=[[0.75, "1/2"], [1]])
        self.assertEqual((found.verdict, found.finite_part), ("feasible", "holds"))
        self.assertAlmostEqual(np.linalg.norm(found.W), float(found.norm_value), places=12)
        logits = [np.array(x) @ found.W @ [1] for x in X]
        self.assertAlmostEqual(logits[0][0], logits[0][1], places=12)
        self.assertGreaterEqual(min(logits[0][0] - logits[0][2], logits[1][0] - logits[1][1]), 1 - 1e-12)
        self.assertAlmostEqual(float(found.finite_norm), np.log(1.5) / np.sqrt(5), places=12)
        self.assertTrue(found.check().lines)
        self.assertIn("finite part", found._repr_html_())
        run = attest.run(X, scores=scores, z=z, step="1/4", steps=20, selected_sets=sets)
        self.assertEqual([point.t for point in run.sets.points], [0, 1, 2, 5, 10, 20])
        self.assertIsNotNone(run.sets.points[-1].one_minus_corr)
        self.assertIsNone(attest.run(X, scores=scores, z=z, step="1/4", steps=2).sets)
        with self.assertRaises(attest.InputError):
            attest.certify_sets(X, scores=scores, z=z, selected_sets=[[0]])

    def test_solution_is_near_the_proved_one(self):
        X, Y, v, z = sample(2)
        found = attest.certify(X, Y, v, z=z)
        self.assertAlmostEqual(np.linalg.norm(found.W), float(found.norm_value), places=12)
        self.assertAlmostEqual(sum(found.multipliers.values()), float(found.norm_value) ** 2, places=12)
        margins = [(X[i][found.selection[i]] - X[i][t]) @ found.W @ z[i] for i, t in found.support]
        np.testing.assert_allclose(margins, 1, atol=1e-12)

    def test_path_in_another_norm(self):
        X, Y, v, z = sample(1)
        found = attest.path(X, Y, v, z=z, norm="nuc")
        self.assertEqual((found.verdict, found.answer["norm"]), ("holds", "nuclear"))
        self.assertAlmostEqual(np.linalg.norm(found.W, "nuc"), float(found.norm_value), places=9)
        self.assertTrue(found.check().lines)

    def test_bound_for_later_steps(self):
        X, Y, v, z = sample(1)
        run = attest.run(X, Y, v, z=z, step="1/10", steps=300)
        t, bound = run.trace["later_t"], run.trace["later_bound"]
        self.assertEqual(t[0], run.forever.t0)
        self.assertIn(run.forever.theorem, run.forever._repr_html_())
        self.assertGreater(t[-1], 9 * run.steps)
        for step, value in zip(t, bound):
            if step <= run.steps:
                self.assertGreaterEqual(value, run.trace["one_minus_corr_hi"][run.trace["t"] == step])

    def test_no_certificate_is_said(self):
        X, Y, v, z = sample(1)
        run = attest.run(X, Y, v, z=z, optimizer="gd", step="1/10", steps=3, arithmetic="double")
        with self.assertRaisesRegex(ValueError, "no certificate"):
            run.check()
        with self.assertRaisesRegex(ValueError, "no certificate"):
            run.save("nowhere")

    def test_sentences(self):
        text = ["dog barks", "cat meows", "the cat sees the dog barks", "a dog and cat meows"]
        found = attest.ntp(text, shift=["a cat sees the dog barks"])
        self.assertEqual((found.verdict, found.strict, found.shift[0].expected), ("feasible", True, "barks"))
        self.assertEqual([row.id for row in found.theorems], ["E.data", "E.ov", "E.kq", "E.loss", "E.shift"])
        self.assertTrue(found.check().lines)
        self.assertIn("collocation", found._repr_html_())
        ids = {word: k for k, word in enumerate(dict.fromkeys(" ".join(text).split()))}
        again = attest.ntp([[ids[word] for word in line.split()] for line in text])
        self.assertEqual(again.attention.norm_value, found.attention.norm_value)
        with tempfile.TemporaryDirectory() as folder:
            found.save(f"{folder}/text")
            self.assertTrue(attest.check(f"{folder}/text.npz", f"{folder}/text-attention.cert").lines)
        against = attest.ntp(["dog barks", "dog meows"])
        self.assertEqual((against.verdict, against.attention), ("conflict", None))
        with self.assertRaises(ValueError):
            against.save("nowhere")
        with self.assertRaises(ValueError):
            attest.ntp([["two words", "x"]])

    def test_infeasible_and_undecided(self):
        same = attest.certify([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [1, 1], [1, 0], z=[[1], [1]], select=[0, 0])
        self.assertEqual((same.verdict, same.W), ("infeasible", None))
        X, Y, v, z = sample()
        late = attest.certify(X, Y, v, z=z, time_limit=1e-9)
        self.assertEqual(late.verdict, "undecided")
        self.assertIn("time", late.reason)

    def test_interval_text(self):
        for lo, hi, text in (("0.50650523853573", "0.50650523853574", "0.5065052385357..."), ("1", "1", "1"),
                             ("1.23456e-9", "1.23457e-9", "1.2345...e-9"), ("1", "2", "[1, 2]"),
                             ("-0.00012345678", "-0.00012345671", "-0.0001234567..."), ("0", "1e-30", "[0, 1e-30]")):
            self.assertEqual(str(Interval(Fraction(lo), Fraction(hi))), text)

    def test_numbers_with_thousands_of_zeros(self):
        tiny = attest.results.interval({"lo": "0." + "0" * 9999 + "12345678", "hi": "0." + "0" * 9999 + "12345679"})
        self.assertEqual(tiny.lo, Fraction(12345678, 10 ** 10007))
        self.assertEqual(str(tiny), "1.234567...e-10000")
        self.assertIn("e-10000", str(Interval(tiny.lo, tiny.lo)))
        self.assertEqual(float(tiny), 0)

    def test_many_at_once(self):
        instances = [attest.instance(X, Y, v, z=z) for X, Y, v, z in map(sample, range(8))]
        alone = [found.certificate for found in attest.certify_all(instances, jobs=1)]
        self.assertEqual(alone, [found.certificate for found in attest.certify_all(instances, jobs=4)])

    def test_a_pool_shares_the_cores(self):
        all_cores = attest.cores.cores()
        self.assertEqual(all_cores, len(os.sched_getaffinity(0)))
        self.assertEqual(attest.api._call(0, 0, None).threads, 0)  # one for each core
        for jobs in (1, all_cores, 3 * all_cores):
            with attest.cores.sharing_pool(jobs) as pool:
                found = pool.submit(lambda: attest.api._call(0, 0, None).threads).result()
            self.assertEqual(found, max(1, all_cores // jobs))
        with mock.patch.dict(os.environ, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_LOCAL_SIZE=str(os.cpu_count())):
            self.assertEqual(attest.cores.cores(), 1)

    def test_verify_says_every_row(self):
        X, Y, v, z = sample()
        rows = attest.verify(X, Y, v, z=z, run_steps=0)
        self.assertIn("A.svm", [row.id for row in rows])
        self.assertEqual((rows["A.svm"].id, len(rows)), ("A.svm", len(list(rows))))
        self.assertEqual(len(json.loads(rows.to_json())), len(rows))
        self.assertIn("A.svm", rows._repr_html_())
        self.assertTrue({row.verdict for row in rows} <= {"holds", "fails", "undecided"})


class Border(unittest.TestCase):
    def test_unknown_words_are_refused_below_the_package(self):
        X, Y, v, z = sample()
        data = attest.instance(X, Y, v, z=z)
        for key, word in (("optimizer", "adam"), ("schedule", "cosine")):
            request = attest._attest.RunRequest()
            request.optimizer, request.step, request.steps = "ngd", "1/10", 3
            setattr(request, key, word)
            with self.assertRaisesRegex(attest.InputError, f"{key}: '{word}' is none of"):
                attest._attest.run(data._held, request, attest._attest.Call(0.0, 0, None))


class Process(unittest.TestCase):
    def test_keyboard_interrupt(self):
        X, Y, v, z = sample(3, 20, 16, 16)
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            attest.run(X, Y, v, z=z, step="1/10", steps=10**9)
        timer.join()

    def test_many_end_on_keyboard_interrupt(self):
        instances = [attest.instance(X, Y, v, z=z) for X, Y, v, z in [sample(3, 20, 16, 32)]] * 2000
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        began = time.process_time()
        with self.assertRaises(KeyboardInterrupt):
            attest.certify_all(instances, jobs=2)
        timer.join()
        self.assertLess(time.process_time() - began, 8)  # all of them would take some 30

    def test_many_end_in_the_middle_of_a_long_stage(self):
        X, Y, v, z = sample(3, 60, 30, 48)
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        began = time.process_time()
        with self.assertRaises(KeyboardInterrupt):
            attest.certify_all([dict(X=X, Y=Y, v=v, z=z)] * 4, jobs=2, form="exact")
        timer.join()
        self.assertLess(time.process_time() - began, 10)  # each of them would take more

    def test_many_tell_how_many_are_done(self):
        X, Y, v, z = sample(3)
        told = []
        attest.certify_all([dict(X=X, Y=Y, v=v, z=z)] * 3, progress=lambda stage, fraction: told.append(fraction))
        self.assertEqual(told, [1 / 3, 2 / 3, 1])
        with self.assertRaises(attest.InputError):
            attest.certify_all([dict(X=X, Y=Y, v=v, z=z), dict(X=X, Y=Y, v=v[:1], z=z)])

    def test_progress_is_told_and_may_stop(self):
        X, Y, v, z = sample(3, 20, 16, 16)
        seen = []

        def progress(stage, fraction):
            seen.append((stage, fraction))
            if len(seen) > 2:
                raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            attest.run(X, Y, v, z=z, step="1/10", steps=10**9, progress=progress)

    def test_others_go_on(self):
        X, Y, v, z = sample(3, 20, 16, 16)
        turns = []

        def count():
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                turns.append(1)
                time.sleep(0.01)

        thread = threading.Thread(target=count)
        thread.start()
        attest.run(X, Y, v, z=z, step="1/10", steps=10**9, time_limit=0.7)
        thread.join()
        self.assertGreater(len(turns), 5)

    def test_no_memory_is_kept(self):
        X, Y, v, z = sample(4)

        def held():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def use(times):
            for _ in range(times):
                one = attest.instance(X, Y, v, z=z)
                attest.certify(one).check()
                attest.run(one, step="1/10", steps=5)
                try:
                    attest.instance(X, Y, [1])
                except ValueError:
                    pass

        use(30)
        before = held()
        use(100)
        self.assertLess(held() - before, 3e6)

    def test_import_needs_nothing_but_numpy(self):
        code = ("import sys, attest; "
                "sys.exit(any(m in sys.modules for m in ('matplotlib', 'sklearn', 'torch', 'scipy')))")
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


def load_tests(loader, tests, pattern):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for name in ("attest.instance", "attest.api", "attest.next_token"):
        module = sys.modules[name]
        tests.addTests(doctest.DocTestSuite(module, {"attest": attest, "np": np}, optionflags=options))
    return tests


if __name__ == "__main__":
    unittest.main()
