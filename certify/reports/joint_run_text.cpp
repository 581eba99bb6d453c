// The text of joint training.
#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/joint_run.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/run_lines.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

std::string seen(const Ball& ball) {
  return ball.is_finite() ? short_number(ball) : std::string("-");
}

std::string points(const JointOutcome& outcome) {
  const auto row = [](const std::string& t, const std::vector<std::string>& columns) {
    return table_row(t, 8, columns, 13);
  };
  std::vector<std::string> head;
  for (const JointLimit& limit : outcome.limits.attention) head.push_back("W " + limit.problem);
  for (const char* name : {"1-corr v", "v margin", "||W||", "||v||", "loss", "max 1-s"})
    head.emplace_back(name);
  std::string out = row("t", head) + "\n";
  for (const JointPoint& point : outcome.record.checkpoints) {
    std::vector<std::string> columns;
    for (const Ball& gap : point.one_minus_corr) columns.push_back(seen(gap));
    for (const Ball* ball : {&point.decoder_one_minus_corr, &point.decoder_margin, &point.norm,
                             &point.decoder_norm, &point.loss, &point.max_unselected})
      columns.push_back(seen(*ball));
    out += row(std::to_string(point.step), columns) + "checked\n";
  }
  return out +
         "c W plain, ...: 1 - corr of W with that problem's solution; v margin: least Y_i x_i'v/||v|| of "
         "the selected tokens\n";
}

std::string limit_lines(const JointOutcome& outcome) {
  std::string out;
  for (const JointLimit& limit : outcome.limits.attention) {
    if (!limit.direction) {
      const bool infeasible = limit.feasibility == Feasibility::infeasible;
      out += fact(limit.problem + " problem",
                  (infeasible ? "infeasible: " : "undecided: ") +
                      (limit.conflict.empty() ? limit.reason : not_together(limit.conflict)));
    } else if (limit.problem == "shifted" && !limit.selects.value_or(false)) {
      out += fact("shifted problem",
                  limit.selects ? "leaves a margin negative: not every selected token wins along it, so W "
                                  "does not tend to it"
                                : "undecided: whether every selected token wins along it",
                  limit.selects ? "checked" : "");
    }
  }
  if (!outcome.limits.decoder) out += fact("decoder's problem", outcome.limits.decoder_reason);
  const std::optional<std::string> nearest = outcome.nearest();
  return out + fact("W is nearest to",
                    nearest ? "the " + *nearest + " problem's solution at the last step"
                    : !outcome.limits.decoder
                        ? "none is said: the decoder has no direction, on which it depends"
                        : "undecided: not every correlation is enclosed, or all of them overlap",
                    nearest ? "checked" : "");
}

std::string shapes(const JointOutcome& outcome) {
  std::string out;
  if (!outcome.settled()) return out;
  for (const JointShape& shape : outcome.record.shapes) {
    const LeastConstant& c = shape.constant;
    if (c.to == 0) continue;
    const bool loss = shape.of == "loss";
    const double value = loss ? c.lo : c.hi;
    if (!std::isfinite(value)) continue;
    const std::string number = loss ? decimal_down(Rational(value), 4) : decimal_up(Rational(value), 4);
    out += fact(loss ? "loss <= " + shape.name : "1-corr " + shape.of,
                (loss ? "c = " + number : "at most " + number + " " + shape.name) + " at steps " +
                    std::to_string(c.from) + " to " + std::to_string(c.to),
                "checked");
  }
  return out;
}

std::string forever_lines(const JointOutcome& outcome) {
  if (!outcome.proof)
    return fact("for ever", "undecided" + (outcome.proof_reason.empty() ? "" : ": " + outcome.proof_reason));
  const JointRegion& region = outcome.proof->region;
  const auto down = [](const Ball& x) { return decimal_down(x.lower(), 4); };
  const auto up = [](const Ball& x) { return decimal_up(x.upper(), 4); };
  std::string out = fact("for ever",
                         "from t = " + std::to_string(outcome.proof->t0) +
                             " by T20: v to the decoder's, W to the plain problem's solution",
                         "checked");
  out += fact("  v for ever",
              "y = <v,u_v> >= " + down(region.decoder_start) + " + " + down(region.decoder_growth) +
                  " S, 1 - corr <= (" + up(region.lateral) + ")^2/(2 y^2)",
              "checked");
  out += fact("  W for ever",
              "Y = <W,u_W> >= " + down(region.attention_start) + " + " + down(region.attention_growth) +
                  " S, 1 - corr <= " + up(region.spread) + "/(2 Y)",
              "checked");
  out += fact("  loss for ever", "<= " + up(region.loss) + " exp(-" + down(region.decoder_margin) + " y)",
              "checked");
  out +=
      fact("  attention for ever",
           "1 - s <= " + up(region.unselected) + " exp(-" + down(region.unselected_fall) + " S)", "checked");
  return out + "c S: sum of the attention's step sizes eta from that step on\n";
}

}  // namespace

std::string text(const JointRunAnswer& answer) {
  const JointOutcome& outcome = answer.outcome;
  std::string out = fact("instance", answer.instance_path);
  const JointSpec& spec = answer.spec;
  out += fact("joint run", "W: " + step_words(spec, spec.attention) +
                               "; v: " + step_words(spec, spec.decoder) + "; " + name(spec.loss) + " loss");
  if (!answer.merged.empty()) out += fact("equal tokens", merged_text(answer.merged));
  if (!outcome.record.checkpoints.empty()) out += points(outcome);
  out += fact("selected at last step", listed_tokens(outcome.selection), "checked");
  if (!outcome.limits.attention.empty()) out += limit_lines(outcome);
  if (outcome.record.step > 0 && outcome.record.correct_bits < (1L << 30))
    out += fact("correct bits of W, v", std::to_string(outcome.record.correct_bits), "checked");
  out += shapes(outcome) + forever_lines(outcome);
  return out + last_lines(answer);
}

}  // namespace attest
