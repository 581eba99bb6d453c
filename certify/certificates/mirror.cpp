#include "certify/certificates/mirror.hpp"

#include <algorithm>
#include <cmath>

#include "certify/certificates/norm_optimum.hpp"
#include "certify/certificates/run.hpp"
#include "certify/certificates/stated_bounds.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

std::string checkpoint_line(const MirrorPoint& point) {
  std::string line = "checkpoint " + std::to_string(point.step) + stated_band("norm", point.norm) +
                     stated_band("dual-norm", point.dual_norm) +
                     stated_band("loss-gap", point.loss_gap, true) +
                     stated_band("unselected", point.off_limit, true) + stated_band("along", point.along);
  // None at W = 0.
  if (point.bregman.is_finite()) line += stated_band("bregman", point.bregman);
  if (point.euclidean.is_finite()) line += stated_band("one-minus-corr", point.euclidean);
  return line;
}

// Half of the least eigenvalue of the rows' Gram matrix: a guess.
Rational eigenvalue_bound(const std::vector<const std::vector<Ball>*>& rows) {
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd gram(size, size);
  for (Eigen::Index k = 0; k < size; ++k) {
    for (Eigen::Index l = 0; l < size; ++l)
      gram(k, l) =
          dot(*rows[static_cast<std::size_t>(k)], *rows[static_cast<std::size_t>(l)], 64).approx_mid();
  }
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvalues().minCoeff();
  return least > 0 ? dyadic_below(Rational(least / 2), 8) : Rational(0);
}

std::string stated(double x, bool above) {
  constexpr unsigned bits = 32;
  if (x == 0) return "0";
  return certificate_number(above ? dyadic_above(Rational(x), bits) : dyadic_below(Rational(x), bits));
}

// `support`: the claim of the constraints that may be tight; `run`: that of the run.
void write_forever(CertificateText& text, std::size_t problem, const std::string& norm, std::size_t support,
                   std::size_t run, const MirrorOutcome& outcome) {
  constexpr unsigned bits = 200;  // of multipliers
  const MirrorLimit& limit = *outcome.limit;
  const MirrorPlan& plan = outcome.planned->plan;
  ConstraintVector multipliers;
  multipliers.denominator = Integer(1) << bits;
  std::vector<const std::vector<Ball>*> rows;
  for (const Constraint& c : *limit.optimum.support_within) {
    const auto place = std::find(limit.constraints.begin(), limit.constraints.end(), c);
    const auto k = static_cast<std::size_t>(place - limit.constraints.begin());
    const Ball& mu = limit.multipliers[k];
    const Rational scaled = (mu.lower() + mu.upper()) / 2 * power_of_two(bits);
    const Integer numerator =
        boost::multiprecision::numerator(scaled) / boost::multiprecision::denominator(scaled);
    if (numerator == 0) return;
    multipliers.constraint.push_back(c);
    multipliers.numerator.push_back(numerator);
    rows.push_back(&limit.rows[k]);
  }
  const Rational least = eigenvalue_bound(rows);
  if (least == 0) return;
  text.claim("mirror-forever", problem,
             "norm " + norm + " support " + std::to_string(support) + " run " + std::to_string(run) + " at " +
                 std::to_string(outcome.planned->t0) + " rate " + stated(plan.rate, true) + " growth " +
                 (plan.growth > 0 ? stated(plan.growth, false) : "none") + " unselected " +
                 stated(plan.unselected, true));
  text.vector("multipliers", multipliers);
  text.line("lambda-min " + certificate_number(least) + " bits 128");
  std::string floors = "floors " + std::to_string(plan.floors.size());
  for (const double floor : plan.floors) floors += ' ' + stated(floor, false);
  text.line(floors);
  text.line("pieces " + std::to_string(plan.pieces.size()) + " last-slope " + stated(plan.last_slope, true));
  for (const MirrorPlan::Piece& piece : plan.pieces)
    text.line("until " + stated(piece.until, false) + " slope " + stated(piece.slope, true));
}

// T13's constant at all steps from some on, with room for a checker's enclosures; nothing where there is
// none.
std::string inequality_words(const MirrorOutcome& outcome) {
  const LeastConstant& needed = outcome.record.inequality.needed;
  if (needed.to == 0 || !std::isfinite(needed.hi) || needed.from >= outcome.record.checkpoints.back().step)
    return "";
  const double constant = std::max(0.0, needed.hi) * (1 + 0x1p-20) + 0x1p-20;
  return " inequality " + stated(constant, true) + " since " + std::to_string(needed.from);
}

}  // namespace

void write_mirror_claims(CertificateText& text, std::size_t problem, const MirrorRunProof& run) {
  const Rational& exponent = run.spec->exponent;
  Norm norm;
  norm.kind = NormKind::power;
  norm.exponent = exponent;
  norm.word = "l" + exponent.str();
  const MirrorOutcome& outcome = *run.outcome;
  const std::size_t optimum = write_norm_claims(text, problem, norm, outcome.limit->optimum);
  const std::vector<MirrorPoint>& points = outcome.record.checkpoints;
  const std::size_t claim = text.claim("mirror-run", problem,
                                       "norm " + norm.word + " from " + std::to_string(optimum) + " steps " +
                                           std::to_string(points.back().step) + inequality_words(outcome));
  const OptimizerSpec& steps = run.spec->steps;
  text.line(std::string("optimizer ") + (run.spec->normalised ? "nmd" : "md") + " schedule " +
            name(steps.schedule) + " step " + certificate_number(steps.step));
  text.line(start_line(*run.start));
  text.line("checkpoints " + std::to_string(points.size()) + " bits " + std::to_string(run.bits));
  for (const MirrorPoint& point : points) text.line(checkpoint_line(point));
  if (outcome.planned && outcome.limit->optimum.support_within)
    write_forever(text, problem, norm.word, optimum + 1, claim, outcome);
}

}  // namespace attest
