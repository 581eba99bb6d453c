#include "certify/catalogue/label_margins.hpp"

#include <algorithm>

#include "certify/catalogue/shifted_problem.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/joint/multiplier_choices.hpp"

namespace attest {
namespace {

constexpr long feature_bits = 192;
constexpr double most_products = 2e6;  // of balls: about a second
constexpr std::size_t most_sequences = 500;

// Pieces that take about a second, for so many multiplier vectors.
std::size_t affordable(const JointFeatures& features, const std::vector<std::size_t>& supporting,
                       std::size_t choices) {
  double one = 1;
  for (const std::size_t i : supporting)
    one += 4.0 * static_cast<double>(features.groups[i].tokens.size() * features.decoder_dimension);
  return static_cast<std::size_t>(most_products / (one * static_cast<double>(choices)));
}

}  // namespace

// Labelled rows of X; those of equal keys become their mean by multiplicity (T18).
JointData labelled_data(const Instance& instance, TokenData data) {
  JointData joint;
  const std::size_t d = joint.decoder_dimension = instance.dimension;
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    for (std::size_t k = instance.first_row[i] * d; k < instance.first_row[i + 1] * d; ++k)
      joint.values.push_back(instance.Y[i] * instance.X.exact(k));
  }
  const auto count = [&](std::size_t row) { return instance.counts.empty() ? 1 : instance.counts[row]; };
  for (const TokenClass& merged : equal_tokens(data)) {
    const std::size_t first = data.row(merged.group, merged.tokens.front());
    for (std::size_t j = 0; j < d; ++j) {
      Rational sum = 0, weight = 0;
      for (const std::size_t token : merged.tokens) {
        const std::size_t row = data.row(merged.group, token);
        sum += Rational(Integer(count(row))) * joint.values[row * d + j];
        weight += Rational(Integer(count(row)));
      }
      joint.values[first * d + j] = sum / weight;
    }
  }
  joint.data = std::move(data);
  return joint;
}

std::string LabelMargins::words() const {
  if (all == Verdict::holds)
    return "holds with nu = " + decimal_down(Rational(cover.proved), 6) +
           (cover.finished ? "" : ", perhaps more: the cover was not refined to the end");
  if (all == Verdict::fails && !witness->ray)
    return "fails for every nu: a W leaves the decoder a label margin of " +
           decimal_down(witness->margin.lower(), 6) + " at least";
  std::string text = all == Verdict::fails
                         ? "fails for every nu along a ray of W: a sequence off the decoder's support"
                         : reason;
  if (supporting == Verdict::holds)
    text += "; over the supporting sequences it holds with nu = " + decimal_down(Rational(cover.proved), 6);
  return text;
}

JointGeometry::JointGeometry(const Instance& instance, const TokenData& data, const Selection& selection,
                             const JointProblems& problems, const Budget& budget)
    : data_(data), selection_(selection), problems_(problems) {
  constexpr double seconds_a_number = 3e-7;
  const double numbers = static_cast<double>(constraint_count(data) * data.left_dimension);
  budget.needs_seconds(seconds_a_number * numbers, "enclosing all rows");
  budget.reserve(numbers * sizeof(Ball), "all rows enclosed");
  rows_ = enclosed_rows(data, selection);
  if (!problems.supporting) return;
  decoder_ = direction_of(decoder_rows(problems.decoder_data, selection), problems.decoder);
  if (decoder_ && decoder_->multipliers.empty()) decoder_.reset();
  if (!decoder_ || selection.size() > most_sequences) return;
  const JointData joint = labelled_data(instance, data);
  features_.emplace(joint, feature_bits);
  multipliers_ = multiplier_choices(joint, selection, *decoder_, *problems.supporting);
  decoder_->multipliers = multipliers_.front().values;
}

