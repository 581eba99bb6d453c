#!/usr/bin/env python3
"""factor_growth.py [SEED] [STEPS] [BITS]: by how much errors of normalised training of K and Q grow on S1 from the
identity, step 1/10, and what bounds of one step at a time make of it: log2 of tangent vectors, of the product of the
derivatives' 2-norms (every fifth step's counts five times), and of the product of max(1 + vn, b + vn - 1), b the
Frobenius norm of tau A'SA or the sum of its terms' lengths, vn that of tau V (FACTORED.md section 3, S and A there).
The run itself has BITS bits, the derivatives are doubles. Needs python3-gmpy2."""
import sys

import gmpy2
import numpy as np

import make_instance

mpfr = gmpy2.mpfr
exact = np.vectorize(lambda x: mpfr(float(x)), otypes=[object])
doubles = np.vectorize(float, otypes=[float])


def norm(matrix):
    return gmpy2.sqrt(sum((x * x for x in matrix.ravel()), mpfr(0)))


class Run:
    def __init__(self, seed):
        self.data = make_instance.make("S1", seed)
        self.X, self.z = exact(self.data["X"]), exact(self.data["z"])
        self.gain = (self.X @ exact(self.data["v"])) * self.data["Y"][:, None]
        self.d = self.X.shape[2]
        self.K = self.Q = exact(np.eye(self.d))
        self.eta = mpfr(1) / 10

    def look(self):
        """Of each group the leading token, attention, s_t (g_t - f) and -dL/dlogits; VQ and V'K with their norms."""
        self.groups, self.V = [], exact(np.zeros((self.d, self.d)))
        seen = self.z @ self.Q
        for i, image in enumerate(seen @ self.K.T):
            logit = self.X[i] @ image
            top = max(range(len(logit)), key=lambda t: logit[t])
            odds = np.array([gmpy2.exp(x - logit[top]) for x in logit])
            share = odds / odds.sum()
            behind = self.gain[i, top] - self.gain[i]
            deviation = share * ((share * behind).sum() - behind)
            slope = 1 / (1 + gmpy2.exp(self.gain[i, top] - (share * behind).sum()))
            weight = deviation * slope / len(self.X)
            self.V = self.V + np.outer(weight @ self.X[i], self.z[i])
            self.groups.append((top, share, deviation, weight, float(1 - slope)))
        self.left, self.right = self.V @ self.Q, self.V.T @ self.K
        self.n, self.m = norm(self.left), norm(self.right)

    def derivative(self):
        """tau of both factors, V, A and S over the norm of VQ; the directions of both gradients."""
        K, seen, rows, blocks = doubles(self.K), doubles(self.z @ self.Q), [], []
        for i, (top, share, deviation, weight, curvature) in enumerate(self.groups):
            kept = [t for t in range(len(share)) if t != top]
            for t in kept:
                dx = self.data["X"][i, t] - self.data["X"][i, top]
                rows.append(np.concatenate([np.outer(dx, seen[i]).ravel(),
                                            np.outer(self.data["z"][i], K.T @ dx).ravel()]))
            v, s, o = (doubles(x[kept]) for x in (weight / self.n, share, deviation))
            blocks.append(np.diag(v) - np.outer(v, s) - curvature * np.outer(v, o) - np.outer(s, v))
        S = np.zeros((len(rows), len(rows)))
        for i, block in enumerate(blocks):
            S[i * len(block):(i + 1) * len(block), i * len(block):(i + 1) * len(block)] = block
        tau = float(self.eta), float(self.eta * self.n / self.m)
        along = doubles(self.left / self.n).ravel(), doubles(self.right / self.m).ravel()
        return tau, doubles(self.V / self.n), np.array(rows), S, along

    def advance(self):
        self.K, self.Q = (self.K + self.left * (self.eta / self.n), self.Q + self.right * (self.eta / self.m))


def main(seed=0, steps=2000, bits=4500):
    context = gmpy2.get_context()
    context.precision, context.emin, context.emax = bits, -2**40, 2**40
    run = Run(seed)
    half = run.d * run.d
    tangents = np.random.default_rng(0).normal(size=(5, 2 * half))
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    grown, product, frobenius, lengths = np.zeros(5), 0.0, 0.0, 0.0
    for step in range(1, steps + 1):
        run.look()
        tau, V, A, S, along = run.derivative()
        H = A.T @ S @ A
        H[:half, half:] += np.kron(V, np.eye(run.d))
        H[half:, :half] += np.kron(V.T, np.eye(run.d))
        J = np.eye(2 * half)
        for part, (size, u) in enumerate(zip(tau, along)):
            own = slice(part * half, (part + 1) * half)
            J[own] += size * (H[own] - np.outer(u, u @ H[own]))
        tangents = tangents @ J.T
        sizes = np.linalg.norm(tangents, axis=1)
        grown += np.log2(sizes)
        tangents /= sizes[:, None]
        if step % 5 == 1:
            product += 5 * np.log2(np.linalg.norm(J, 2))
        gram, turn = A @ A.T, max(tau) * np.linalg.norm(V)
        squares = S @ gram
        for bound, name in ((np.sqrt(abs((squares * squares.T).sum())), "frobenius"),
                            ((abs(np.diag(S)) * np.diag(gram)).sum(), "lengths")):
            bits_more = np.log2(max(1 + turn, max(tau) * bound + turn - 1))
            if name == "frobenius":
                frobenius += bits_more
            else:
                lengths += bits_more
        run.advance()
        if step % 500 == 0:
            print(f"seed {seed} step {step}: tangents 2^{max(grown):.0f}, norms 2^{product:.0f}, Frobenius "
                  f"2^{frobenius:.0f}, lengths 2^{lengths:.0f}", flush=True)


if __name__ == "__main__":
    main(*(int(x) for x in sys.argv[1:]))
