// The rank that all solutions in the nuclear norm are near to: see claims/norms/near_rank.hpp.
#include "proofs/checker/claims/norms/near_rank.hpp"

namespace attest_check {

ExactMatrix stacked(const ExactMatrix& dual, const Rational& scale, const ExactMatrix& left,
                    const ExactMatrix& right) {
  const std::size_t e = dual.rows, d = dual.columns, rank = left.columns;
  const Integer unit = left.denominator * right.denominator * scale.get_den();
  ExactMatrix result{e, d + e, {}, dual.denominator * unit};
  const Integer below = dual.denominator * scale.get_num(), one = left.denominator * right.denominator;
  for (std::size_t column = 0; column < e; ++column) {
    for (std::size_t row = 0; row < d; ++row)
      result.numerator.push_back(dual.numerator[column * d + row] * unit);
    for (std::size_t row = 0; row < e; ++row) {
      Integer sum = row == column ? one : Integer(0);
      for (std::size_t i = 0; i < rank; ++i)
        sum -= left.numerator[row * rank + i] * right.numerator[column * rank + i];
      result.numerator.push_back(sum * below);
    }
  }
  return result;
}

void NearRank::read(Reader& in) {
  norm.read(in);
  if (norm.kind != Norm::Kind::nuclear) in.bad("only of the nuclear norm");
  in("from", from, "rank", rank, "distance", distance);
  const std::size_t columns = in.features().right_dimension();
  if (rank == 0 || rank > std::min(in.features().left_dimension(), columns)) in.bad("no such rank");
  left = read_matrix(in, "left", columns, rank);
  right = read_matrix(in, "right", columns, rank);
  std::size_t count = 0;
  in.next("dual-norm", dual_bound, "bits", count);
  if (count < 29 || count > 4096) in.bad("bits must be from 29 to 4096");
  bits = static_cast<unsigned>(count);
  in("slope", slope, "step", step);
}

std::unique_ptr<Fact> NearRank::check(const Claim& claim) const {
  const NormOptimum& optimum = cited_optimum(claim, norm, from);
  claim.require(dual_bound > 0, "a bound is not positive");
  claim.require(slope > 0 && step > 0, "slope or step is not positive");
  if (step >= slope) claim.fail("step", step, "<", slope);
  const ExactMatrix dual = dual_matrix(SpanElement(claim.problem, optimum.multipliers));
  claim.require(spectral_norm_at_most(stacked(dual, dual_bound * slope, left, right), dual_bound, bits),
                "the norm of W(multipliers) and what is beside the matrices is not proved to be at most " +
                    show(dual_bound));
  const Rational total = fraction(optimum.multipliers.total(claim.problem), optimum.multipliers.denominator);
  const Rational above =
      optimum.hi - total / dual_bound + optimum.hi * step * step / (2 * (slope * slope - step * step));
  claim.require_at_most(above / step, distance, "the distance proved against distance");
  return std::make_unique<Fact>();
}

void NearRank::describe(const Claim&, Statement& say) const {
  say(norm, "from", from, "rank", rank, "distance", distance);
}

}  // namespace attest_check
