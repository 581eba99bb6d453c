#include "certify/audits/comparison.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace attest {
namespace {

// Logits of recorded doubles are sums of products of 53-bit numbers: with so many bits only ties stay open,
// as a rule.
constexpr long comparison_bits = 320;

std::vector<Ball> balls(const ExactArray& values, std::size_t first, std::size_t count) {
  std::vector<Ball> result;
  result.reserve(count);
  for (std::size_t k = first; k < first + count; ++k) result.emplace_back(values.exact(k), comparison_bits);
  return result;
}

Ball norm_of(const std::vector<Ball>& values) {
  return sqrt(dot(values, values, comparison_bits), comparison_bits);
}

template <typename Holds>
std::optional<std::uint64_t> first_step(const std::vector<ComparedStep>& steps, Holds holds) {
  const auto found = std::find_if(steps.begin(), steps.end(), holds);
  return found == steps.end() ? std::nullopt : std::optional(found->step);
}

// The first of the steps at the end that all have it.
template <typename Holds>
std::optional<std::uint64_t> first_of_tail(const std::vector<ComparedStep>& steps, Holds holds) {
  const auto last = std::find_if_not(steps.rbegin(), steps.rend(), holds);
  return last == steps.rbegin() ? std::nullopt : std::optional(std::prev(last)->step);
}

bool selects_others(const ComparedStep& step) {
  return !step.others.empty();
}

}  // namespace

std::optional<bool> Comparison::beyond(const ComparedStep& step) const {
  if (!step.finite) return true;
  const Ball limit = mul(Ball(share, comparison_bits), step.exact_norm, comparison_bits);
  if (certainly_less(limit, step.distance)) return true;
  if (certainly_at_most(step.distance, limit)) return false;
  return std::nullopt;
}

std::optional<std::uint64_t> Comparison::within_until() const {
  std::optional<std::uint64_t> last;
  for (const ComparedStep& step : steps) {
    if (beyond(step) != false) break;
    last = step.step;
  }
  return last;
}

std::optional<std::uint64_t> Comparison::first_beyond() const {
  return first_step(steps, [&](const ComparedStep& step) { return beyond(step) == true; });
}

std::optional<std::uint64_t> Comparison::beyond_from() const {
  return first_of_tail(steps, [&](const ComparedStep& step) { return beyond(step) == true; });
}

std::optional<std::uint64_t> Comparison::first_other() const {
  return first_step(steps, selects_others);
}

std::optional<std::uint64_t> Comparison::other_from() const {
  return first_of_tail(steps, selects_others);
}

TrajectoryComparer::TrajectoryComparer(const RunGeometry& geometry,
                                       std::shared_ptr<const Trajectory> trajectory, const Rational& share,
                                       const Budget& budget)
    : geometry_(geometry), trajectory_(std::move(trajectory)), budget_(budget) {
  comparison_.path = trajectory_->path;
  comparison_.share = share;
  comparison_.states_run = trajectory_->stated.contains("optimizer") && trajectory_->stated.contains("step");
  comparison_.states_start = trajectory_->steps.front() == 0;
  comparison_.recorded = trajectory_->steps.size();
}

void TrajectoryComparer::begin() {
  next_ = 0;
  comparison_.steps.clear();
}

void TrajectoryComparer::watch(const EnclosedPoint& enclosed, const RunPoint& point) {
  const std::vector<std::uint64_t>& recorded = trajectory_->steps;
  while (next_ < recorded.size() && recorded[next_] < point.step) ++next_;
  if (next_ == recorded.size() || recorded[next_] != point.step) return;
  ComparedStep step;
  step.step = point.step;
  step.exact_norm = point.norm;
  step.finite = trajectory_->finite(next_);
  if (step.finite) {
    const ExactArray matrix = trajectory_->matrix(next_);
    step.norm = norm_of(balls(matrix, 0, matrix.size()));
    enclosed.distance(step.distance.raw(), matrix);
    compare_tokens(step, matrix, enclosed);
  }
  comparison_.steps.push_back(std::move(step));
}

void TrajectoryComparer::compare_tokens(ComparedStep& step, const ExactArray& recorded,
                                        const EnclosedPoint& enclosed) const {
  const std::vector<Ball> matrix = balls(recorded, 0, recorded.size());
  for (std::size_t i = 0; i < geometry_.groups.size(); ++i) {
    budget_.poll();
    const std::optional<std::size_t> token = selected(matrix, i);
    if (!token || !enclosed.dominates(i)) {
      ++step.open;
    } else if (*token != enclosed.reference()[i]) {
      step.others.push_back({geometry_.groups[i].original, *token, enclosed.reference()[i]});
    }
  }
}

std::optional<std::size_t> TrajectoryComparer::selected(const std::vector<Ball>& recorded,
                                                        std::size_t group) const {
  const RunGroup& facts = geometry_.groups[group];
  const TokenData& data = *geometry_.data;
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  const std::vector<Ball> query = balls(data.query_factor, facts.original * e, e);
  std::vector<Ball> image;
  for (std::size_t j = 0; j < d; ++j)
    image.push_back(dot(std::span(recorded).subspan(j * e, e), query, comparison_bits));
  std::vector<std::pair<Ball, std::size_t>> logits;  // of the different tokens
  for (std::size_t t = 0; t < facts.tokens; ++t) {
    if (!data.present(facts.original, t)) continue;
    logits.emplace_back(
        dot(balls(data.token_factor, data.row(facts.original, t) * d, d), image, comparison_bits), t);
  }
  const auto best = std::max_element(logits.begin(), logits.end(), [](const auto& a, const auto& b) {
    return a.first.approx_mid() < b.first.approx_mid();
  });
  for (auto other = logits.begin(); other != logits.end(); ++other) {
    if (other != best && !certainly_less(other->first, best->first)) return std::nullopt;
  }
  return best->second;
}

}  // namespace attest
