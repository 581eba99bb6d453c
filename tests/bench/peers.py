"""Peers on the same margin problem, in process: scikit-learn's SVC and LinearSVC, cvxopt. Times are of the solver call
alone; building the Gram matrix is not counted against them."""
import time
import warnings

import numpy as np

import make_instance


def gram(data):
    left, right = make_instance.differences(data)
    return (left @ left.T) * (right @ right.T)


def violation(G, multipliers):
    """Largest 1 - margin of the solution, after scaling nothing: what the solver leaves open."""
    return float(np.max(1 - G @ multipliers))


def svc(data):
    """min ||w|| with margins >= 1 is the separation of the constraint vectors from the origin: with the origin as the
    only negative example, SVC's free intercept gives exactly 2 w*. This is the cheapest way to ask SVC."""
    G = gram(data)
    m = len(G)
    kernel = np.zeros((m + 1, m + 1))
    kernel[:m, :m] = G
    seconds, multipliers = fit_svc(kernel, np.append(np.ones(m), -1))
    return seconds, violation(G, multipliers[:m] / 2)


def svc_doubled(data):
    """The more usual way: every row once as it is, once negated with the opposite label, so that the intercept is 0."""
    G = gram(data)
    m = len(G)
    seconds, multipliers = fit_svc(np.block([[G, -G], [-G, G]]), np.append(np.ones(m), -np.ones(m)))
    return seconds, violation(G, multipliers[:m] + multipliers[m:])


def fit_svc(kernel, labels):
    from sklearn.svm import SVC
    model = SVC(kernel="precomputed", C=1e9, tol=1e-10, cache_size=2000)
    start = time.perf_counter()
    model.fit(kernel, labels)
    seconds = time.perf_counter() - start
    multipliers = np.zeros(len(labels))
    multipliers[model.support_] = np.abs(model.dual_coef_[0])
    return seconds, multipliers


def cvxopt(data):
    from cvxopt import matrix, solvers, spmatrix
    G = gram(data)
    m = len(G)
    solvers.options.update(show_progress=False, abstol=1e-13, reltol=1e-13, feastol=1e-13, maxiters=100)
    P, q, b = matrix(G), matrix(-np.ones(m)), matrix(np.zeros(m))
    A = spmatrix(-1.0, range(m), range(m))
    start = time.perf_counter()
    solution = solvers.qp(P, q, A, b)
    seconds = time.perf_counter() - start
    return seconds, violation(G, np.array(solution["x"]).ravel())


def linear_svc(data):
    """Hard-margin rows without intercept: half of the rows negated, with label -1."""
    from sklearn.svm import LinearSVC
    left, right = make_instance.differences(data)
    rows = np.einsum("ca,cb->cab", left, right).reshape(len(left), -1)
    labels = np.where(np.arange(len(rows)) % 2 == 0, 1, -1)
    signed = rows * labels[:, None]
    model = LinearSVC(loss="hinge", dual=True, C=1e9, fit_intercept=False, tol=1e-6, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it stops at max_iter
        start = time.perf_counter()
        model.fit(signed, labels)
        seconds = time.perf_counter() - start
    return seconds, float(np.max(1 - rows @ model.coef_[0]))
