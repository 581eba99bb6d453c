// The text of a run of mirror descent.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/mirror_run.hpp"
#include "certify/reports/run.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

constexpr std::size_t most_listed = 40;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string fact(const std::string& what, const std::string& value, const char* level = "") {
  std::string line = padded(what, 24) + value;
  if (*level != '\0') line = padded(line, 104) + level;
  return line + "\n";
}

std::string tokens(const std::vector<std::optional<std::size_t>>& selection) {
  std::string text;
  for (std::size_t i = 0; i < std::min(selection.size(), most_listed); ++i)
    text += (i == 0 ? "" : " ") + (selection[i] ? std::to_string(*selection[i]) : std::string("?"));
  return selection.size() > most_listed ? text + " ... (" + std::to_string(selection.size()) + " sequences)"
                                        : text;
}

std::string points(const MirrorOutcome& outcome) {
  const auto row = [](const std::string& t, const std::vector<std::string>& columns) {
    std::string line = padded(t, 10);
    for (const std::string& column : columns) line += padded(column, 14);
    return line;
  };
  std::string out = row("t", {"Bregman", "1 - corr", "||W||_P", "L - L*", "||grad||_Q", "max 1 - s"}) + "\n";
  for (const MirrorPoint& point : outcome.record.checkpoints) {
    const auto seen = [&](const Ball& ball) {
      return outcome.limit && ball.is_finite() ? short_number(ball) : std::string("-");
    };
    out +=
        row(std::to_string(point.step), {seen(point.bregman), seen(point.euclidean), short_number(point.norm),
                                         short_number(point.loss_gap), short_number(point.gradient_norm),
                                         short_number(point.max_unselected)}) +
        "checked\n";
  }
  return out + "c Bregman: D_psi(u, W/||W||_P), u the solution's direction in the P-norm\n";
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

// T17's conditions are proved in intervals with outward rounding; no certificate holds them.
constexpr const char* conditions_level = "checked";

std::string forever_line(const MirrorOutcome& outcome) {
  if (!outcome.proof) {
    const std::string& reason = outcome.limit ? outcome.proof_reason : outcome.limit_reason;
    return fact("for ever", "undecided" + (reason.empty() ? "" : ": " + reason));
  }
  const MirrorRegion& region = outcome.proof->region;
  std::string out = fact("for ever",
                         "from t = " + std::to_string(outcome.proof->t0) +
                             " by T17: W tends to this direction, Bregman = O(" + region.rate + ")",
                         conditions_level);
  out += fact("attention for ever",
              "1 - s at most " + decimal_up(Rational(region.unselected), 4) + " in every sequence",
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
  out += fact("selected at last step", tokens(outcome.selection), "checked");
  if (outcome.limit) out += fact("least ||W||_P", short_number(outcome.limit->optimum.value), "checked");
  if (outcome.record.step > 0 && outcome.record.correct_bits < (1L << 30))
    out += fact("correct bits", std::to_string(outcome.record.correct_bits), "checked");
  out += rates(outcome) + forever_line(outcome);
  if (!outcome.reason.empty()) out += fact("reason", outcome.reason);
  if (!answer.certificate_note.empty()) out += fact("certificate", answer.certificate_note);
  char line[200];
  std::snprintf(
      line, sizeof line, "c %ld bits, %zu attempts, errors amplified by 2^%.1f, run %.3f s, total %.3f s\n",
      outcome.precision_bits, outcome.attempts, outcome.growth_bits, outcome.seconds, answer.total_seconds);
  out += line;
  std::string verdict = verdict_word(outcome.verdict);
  std::transform(verdict.begin(), verdict.end(), verdict.begin(),
                 [](char c) { return static_cast<char>(c - 32); });
  return out + "s " + verdict + "\n";
}

}  // namespace attest
