#include "certify/certificates/forever.hpp"

#include <algorithm>
#include <cmath>

#include "certify/certificates/run.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// Bounds are written with a relative slack of 2^-20, which covers a checker's own rounding and the widened
// bands of the run's point.
Rational slack(const Rational& x) {
  return abs(x) * power_of_two(-20);
}

std::optional<Rational> above(const BallNumber& x) {
  const auto ends = interval_of(x.ball());
  if (!ends) return std::nullopt;
  if (ends->hi == 0) return ends->hi;
  return dyadic_above(ends->hi + slack(ends->hi), 64);
}

std::optional<Rational> below(const BallNumber& x) {
  const auto ends = interval_of(x.ball());
  if (!ends) return std::nullopt;
  if (ends->lo == 0) return ends->lo;
  return dyadic_below(ends->lo - slack(ends->lo), 64);
}

// Bits with which a fixed-point factorisation can prove the bound of the least eigenvalue (GRAMMAR.md section
// 7): what the Gram matrix's condition takes, and ample for its rounding errors.
long factorisation_bits(const Rational& least_eigenvalue, const SelectionFacts<BallNumber>& facts) {
  const double largest = facts.norm_bound.ball().approx_mid();
  const long condition = static_cast<long>(2 * std::log2(largest)) - approx_log2(least_eigenvalue);
  return std::clamp(condition + 96, 96L, 4096L);
}

std::string number(double x) {
  return certificate_number(Rational(x));
}

BallNumber ball(const Rational& x) {
  return BallNumber(Ball(x, BallNumber::bits));
}

// The constraints of positive gap that are not in P.
std::vector<Constraint> outside(const RunGeometry& geometry, const SelectionFacts<BallNumber>& facts,
                                const ForeverProof& proof) {
  std::vector<Constraint> result;
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    if (proof.constants.inside[c] || facts.better[c]) continue;
    const RunGroup& group = geometry.groups[facts.constraints[c].group];
    result.push_back({group.original, facts.constraints[c].row - group.first_row});
  }
  return result;
}

}  // namespace

std::optional<ForeverConclusion> state_conclusion(const RunGeometry& geometry,
                                                  const SelectionFacts<BallNumber>& facts,
                                                  const ForeverProof& proof) {
  const auto excess = above(proof.path_offset), centre = above(proof.centre_norm);
  const auto height = below(proof.start_height), growth = below(proof.growth);
  const bool lock_in = !proof.floors.empty(), span = proof.theorem == ForeverTheorem::span_residual;
  // A region's path constant is part of its hypotheses and is written as it was proved.
  const auto path =
      lock_in ? above(proof.path_rate) : std::optional<Rational>(span ? 0 : proof.constants.path);
  if (!excess || !centre || !height || !growth || !path || *growth <= 0) return std::nullopt;
  ForeverConclusion conclusion;
  conclusion.path = *path;
  conclusion.excess = *excess;
  conclusion.centre = *centre;
  conclusion.height = *height;
  conclusion.growth = *growth;
  ForeverProof stated = proof;
  stated.path_rate = ball(*path);
  stated.path_offset = ball(*excess);
  stated.growth = ball(*growth);
  for (std::size_t i = 0; i < proof.floors.size(); ++i) {
    const auto floor = interval_of(proof.floors[i].ball()), best = interval_of(facts.groups[i].score.ball());
    if (!floor || !best) return std::nullopt;
    // best - floor, raised by one part in 2^40: the path constant's slack is far larger.
    const Rational drop = best->hi - floor->lo;
    conclusion.floors.push_back(best->lo - dyadic_above(drop + drop * power_of_two(-40), 80));
    stated.floors[i] = ball(conclusion.floors.back());
  }
  if (span) {
    const auto eigenvalue = interval_of(proof.least_eigenvalue.ball());
    if (!eigenvalue) return std::nullopt;
    conclusion.least_eigenvalue = eigenvalue->lo;
  } else if (!proof.pull.empty()) {
    const auto eigenvalue = below(proof.least_eigenvalue);
    if (!eigenvalue || *eigenvalue <= 0) return std::nullopt;
    conclusion.least_eigenvalue = dyadic_below(*eigenvalue / 2, 24);
    // The checker bounds what the rounding to this denominator leaves out.
    constexpr long pull_bits = 128;
    conclusion.pull.denominator = Integer(1) << pull_bits;
    for (const auto& [c, value] : proof.pull) {
      const auto ends = interval_of(value.ball());
      if (!ends) return std::nullopt;
      const Rational scaled = ends->lo * conclusion.pull.denominator;
      const Integer rounded = numerator(scaled) / denominator(scaled);
      if (rounded == 0) continue;
      const RunGroup& group = geometry.groups[facts.constraints[c].group];
      conclusion.pull.constraint.push_back({group.original, facts.constraints[c].row - group.first_row});
      conclusion.pull.numerator.push_back(rounded);
    }
  }
  conclusion.dominates_from = stated.dominates_from(facts);
  return conclusion;
}

