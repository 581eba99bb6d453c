// The text of a run.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/comparison.hpp"
#include "certify/reports/finite_part.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/run.hpp"
#include "certify/reports/run_lines.hpp"
#include "certify/reports/short_number.hpp"
#include "numerics/margin/conflict_rows.hpp"

namespace attest {
namespace {

constexpr std::size_t most_groups = 16;  // that are listed one by one
constexpr std::size_t most_blocks = 4;   // of steps, likewise

std::string six_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string tokens(const Selection& selection) {
  std::vector<std::string> words;
  for (const std::size_t token : selection) words.push_back(std::to_string(token));
  return listed(words);
}

// One line a checkpoint, then the attention left over by group.
std::string checkpoint_tables(const RunAnswer& answer) {
  const RunOutcome& outcome = *answer.outcome;
  const std::vector<RunPoint> points = reported(outcome.record);
  const bool directed = outcome.direction.has_value();
  const auto row = [](const std::string& t, const std::vector<std::string>& columns) {
    return table_row(t, 10, columns, 13);
  };
  std::string out = row("t", {"1 - corr", "its band", "||W||", "y", "x", "L - L*", "||grad L||"}) + "\n";
  for (const RunPoint& point : points) {
    const auto seen = [&](const Ball& ball) { return directed ? short_number(ball) : std::string("-"); };
    const bool corr = directed && point.one_minus_corr.is_finite();
    out += row(std::to_string(point.step),
               {seen(point.one_minus_corr), corr ? band_width(point.one_minus_corr) : "-",
                short_number(point.norm), seen(point.along), seen(point.across), short_number(point.loss_gap),
                short_number(point.gradient_norm)}) +
           "checked\n";
  }
  const std::vector<std::size_t>& groups = answer.groups;
  std::vector<std::string> columns{"largest"};
  for (std::size_t i = 0; i < groups.size() && groups.size() <= most_groups; ++i) {
    columns.push_back("group " + std::to_string(groups[i]));
  }
  out += row("1 - s", columns) + "\n";
  for (const RunPoint& point : points) {
    columns = {short_number(point.max_unselected)};
    for (std::size_t i = 0; i < point.unselected.size() && groups.size() <= most_groups; ++i) {
      columns.push_back(short_number(point.unselected[i]));
    }
    out += row(std::to_string(point.step), columns) + "checked\n";
  }
  if (groups.size() > most_groups)
    out += "c only the largest 1 - s of " + std::to_string(groups.size()) + " sequences; --json has each\n";
  return out + "c numbers are right to within one unit of their last digit; --json has the enclosures\n";
}

// The bound rounded up.
std::string short_bound(double value) {
  return std::isfinite(value) ? decimal_up(Rational(value), 4) : std::string("-");
}

// A least constant over all steps, and over each of the last dyadic blocks: where these stay level, the shape
// is tight.
std::string constant_by_blocks(const LeastConstant& whole, const std::vector<LeastConstant>& blocks) {
  std::string text = short_bound(whole.hi) + " from t = " + std::to_string(whole.from);
  if (blocks.size() < 2) return text;
  text += "; by blocks ";
  for (std::size_t k = blocks.size() - std::min(blocks.size(), most_blocks); k < blocks.size(); ++k) {
    text += short_bound(blocks[k].hi) +
            (k + 1 < blocks.size() ? ", " : " from t = " + std::to_string(blocks[k].from));
  }
  return text;
}

std::string shape_lines(const RunOutcome& outcome) {
  std::string out;
  for (const RateShape& shape : outcome.record.shapes) {
    if (shape.whole.to == 0 || shape.blocks.empty()) continue;
    out +=
        fact("1-corr <= c " + shape.name, "c = " + constant_by_blocks(shape.whole, shape.blocks), "checked");
  }
  return out;
}

std::string path_lines(const PathRecord& path) {
  if (path.whole.to == 0) return {};
  std::string out =
      fact("path inequality",
           "x_{t+1}^2 - x_t^2 <= M (y_{t+1} - y_t) at every step up to " + std::to_string(path.whole.to),
           "checked");
  out += fact("least M", constant_by_blocks(path.whole, path.blocks), "checked");
  for (auto step = path.steps.rbegin(); step != path.steps.rend(); ++step) {
    if (!step->theorem.is_finite()) continue;
    return out + fact("T9's own constant",
                      short_number(step->theorem) + " at t = " + std::to_string(step->step) +
                          ", where the step needs " + short_number(step->needed),
                      "checked");
  }
  return out;
}

std::string forever_lines(const RunAnswer& answer) {
  const ForeverAnswer& forever = answer.forever;
  if (forever.verdict != "holds") {
    return fact("for ever", "undecided" + (forever.reason.empty() ? "" : ": " + forever.reason));
  }
  const std::string limit = answer.outcome->settled ? "this selection's direction"
                                                    : "the direction of " + tokens(forever.selection);
  std::string out;
  for (const ForeverAnswer::Proof& proof : forever.proofs) {
    out += fact("for ever",
                "from t = " + std::to_string(proof.t0) + " by " + proof.theorem + ": W tends to " + limit +
                    ", 1-corr = O(" + proof.rate + ")",
                "checked");
  }
  if (forever.dominates_from) {
    out += fact("attention for ever",
                "above 1/2 at every token of that selection from t = " +
                    std::to_string(*forever.dominates_from) + " on",
                "checked");
  }
  for (const LaterAttention& later : forever.attention) {
    out += fact("attention for ever",
                "1 - s of a selected token at most " + decimal_up(later.most_lacking(), 6) +
                    ", s of another at most " + decimal_up(later.greatest_masked(), 6) +
                    ", from t = " + std::to_string(later.from) + " on",
                "checked");
  }
  for (const ForeverAnswer::LossBound& bound : forever.loss_bounds) {
    out += fact("loss for ever",
                "at most " + decimal_up(bound.loss_gap, 4) +
                    " above its limit from t = " + std::to_string(bound.from) + " on",
                "checked");
  }
  if (forever.loss_rate) out += fact("loss for ever", words(*forever.loss_rate), "checked");
  return out;
}

std::string residual_line(const std::optional<ResidualLimit>& at) {
  if (!at) return {};
  return fact("residual in the span",
              short_number(at->norm.ball()) + " at t = " + std::to_string(at->step) +
                  "; the closed form p_inf is " + short_number(at->limit_norm.ball()) +
                  " long, at distance " + short_number(at->distance.ball()),
              "checked");
}

std::string compared_lines(const std::optional<Comparison>& comparison) {
  std::string out;
  if (!comparison) return out;
  for (const ComparisonLine& line : comparison_lines(*comparison)) {
    const bool proved = !line.what.empty() && line.what != "compared with";
    out += fact(line.what, line.value, proved ? "checked" : "");
  }
  return out;
}

// The run seen from several selected tokens.
std::string sets_lines(const SelectedSetsRun& seen) {
  std::string out =
      fact("selected sets", std::string("their margin problem is ") + verdict_word(seen.solution.feasibility),
           seen.solution.feasibility == Feasibility::undecided ? "" : "checked");
  if (const std::vector<Constraint> rows = conflict_rows(seen.solution); !rows.empty())
    out += fact("conflict", not_together(rows), "checked");
  if (seen.finite) {
    for (const auto& [what, value] : finite_part_lines(*seen.finite)) out += fact(what, value, "checked");
  }
  const auto row = [](const std::string& t, const std::vector<std::string>& columns) {
    return table_row(t, 10, columns, 15);
  };
  out += row("sets", {"least s in", "largest s out", "||W_fin||", "best c", "1 - corr"}) + "\n";
  const auto number = [](const std::optional<Ball>& x) { return x ? short_number(*x) : std::string("-"); };
  for (const FinitePartPoint& point : seen.points) {
    out += row(std::to_string(point.step),
               {short_number(point.least_selected), short_number(point.greatest_masked),
                number(point.finite_norm), number(point.factor), number(point.one_minus_corr)}) +
           "checked\n";
  }
  out += "c 1 - corr is the angle's between W_t and the best W_fin + c W_mm, c > 0 (-: no such c is best)\n";
  if (seen.finite)
    out += "c a certificate has this W_fin, and the angle with that of each W_t's own ratios\n";
  return out;
}

std::string later_sets_lines(const ForeverAnswer& forever) {
  if (forever.sets.empty())
    return fact("sets for ever", "undecided: no theorem is proved of later steps than the last one above");
  std::string out;
  for (const LaterSets& later : forever.sets) out += fact("sets for ever", later_sets_line(later), "checked");
  return out;
}

std::string computed_text(const RunAnswer& answer) {
  char line[256];
  std::string out;
  for (const PlainObservation& seen : answer.computed->observations) {
    std::snprintf(line, sizeof line, "t %-9llu 1-corr %-13s ||W|| %-12s L-L* %-12s max 1-s %-12s computed\n",
                  static_cast<unsigned long long>(seen.step), six_digits(seen.one_minus_corr).c_str(),
                  six_digits(seen.norm).c_str(), six_digits(seen.loss_gap).c_str(),
                  six_digits(seen.max_unselected).c_str());
    out += line;
  }
  out += fact("selected at last step", tokens(answer.computed->selection), "computed");
  std::snprintf(line, sizeof line, "c %s arithmetic, %ld bits, run %.3f s, total %.3f s\n",
                answer.arithmetic.c_str(), answer.computed->bits, answer.computed->seconds,
                answer.total_seconds);
  if (!answer.computed->stopped_by.empty()) out += "c " + answer.computed->stopped_by + "\n";
  return out + line + "s COMPUTED\n";
}

}  // namespace

std::string text(const RunAnswer& answer) {
  std::string out = fact("instance", answer.instance_path);
  out += fact("run", std::string(answer.spec.rule->word()) + ", step " + show(answer.spec.step) + " (" +
                         name(answer.spec.schedule) + ")" + state_words(answer.spec) + ", " +
                         name(answer.spec.loss) + " loss");
  if (!answer.merged.empty()) out += fact("equal tokens", merged_text(answer.merged));
  if (!answer.outcome) return out + computed_text(answer);
  const RunOutcome& outcome = *answer.outcome;
  const RunRecord& record = outcome.record;
  if (!record.checkpoints.empty()) out += checkpoint_tables(answer);
  out += fact("selected at last step", listed_tokens(outcome.selection), "checked");
  if (outcome.direction && !outcome.settled && !record.checkpoints.empty()) {
    out +=
        fact("direction", "1-corr, y and x are those of the predicted selection " + tokens(record.seen_from));
  }
  if (record.step > 0 && record.correct_bits < (1L << 30)) {
    out += fact("correct bits", std::to_string(record.correct_bits), "checked");
  }
  if (outcome.direction) out += shape_lines(outcome) + path_lines(record.path);
  if (record.step > 0) {
    out += fact("loss decreases",
                "at every step before " + std::to_string(record.first_loss_increase.value_or(record.step)),
                "checked");
  }
  out += forever_lines(answer) + residual_line(answer.forever.residual);
  out += compared_lines(answer.comparison);
  if (answer.sets) out += sets_lines(*answer.sets) + later_sets_lines(answer.forever);
  if (!outcome.reason.empty()) out += fact("reason", outcome.reason);
  if (!answer.file.path.empty()) {
    out += fact("certificate", certificate_words(answer.file, answer.claims.size()) +
                                   (answer.certificate_note.empty() ? "" : ", " + answer.certificate_note));
  } else if (!answer.file.wanted.empty()) {
    out += fact("certificate", "none: no claim about this run was proved");
  }
  char line[256];
  std::snprintf(
      line, sizeof line,
      "c %ld fraction bits at first, %zu attempt%s, radius amplified by 2^%.1f, run %.3f s, total %.3f s\n",
      outcome.format.fraction_bits, outcome.attempts, outcome.attempts == 1 ? "" : "s",
      outcome.amplification_bits, outcome.seconds, answer.total_seconds);
  out += line;
  std::string verdict = verdict_word(outcome.verdict);
  std::transform(verdict.begin(), verdict.end(), verdict.begin(),
                 [](char c) { return static_cast<char>(c - 32); });
  return out + "s " + verdict + "\n";
}

}  // namespace attest
