// Heavy-ball momentum (Polyak 1964): U_{t+1} = beta U_t + tau_t V(W_t), W_{t+1} = W_t + U_{t+1}, U_0 = 0, for
// any rule's tau. The state is (W, U).
#pragma once

#include <memory>

#include "numerics/runs/iteration.hpp"

namespace attest {

// start.spec.momentum = beta, 0 < beta < 1.
std::unique_ptr<Iteration> heavy_ball(const IterationStart& start);

}  // namespace attest
