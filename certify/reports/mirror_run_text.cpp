// The text of a run of mirror descent.
#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/mirror_run.hpp"
#include "certify/reports/run_lines.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

std::string mirror_row(const std::string& t, const std::vector<std::string>& columns) {
  return table_row(t, 10, columns, 14);
}

std::string points(const MirrorOutcome& outcome) {
  std::string out =
      mirror_row("t", {"Bregman", "1 - corr", "||W||_P", "L - L*", "||grad||_Q", "max 1 - s"}) + "\n";
  for (const MirrorPoint& point : outcome.record.checkpoints) {
    const auto seen = [&](const Ball& ball) {
      return outcome.limit && ball.is_finite() ? short_number(ball) : std::string("-");
    };
    out += mirror_row(std::to_string(point.step),
                      {seen(point.bregman), seen(point.euclidean), short_number(point.norm),
                       short_number(point.loss_gap), short_number(point.gradient_norm),
                       short_number(point.max_unselected)}) +
           "checked\n";
  }
  return out + "c Bregman: D_psi(u, W/||W||_P), u the solution's direction in the P-norm\n";
}

// The matrix itself is named unless it is the only solution.
std::string against_line(const MirrorAgainst& other) {
  const std::string what = "solution in " + other.norm.word;
  if (!other.reason.empty()) return fact(what, "not known: " + other.reason);
  std::string value = "Bregman " + short_number(other.bregman) + ", 1 - corr " +
                      short_number(other.euclidean) + " at the last step";
  if (other.standing != SolutionStanding::only) value += ", of " + words(other.standing);
  if (other.standing == SolutionStanding::nearly) value += ", a relative " + decimal_up(other.gap, 3);
  return fact(what, value, "checked");
}

std::string rates(const MirrorOutcome& outcome) {
  std::string out;
  if (!outcome.settled()) return out;
  for (const RateShape& shape : outcome.record.shapes) {
    if (shape.whole.to == 0 || !std::isfinite(shape.whole.hi)) continue;
    out += fact("Bregman <= c " + shape.name,
                "c = " + decimal_up(Rational(shape.whole.hi), 4) +
                    " from t = " + std::to_string(shape.whole.from) + "; last block " +
                    decimal_up(Rational(shape.blocks.back().hi), 4),
                "checked");
  }
  const MirrorInequality& inequality = outcome.record.inequality;
  if (inequality.needed.to != 0 && std::isfinite(inequality.needed.hi)) {
    std::string value = "needs C_0 = " + decimal_up(Rational(inequality.needed.hi), 4) + " at steps " +
                        std::to_string(inequality.needed.from) + " to " +
                        std::to_string(inequality.needed.to);
    if (!inequality.steps.empty()) {
      const auto& own = inequality.steps.back();
      value += "; its own at t = " + std::to_string(own.step) + ": " + short_number(own.theorem);
    }
    out += fact("T13's inequality", value, "checked");
  }
  return out;
}

// T17's conditions are proved in intervals with outward rounding; a certificate holds them for P <= 2, from a
// step that may be another one.
constexpr const char* conditions_level = "checked";

std::string forever_line(const MirrorOutcome& outcome) {
  if (!outcome.proof) {
    const std::string& reason = outcome.limit ? outcome.proof_reason : outcome.limit_reason;
    return fact("for ever", "undecided" + (reason.empty() ? "" : ": " + reason)) +
           (outcome.limit
                ? "c T17 may hold at a later step: --steps, or --until-forever, which goes on until it does\n"
                : "");
  }
  const MirrorRegion& region = outcome.proof->region;
  std::string out = fact("for ever",
                         "from t = " + std::to_string(outcome.proof->t0) +
                             " by T17: W tends to this direction, Bregman = O(" + region.rate + ")",
                         conditions_level);
  out += fact("attention for ever",
              "1 - s at most " + decimal_up(Rational(region.unselected), 4) + " in every sequence",
              conditions_level);
  out += fact("loss for ever",
              "at most " + decimal_up(Rational(region.loss), 4) +
                  " above its limit from t = " + std::to_string(outcome.proof->t0) + " on",
              conditions_level);
  return out;
}

}  // namespace

std::string text(const MirrorRunAnswer& answer) {
  const MirrorOutcome& outcome = answer.outcome;
  std::string out = fact("instance", answer.instance_path);
  out += fact("run", answer.optimizer + ", potential P = " + show(answer.spec.exponent) + ", step " +
                         show(answer.spec.steps.step) + " (" + name(answer.spec.steps.schedule) + "), " +
                         name(answer.spec.steps.loss) + " loss");
  if (!answer.merged.empty()) out += fact("equal tokens", merged_text(answer.merged));
  if (!outcome.record.checkpoints.empty()) out += points(outcome);
  out += fact("selected at last step", listed_tokens(outcome.selection), "checked");
  if (outcome.limit) out += fact("least ||W||_P", short_number(outcome.limit->optimum.value), "checked");
  if (outcome.record.step > 0 && outcome.record.correct_bits < (1L << 30))
    out += fact("correct bits", std::to_string(outcome.record.correct_bits), "checked");
  for (const MirrorAgainst& other : outcome.against) out += against_line(other);
  if (!outcome.conflict.empty()) out += fact("conflict", not_together(outcome.conflict), "checked");
  out += rates(outcome) + forever_line(outcome);
  return out + last_lines(answer);
}

}  // namespace attest
