// The least norm of a matrix with margins of at least 1: see claims/norms/optimum.hpp.
#include "proofs/checker/claims/norms/optimum.hpp"

namespace attest_check {
namespace {

constexpr unsigned most_power = 64;  // of an exponent's numerator and denominator

Rational power(const Rational& x, unsigned long exponent) {
  Integer numerator, denominator;
  mpz_pow_ui(numerator.get_mpz_t(), x.get_num_mpz_t(), exponent);
  mpz_pow_ui(denominator.get_mpz_t(), x.get_den_mpz_t(), exponent);
  return fraction(numerator, denominator);
}

// distance^p >= 2^(p-1) p hi^(p-1) (hi - lo) to the power of p's denominator, for p >= 2; distance^2 (p - 1)
// >= 2 (hi^2 - lo^2) for p <= 2.
void require_distance(const Claim& claim, const NormOptimum& said) {
  const Rational &p = said.norm.exponent, &distance = *said.distance;
  claim.require(distance >= 0, "the distance is negative");
  if (p <= 2) {
    return claim.require_at_most(2 * (said.hi * said.hi - said.lo * said.lo), distance * distance * (p - 1),
                                 "2 (HI^2 - LO^2) against distance^2 (p - 1)");
  }
  const unsigned long a = p.get_num().get_ui(), c = p.get_den().get_ui();
  claim.require_at_most(power(2 * said.hi, a - c) * power(p * (said.hi - said.lo), c), power(distance, a),
                        "2^(p-1) p HI^(p-1) (HI - LO) against distance^p, to the power of p's denominator");
}

}  // namespace

ExactMatrix dual_matrix(const SpanElement& w) {
  const Features& features = *w.problem().features;
  ExactMatrix matrix{features.right_dimension(), features.left_dimension(), {}, w.column_denominator()};
  for (std::size_t b = 0; b < matrix.rows; ++b) {
    std::vector<Integer> column = w.column(b);
    matrix.numerator.insert(matrix.numerator.end(), column.begin(), column.end());
  }
  return matrix;
}

ExactMatrix read_matrix(Reader& in, std::string_view name, std::size_t rows, std::size_t columns) {
  ExactMatrix matrix{rows, columns, {}, 1};
  std::size_t stated_rows = 0, stated_columns = 0;
  in.next("matrix", name, stated_rows, stated_columns, "over");
  if (stated_rows != rows || stated_columns != columns) in.bad("the matrix has another shape");
  matrix.denominator = in.denominator();
  for (std::size_t row = 0; row < rows; ++row) {
    in.next();
    for (std::size_t column = 0; column < columns; ++column) in(matrix.numerator.emplace_back());
  }
  return matrix;
}

void Norm::read(Reader& in) {
  words(in, *this);
  if (word == "nuclear") return;
  if (word == "linf") {
    kind = Kind::infinity;
    return;
  }
  if (!word.starts_with('l') || word.find('*') != std::string::npos) in.bad("unknown norm " + word);
  exponent = Line(word.substr(1), in.line().number()).rational();
  if (exponent < 1 || exponent.get_num() > most_power || exponent.get_den() > most_power)
    in.bad("an exponent below 1, or of numbers beyond " + std::to_string(most_power));
  kind = exponent == 1 ? Kind::one : Kind::power;
}

bool Norm::at_most(const GivenMatrix& matrix, const Rational& bound, unsigned bits) const {
  switch (kind) {
    case Kind::nuclear:
      return matrix.left.norm_squared() + matrix.right.norm_squared() <= 2 * bound;
    case Kind::one:
      return matrix.left.sum_of_magnitudes() <= bound;
    case Kind::infinity:
      return matrix.left.largest_magnitude() <= bound;
    case Kind::power:
      break;
  }
  return power_norm_at_most(matrix.left, exponent, bound, bits);
}

bool Norm::dual_at_most(const ExactMatrix& matrix, const Rational& bound, unsigned bits) const {
  switch (kind) {
    case Kind::nuclear:
      return spectral_norm_at_most(matrix, bound, bits);
    case Kind::one:
      return matrix.largest_magnitude() <= bound;
    case Kind::infinity:
      return matrix.sum_of_magnitudes() <= bound;
    case Kind::power:
      break;
  }
  return power_norm_at_most(matrix, exponent / (exponent - 1), bound, bits);
}

void require_margins(const Claim& claim, const GivenMatrix& matrix, const std::string& of) {
  const Integer scale = matrix.scale(claim.problem);
  std::vector<Integer> margins;
  std::size_t group = SIZE_MAX;
  for_each_constraint(claim.problem, [&](const Constraint& c) {
    if (group != c.group) margins = matrix.margins(claim.problem, group = c.group);
    if (margins[c.token] < scale)
      claim.fail("margin at " + show(c) + of, fraction(margins[c.token], scale), ">=", 1);
  });
}

void NormOptimum::read(Reader& in) {
  norm.read(in);
  in("value", lo, hi);
  const std::size_t left = in.features().left_dimension(), right = in.features().right_dimension();
  if (norm.kind == Norm::Kind::nuclear) {
    in("rank-at-most", rank);
    if (rank == 0 || rank > std::min(left, right)) in.bad("no such rank");
    primal.left = read_matrix(in, "left", left, rank);
    primal.right = read_matrix(in, "right", right, rank);
  } else {
    if (norm.strictly_convex()) in.perhaps("distance", distance);
    primal.left = read_matrix(in, "primal", left, right);
  }
  multipliers = in.vector("multipliers");
  in.next("dual-norm", dual_bound);
  if (norm.needs_bits()) {
    std::size_t count = 0;
    in("bits", count);
    if (count < 29 || count > 4096) in.bad("bits must be from 29 to 4096");
    bits = static_cast<unsigned>(count);
  }
}

std::unique_ptr<Fact> NormOptimum::check(const Claim& claim) const {
  claim.require(lo >= 0, "the lower bound is negative");
  claim.require(hi > 0 && dual_bound > 0, "a bound is not positive");
  claim.require(multipliers.all_positive(claim.problem), "a multiplier is negative");
  require_margins(claim, primal);
  claim.require(norm.at_most(primal, hi, bits),
                "the norm of the matrix is not proved to be at most " + show(hi));
  claim.require(norm.dual_at_most(dual_matrix(SpanElement(claim.problem, multipliers)), dual_bound, bits),
                "the dual norm of W(multipliers) is not proved to be at most " + show(dual_bound));
  claim.require_at_most(lo * dual_bound, fraction(multipliers.total(claim.problem), multipliers.denominator),
                        "lower bound times dual-norm against the sum of the multipliers");
  if (distance) require_distance(claim, *this);
  auto fact = std::make_unique<NormSolution>();
  fact->optimum = this;
  return fact;
}

void NormOptimum::describe(const Claim&, Statement& say) const {
  say(norm, "value", lo, hi);
  if (norm.kind == Norm::Kind::nuclear) say("rank-at-most", rank);
  say.perhaps("distance", distance);
  say("primal", hash_words(primal.entries()));
}

const NormOptimum& cited_optimum(const Claim& claim, const Norm& norm, const Citation& from) {
  const NormOptimum& optimum = *claim.cite_as<NormSolution>(from, "norm-optimum").optimum;
  claim.require(optimum.norm.word == norm.word, "the claim cited is about the norm " + optimum.norm.word);
  return optimum;
}

}  // namespace attest_check
