#include "certify/certificates/forever_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "certify/certificates/stated_bounds.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

std::string number(double x) {
  return certificate_number(Rational(x));
}

class Evidence {
 public:
  Evidence(const RunGeometry& geometry, const SelectionFacts<BallNumber>& facts,
           const std::vector<Rational>& floors)
      : geometry_(geometry), facts_(facts), floors_(floors) {}

  std::optional<StatedEvidence> of(const LockIn&) { return locked_in(); }
  std::optional<StatedEvidence> of(const NormalisedLockIn&) { return locked_in(); }

  std::optional<StatedEvidence> of(const Absorbing& proved) {
    const RegionConstants& constants = proved.constants;
    line("step-bound " + number(constants.step));
    // A classifier's bounds need no range of a score.
    const bool scored = facts_.loss != Loss::classifier;
    ranges([&](std::size_t i) {
      return " output " + number(scored ? constants.output[i] : 0) + " attention " +
             number(constants.attention[i]);
    });
    return stated("absorbing");
  }

  std::optional<StatedEvidence> of(const LocalAbsorbing& proved) {
    const RegionConstants& constants = proved.constants;
    line("step-bound " + number(constants.step) + " ratio " + number(constants.outside) + " extra " +
         number(constants.pull) + " theta " + number(constants.decay > 0 ? constants.decay : 1));
    outside(constants);
    ranges([&](std::size_t i) { return " attention " + number(constants.attention[i]); });
    return stated("local");
  }

  std::optional<StatedEvidence> of(const SpanResidual& proved) {
    const auto around = std::visit([&](const auto& region) { return of(region); }, proved.region);
    std::vector<Line> region = std::exchange(evidence_.lines, {});
    line("region " + around->theorem + " path " + number(proved.constants().path));
    least_eigenvalue(Rational(proved.least_eigenvalue));
    evidence_.lines.insert(evidence_.lines.end(), region.begin(), region.end());
    return stated("residual");
  }

  std::optional<StatedEvidence> of(const BoundedResidual& proved) {
    const RegionConstants& constants = proved.constants;
    const auto eigenvalue = stated_below(proved.least_eigenvalue);
    if (!eigenvalue || *eigenvalue <= 0) return std::nullopt;
    auto pull = rounded(proved.pull);
    if (!pull) return std::nullopt;
    line("step-bound " + number(constants.step) + " ratio " + number(constants.outside) + " reach " +
         number(constants.reach));
    least_eigenvalue(dyadic_below(*eigenvalue / 2, 24));
    evidence_.lines.push_back(StatedEvidence::Vector{"pull", std::move(*pull)});
    outside(constants);
    ranges([&](std::size_t i) { return " attention " + number(constants.attention[i]); });
    return stated("bounded");
  }

 private:
  using Line = decltype(StatedEvidence::lines)::value_type;

  StatedEvidence stated(const char* theorem) {
    evidence_.theorem = theorem;
    return evidence_;
  }

  void line(std::string text) { evidence_.lines.push_back(std::move(text)); }

  StatedEvidence locked_in() {
    ranges([&](std::size_t i) { return " floor " + certificate_number(floors_[i]); });
    return stated("lock-in");
  }

  template <typename Range>
  void ranges(Range range) {
    line("ranges " + std::to_string(geometry_.groups.size()));
    for (std::size_t i = 0; i < geometry_.groups.size(); ++i)
      line("group " + std::to_string(geometry_.groups[i].original) + range(i));
  }

  Constraint place(std::size_t constraint) const {
    const RunGroup& group = geometry_.groups[facts_.constraints[constraint].group];
    return {group.original, facts_.constraints[constraint].row - group.first_row};
  }

  // The constraints of positive gap that are not in P.
  void outside(const RegionConstants& constants) {
    std::vector<Constraint> listed;
    for (std::size_t c = 0; c < facts_.constraints.size(); ++c) {
      if (!constants.inside[c] && !facts_.better[c]) listed.push_back(place(c));
    }
    line("outside " + std::to_string(listed.size()));
    evidence_.lines.push_back(std::move(listed));
  }

  // With the bits that a fixed-point factorisation proves the bound with (GRAMMAR.md section 7): what the
  // Gram matrix's condition takes, and ample for its rounding errors.
  void least_eigenvalue(const Rational& bound) {
    const double largest = facts_.norm_bound.ball().approx_mid();
    const long condition = static_cast<long>(2 * std::log2(largest)) - approx_log2(bound);
    line("lambda-min " + certificate_number(bound) + " bits " +
         std::to_string(std::clamp(condition + 96, 96L, 4096L)));
  }

  // The checker bounds what the rounding to this denominator leaves out.
  std::optional<ConstraintVector> rounded(
      const std::vector<std::pair<std::size_t, BallNumber>>& values) const {
    constexpr long bits = 128;
    ConstraintVector result;
    result.denominator = Integer(1) << bits;
    for (const auto& [c, value] : values) {
      const auto ends = interval_of(value.ball());
      if (!ends) return std::nullopt;
      const Rational scaled = ends->lo * result.denominator;
      const Integer numerator_rounded = numerator(scaled) / denominator(scaled);
      if (numerator_rounded == 0) continue;
      result.constraint.push_back(place(c));
      result.numerator.push_back(numerator_rounded);
    }
    return result;
  }

  const RunGeometry& geometry_;
  const SelectionFacts<BallNumber>& facts_;
  const std::vector<Rational>& floors_;
  StatedEvidence evidence_;
};

}  // namespace

void StatedEvidence::write(CertificateText& text) const {
  for (const auto& line : lines) {
    if (const auto* words = std::get_if<std::string>(&line)) text.line(*words);
    if (const auto* vector = std::get_if<Vector>(&line)) text.vector(vector->name, vector->values);
    if (const auto* list = std::get_if<std::vector<Constraint>>(&line)) text.constraint_list(*list);
  }
}

std::optional<StatedEvidence> state_evidence(const RunGeometry& geometry,
                                             const SelectionFacts<BallNumber>& facts,
                                             const ForeverProof& proof, const std::vector<Rational>& floors) {
  return std::visit([&](const auto& proved) { return Evidence(geometry, facts, floors).of(proved); },
                    proof.theorem);
}

}  // namespace attest