LabelMargins JointGeometry::label_margins(const Budget& budget) const {
  LabelMargins found;
  if (!decoder_) {
    found.reason = problems_.decoder.feasibility == Feasibility::infeasible
                       ? "the decoder has no margin to lose"
                       : "precision: the decoder's solution is not known well enough";
    return found;
  }
  const std::vector<std::size_t>& supporting = *problems_.supporting;
  if (data_.offsets) {
    found.reason = "decided for logits without offsets";
    return found;
  }
  if (!features_) {
    found.reason = "budget: decided for " + std::to_string(most_sequences) + " sequences at most";
    return found;
  }
  try {
    found.cover = label_margin_cover(*features_, selection_, *decoder_, multipliers_, supporting,
                                     affordable(*features_, supporting, multipliers_.size()), budget);
    if (found.cover.proved > 0) {
      found.supporting = Verdict::holds;
    } else if (!found.cover.worst.empty()) {
      found.witness = label_margin_point(*features_, rows_, selection_, *decoder_, found.cover.worst, budget);
    }
    if (found.witness) found.all = found.supporting = Verdict::fails;
    if (!found.witness && !problems_.relaxed.empty())
      found.witness = label_margin_ray(rows_, supporting, budget);
  } catch (const BudgetReached& reached) {
    found.reason = reached.reason;
  }
  if (found.witness) found.all = Verdict::fails;
  if (found.supporting == Verdict::holds && problems_.relaxed.empty()) found.all = Verdict::holds;
  if (found.reason.empty() && (found.all == Verdict::undecided || found.supporting == Verdict::undecided))
    found.reason =
        found.supporting == Verdict::holds
            ? "no ray of W was found that leaves a sequence off the decoder's support behind"
        : found.cover.attained > 0
            ? "budget: the cover of " + std::to_string(found.cover.pieces) + " pieces proves no nu > 0 yet"
            : "attention that is free in each sequence breaks it, and no W was found that does";
  return found;
}

std::string words(const JointPathBound& bound, const std::string& ball, const std::string& along) {
  const auto up = [](const Ball& x) { return decimal_up(x.upper(), 6); };
  std::string text = "for every R >= " + decimal_up(bound.least_radius, 6) + " and r >= ";
  const std::string least = decimal_up(bound.least_decoder_radius, 6);
  text += bound.relaxed ? "max(" + least + ", " + up(bound.slope) + " R)" : least;
  return text + " every minimiser (v, W) of L over ||v|| <= r, " + ball +
         " <= R has 1 - <u_v,v>/r <= " + up(bound.decoder_decay) + " exp(-" +
         decimal_down(bound.gamma.lower(), 6) + " R) + " + up(bound.decoder_rate) + "/r and 1 - " + along +
         "/R <= " + up(bound.rate) + "/R (checked, T21 with two radii)";
}

std::optional<JointPathBound> JointGeometry::bound(const LabelMargins& margins, Loss loss,
                                                   const Direction& attention, const Direction* plain,
                                                   std::string& reason) const {
  if (margins.supporting != Verdict::holds) {
    reason = margins.words();
    return std::nullopt;
  }
  return joint_path({*features_, rows_, selection_, *problems_.supporting, *decoder_, attention, plain,
                     margins.cover.proved, loss},
                    reason);
}

std::optional<JointPathBound> JointGeometry::path(const LabelMargins& margins, Loss loss,
                                                  const std::optional<MarginSolution>& plain,
                                                  std::string& reason) const {
  std::optional<Direction> attention, leaning;
  if (problems_.attention) attention = direction_of(rows_, *problems_.attention);
  if (!attention || attention->multipliers.empty()) {
    reason = problems_.attention && problems_.attention->feasibility == Feasibility::infeasible
                 ? "the attention's rows contradict each other"
                 : "the attention's solution is zero or not known well enough";
    return std::nullopt;
  }
  if (plain) leaning = direction_of(rows_, *plain);
  return bound(margins, loss, *attention, leaning ? &*leaning : nullptr, reason);
}

std::optional<MarginSolution> JointGeometry::plain_solution(const MarginOptions& options) const {
  if (problems_.relaxed.empty()) return std::nullopt;
  return solve_margin_problem(data_, selection_, options);
}

std::optional<JointPathBound> JointGeometry::path_in_norm(const LabelMargins& margins, Loss loss,
                                                          const Interval& norm, std::string& reason) const {
  if (norm.lo <= 0) {
    reason = "precision: the least norm may be 0";
    return std::nullopt;
  }
  Direction attention;
  attention.margin = Ball(1 / norm.hi, 1 / norm.lo, direction_bits);
  return bound(margins, loss, attention, nullptr, reason);
}

}  // namespace attest
