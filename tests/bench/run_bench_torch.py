"""The PyTorch float64 peer of bench_runs: normalised gradient descent on S1 and S2, processor seconds.

Needs Debian's python3-torch: /usr/bin/python3 tests/bench/run_bench_torch.py
"""
import time

import torch


def run(n, tokens, d, steps, seed=0):
    torch.manual_seed(seed)
    torch.set_num_threads(1)

    def unit(a):
        return a / a.norm(dim=-1, keepdim=True)

    x = unit(torch.randn(n, tokens, d, dtype=torch.float64))
    z = unit(torch.randn(n, d, dtype=torch.float64))
    v = unit(torch.randn(d, dtype=torch.float64))
    y = torch.sign(torch.randn(n, dtype=torch.float64))
    w = torch.zeros(d, d, dtype=torch.float64, requires_grad=True)
    start = time.process_time()
    for _ in range(steps):
        s = torch.softmax(torch.einsum("ntd,de,ne->nt", x, w, z), dim=1)
        loss = torch.nn.functional.softplus(-y * torch.einsum("nt,ntd,d->n", s, x, v)).mean()
        (grad,) = torch.autograd.grad(loss, w)
        with torch.no_grad():
            w -= 0.1 * grad / grad.norm()
    return time.process_time() - start


for name, shape, steps in (("S1", (6, 8, 10), 2000), ("S2", (20, 16, 32), 2000), ("S1", (6, 8, 10), 20000)):
    print(f"{name}, {steps} normalised steps, PyTorch float64: {min(run(*shape, steps) for _ in range(3)):.3f} s")
