#include "certify/forever_claim.hpp"

#include "certify/run_report.hpp"
#include "numerics/dyadic.hpp"

namespace attest {
namespace {

// Bounds are written with a relative slack of 2^-20, which covers a checker's own rounding and the widened bands of the
// run's point.
Rational slack(const Rational& x) { return abs(x) * power_of_two(-20); }

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

std::string number(double x) { return certificate_number(Rational(x)); }

BallNumber ball(const Rational& x) { return BallNumber(Ball(x, BallNumber::bits)); }

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

std::optional<ForeverConclusion> state_conclusion(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts) {
  const auto excess = above(proof.path_offset), centre = above(proof.centre_norm);
  const auto height = below(proof.start_height), growth = below(proof.growth);
  const bool lock_in = !proof.floors.empty();
  // A region's path constant is part of its hypotheses and is written as it was proved.
  const auto path = lock_in ? above(proof.path_rate) : std::optional<Rational>(Rational(proof.constants.path));
  if (!excess || !centre || !height || !growth || !path || *growth <= 0) return std::nullopt;
  ForeverConclusion conclusion{*path, *excess, *centre, *height, *growth, {}, {}};
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
  conclusion.dominates_from = stated.dominates_from(facts);
  return conclusion;
}

std::size_t write_forever_claim(CertificateText& text, std::size_t problem, std::size_t optimum, std::size_t run,
                                const RunGeometry& geometry, const SelectionFacts<BallNumber>& facts,
                                const ForeverProof& proof, const ForeverConclusion& conclusion) {
  const bool lock_in = !proof.floors.empty();
  const bool local = proof.theorem == ForeverTheorem::local_absorbing;
  if (proof.theorem == ForeverTheorem::bounded_residual) return 0;

  const char* const word = lock_in ? "lock-in" : local ? "local" : "absorbing";
  const std::size_t claim = text.claim(
      "forever-from-run", problem,
      "from " + std::to_string(optimum) + " run " + std::to_string(run) + " at " + std::to_string(proof.t0) + " theorem " +
          word + " dominates-from " + (conclusion.dominates_from ? std::to_string(*conclusion.dominates_from) : "none"));
  if (!lock_in) {
    std::string line = "step-bound " + number(proof.constants.step);
    if (local) {
      line += " ratio " + number(proof.constants.outside) + " extra " + number(proof.constants.pull) + " theta " +
              number(proof.constants.decay > 0 ? proof.constants.decay : 1);
    }
    text.line(line);
  }
  if (local) {
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
      if (!local) line += " output " + number(proof.constants.output[i]);
      line += " attention " + number(proof.constants.attention[i]);
    }
    text.line(line);
  }
  text.line("path " + certificate_number(conclusion.path) + " excess " + certificate_number(conclusion.excess) + " centre " +
            certificate_number(conclusion.centre) + " height " + certificate_number(conclusion.height) + " growth " +
            (proof.logarithmic ? "logarithmic " : "linear ") + certificate_number(conclusion.growth));
  return claim;
}

}  // namespace attest
