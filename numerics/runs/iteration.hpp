// A validated iteration: an exact state S_t (W itself, or W with more beside it) that a rule moves, enclosed
// step by step (proofs/statements/RUNS.md section 6).
//
// An implementation keeps an approximate state with numbers that bound its distance to S_t, and shows the
// point W_t. Which one a specification asks for is decided in one place, make_iteration (numerics/updates).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/exact_array.hpp"
#include "numerics/runs/enclosed_point.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

class Iteration {
 public:
  // The exact state kept: the step, all its fixed-point numbers, and the exact balls that bound the error.
  struct State {
    std::uint64_t step = 0;
    std::vector<Limb> coordinates;
    std::vector<Ball> errors;
  };
  // Saved at a multiple of this many steps, a state is continued as if never interrupted.
  static constexpr std::uint64_t refresh_period = 8;

  virtual ~Iteration() = default;

  // Evaluates the gradient at the kept W~_t. Must be called once at every t before advance(). It, advance()
  // and restore() throw BudgetReached; the iteration is then good for nothing but step().
  virtual IterationStatus evaluate() = 0;
  // t -> t + 1. After a step that left the range only step(), point().obstacle() and state_in() mean
  // something.
  virtual IterationStatus advance() = 0;

  virtual std::uint64_t step() const = 0;
  // W_t; what depends on the gradient stands after evaluate().
  virtual const EnclosedPoint& point() const = 0;
  // How far errors have grown by the bounds of all steps so far, as a power of two (a guess, for statistics).
  virtual double amplification_bits() const = 0;

  virtual State save() const = 0;
  virtual IterationStatus restore(const State& state) = 0;
  // The state at step() for an iteration of that format, with as many fraction bits or fewer: enclosed still.
  // Nothing where that is not offered, or does not fit.
  virtual std::optional<State> state_in(FixedFormat /*format*/) const { return std::nullopt; }
};

// Everything an iteration starts from: W_0 has d x e exact entries, row-major (empty: zero). `geometry`
// and `budget` (may be null) must outlive the iteration.
struct IterationStart {
  const RunGeometry& geometry;
  const OptimizerSpec& spec;
  const ExactArray& start;
  FixedFormat format;
  const Budget* budget = nullptr;
};

// The iteration that the specification asks for. Throws BudgetReached.
std::unique_ptr<Iteration> make_iteration(const IterationStart& start);

}  // namespace attest
