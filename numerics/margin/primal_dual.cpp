#include "numerics/margin/primal_dual.hpp"

namespace attest {
namespace {

// The Euclidean norm: w* = sum lambda_c Delta_c, so the multipliers are the primal solution, too (T2), unless
// there is only a gap between the two (T3).
class Euclidean final : public PrimalDual {
 public:
  explicit Euclidean(const MarginSolution& solution) : solution_(solution) {}

  const char* norm() const override { return "euclidean"; }

  const ConstraintVector& primal() const override {
    const ConstraintVector* multipliers = dual();
    return multipliers != nullptr ? *multipliers : solution_.gap->primal;
  }
  Rational primal_radius() const override {
    if (solution_.exact) return 0;
    if (solution_.enclosed) return solution_.enclosed->radius;
    return sqrt(Ball(solution_.gap->distance_squared, 128), 128).upper();
  }

  const ConstraintVector* dual() const override {
    if (solution_.exact) return &solution_.exact->multipliers;
    return solution_.enclosed ? &solution_.enclosed->multipliers : nullptr;
  }
  Rational dual_radius() const override {
    return solution_.enclosed && !solution_.exact ? solution_.enclosed->multiplier_radius : Rational(0);
  }

  Ball value_squared(long bits) const override {
    if (solution_.exact) return Ball(solution_.exact->norm_squared, bits);
    return Ball(solution_.norm_squared.lo, solution_.norm_squared.hi, bits);
  }

 private:
  const MarginSolution& solution_;
};

}  // namespace

std::unique_ptr<PrimalDual> primal_dual(const MarginSolution& solution) {
  const bool solved = solution.exact || solution.enclosed || solution.gap;
  if (solution.feasibility != Feasibility::feasible || !solved) return nullptr;
  return std::make_unique<Euclidean>(solution);
}

}  // namespace attest
