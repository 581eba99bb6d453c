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

// The checker's P is the set of all constraints with a positive gap.
bool plain_region(const RunGeometry& geometry, const Selection& selection, const ForeverProof& proof) {
  std::size_t c = 0;
  for (const RunGroup& group : geometry.groups) {
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t top = selection[group.original];
      if (t == top) continue;
      const bool better = geometry.scores[group.first_row + top] > geometry.scores[group.first_row + t];
      if (c >= proof.constants.inside.size() || proof.constants.inside[c] != better) return false;
      ++c;
    }
  }
  return c == proof.constants.inside.size();
}

std::string number(double x) { return certificate_number(Rational(x)); }

}  // namespace

std::size_t write_forever_claim(CertificateText& text, std::size_t problem, std::size_t optimum, std::size_t run,
                                const RunGeometry& geometry, const Selection& selection, const ForeverProof& proof) {
  const bool lock_in = !proof.floors.empty();
  const bool local = proof.theorem == ForeverTheorem::local_absorbing;
  if (proof.theorem == ForeverTheorem::bounded_residual) return 0;
  if (!lock_in && !plain_region(geometry, selection, proof)) return 0;

  const auto excess = above(proof.path_offset), centre = above(proof.centre_norm);
  const auto height = below(proof.start_height), growth = below(proof.growth);
  // A region's path constant is part of its hypotheses and is written as it was proved.
  const auto path = lock_in ? above(proof.path_rate) : std::optional<Rational>(Rational(proof.constants.path));
  if (!excess || !centre || !height || !growth || !path || *path <= 0 || *growth <= 0) return 0;
  std::vector<Rational> floors;
  for (std::size_t i = 0; lock_in && i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    const auto ends = interval_of(proof.floors[i].ball());
    if (!ends) return 0;
    const Rational& best = geometry.scores[group.first_row + selection[group.original]];
    const Rational drop = best - ends->lo;
    // best - floor, raised by one part in 2^40: the path constant's slack is far larger.
    floors.push_back(best - dyadic_above(drop + drop * power_of_two(-40), 80));
  }

  const char* const word = lock_in ? "lock-in" : local ? "local" : "absorbing";
  const std::size_t claim = text.claim("forever-from-run", problem,
                                       "from " + std::to_string(optimum) + " run " + std::to_string(run) + " at " +
                                           std::to_string(proof.t0) + " theorem " + word);
  if (!lock_in) {
    std::string line = "step-bound " + number(proof.constants.step);
    if (local) {
      line += " ratio " + number(proof.constants.outside) + " extra " + number(proof.constants.pull) + " theta " +
              number(proof.constants.decay > 0 ? proof.constants.decay : 1);
    }
    text.line(line);
  }
  text.line("ranges " + std::to_string(geometry.groups.size()));
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    std::string line = "group " + std::to_string(geometry.groups[i].original);
    if (lock_in) {
      line += " floor " + certificate_number(floors[i]);
    } else {
      if (!local) line += " output " + number(proof.constants.output[i]);
      line += " attention " + number(proof.constants.attention[i]);
    }
    text.line(line);
  }
  text.line("path " + certificate_number(*path) + " excess " + certificate_number(*excess) + " centre " +
            certificate_number(*centre) + " height " + certificate_number(*height) + " growth " +
            (proof.logarithmic ? "logarithmic " : "linear ") + certificate_number(*growth));
  return claim;
}

}  // namespace attest