std::size_t write_forever_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                                std::size_t run, const ExactArray& start, const RunGeometry& geometry,
                                const SelectionFacts<BallNumber>& facts, const ForeverProof& proof,
                                const ForeverConclusion& conclusion) {
  const bool lock_in = !proof.floors.empty();
  const bool span = proof.theorem == ForeverTheorem::span_residual;
  const ForeverTheorem region = span ? proof.region : proof.theorem;
  const bool local = region == ForeverTheorem::local_absorbing;
  const bool bounded = region == ForeverTheorem::bounded_residual;
  const char* const hypotheses = lock_in ? "lock-in" : local ? "local" : bounded ? "bounded" : "absorbing";
  const std::string word = span ? "residual" : hypotheses;
  const auto eigenvalue_line = [&] {
    text.line("lambda-min " + certificate_number(conclusion.least_eigenvalue) + " bits " +
              std::to_string(factorisation_bits(conclusion.least_eigenvalue, facts)));
  };
  const bool from_point = proof.t0 == 0;
  const std::string place =
      from_point ? "" : " run " + std::to_string(run) + " at " + std::to_string(proof.t0);
  const std::size_t claim =
      text.claim(from_point ? "forever-from-point" : "forever-from-run", problem,
                 "from " + std::to_string(optimum) + place + " theorem " + word + " dominates-from " +
                     (conclusion.dominates_from ? std::to_string(*conclusion.dominates_from) : "none"));
  if (from_point) {
    text.line(specification_line(proof.steps.spec));
    text.line(start_line(start));
  }
  if (span) {
    text.line(std::string("region ") + hypotheses + " path " + number(proof.constants.path));
    eigenvalue_line();
  }
  if (!lock_in) {
    std::string line = "step-bound " + number(proof.constants.step);
    if (local || bounded) line += " ratio " + number(proof.constants.outside);
    if (bounded) line += " reach " + number(proof.constants.reach);
    if (local) {
      line += " extra " + number(proof.constants.pull) + " theta " +
              number(proof.constants.decay > 0 ? proof.constants.decay : 1);
    }
    text.line(line);
  }
  if (bounded) {
    eigenvalue_line();
    text.vector("pull", conclusion.pull);
  }
  if (local || bounded) {
    const std::vector<Constraint> listed = outside(geometry, facts, proof);
    text.line("outside " + std::to_string(listed.size()));
    text.constraint_list(listed);
  }
  text.line("ranges " + std::to_string(geometry.groups.size()));
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    std::string line = "group " + std::to_string(geometry.groups[i].original);
    if (lock_in) {
      line += " floor " + certificate_number(conclusion.floors[i]);
    } else {
      if (!local && !bounded) line += " output " + number(proof.constants.output[i]);
      line += " attention " + number(proof.constants.attention[i]);
    }
    text.line(line);
  }
  text.line("path " + certificate_number(conclusion.path) + " excess " +
            certificate_number(conclusion.excess) + " centre " + certificate_number(conclusion.centre) +
            " height " + certificate_number(conclusion.height) + " growth " +
            (proof.logarithmic ? "logarithmic " : "linear ") + certificate_number(conclusion.growth));
  return claim;
}

}  // namespace attest
