// The attention stage of one-hot sentences: see claims/tokens/stage.hpp.
#include "proofs/checker/claims/tokens/stage.hpp"

#include "proofs/checker/instance/sentences.hpp"

namespace attest_check {

TokenPairs::TokenPairs(const Claim& claim, Stage stage) {
  const Instance& instance = claim.problem.features->instance();
  claim.require(instance.sentences != nullptr && instance.stage == stage,
                std::string("the problem is not that of the ") + name(stage) + " stage of sentences");
  const Sentences& text = *instance.sentences;
  claim.require(text.embeddings.size() == 0, "the embeddings are not one-hot");
  claim.require(text.vocabulary >= 2, "there is one output only");
  outputs = text.vocabulary;
  for (std::size_t k = 0; k < text.count(); ++k) {
    if (text.first[k + 1] - text.first[k] != 2) continue;
    const std::uint32_t x = text.ids[text.first[k]], y = text.ids[text.first[k] + 1];
    next.emplace(x, y);
    before.emplace(y, x);
  }
  claim.require(!next.empty(), "no token has a next one");
}

// Each pair's column is e_n(x) less the mean of all outputs.
Rational TokenPairs::squared_norm() const {
  return fraction(Integer(next.size()) * Integer(outputs - 1), Integer(outputs));
}

Interval TokenPairs::scale(const Rational& step, std::size_t steps, unsigned bits) const {
  const Rational length = step * Rational(Integer(steps));
  return square_root(Interval(Rational(length * length / squared_norm()), bits));
}

TokenStage::TokenStage(const Claim& claim) : pairs(claim, Stage::attention) {
  const Sentences& text = *claim.problem.features->instance().sentences;
  for (std::size_t k = 0; k < text.count(); ++k) {
    const std::size_t first = text.first[k], last = text.first[k + 1] - 1;
    if (last - first == 1) continue;
    const std::uint32_t query = text.ids[last - 1], wanted = pairs.before.at(text.ids[last]);
    StageGroup& group = groups.emplace_back();
    std::map<std::uint32_t, std::size_t> place;  // in the group
    for (std::size_t t = first; t < last; ++t) {
      const std::uint32_t x = text.ids[t];
      const auto [at, is_new] = place.try_emplace(x, group.tokens.size());
      if (!is_new) {
        ++group.tokens[at->second].count;
        continue;
      }
      const std::size_t number = entry.try_emplace({query, x}, entry.size()).first->second;
      group.tokens.push_back({number, 1, pairs.next.contains(x)});
    }
    group.selected = place.at(wanted);
    const std::size_t i = groups.size() - 1;
    claim.require(claim.problem.selection[i] == group.selected,
                  "group " + std::to_string(i) + " does not select the token with the sentence's next one");
  }
  claim.require(!groups.empty(), "no sentence has a context of two tokens or more");
}

TokenDirection::TokenDirection(const Claim& claim, const TokenStage& stage, const Citation& solution)
    : entries(stage.entry.size()) {
  const auto& exact = claim.cite_as<ExactSolution>(solution, "optimal");
  norm_squared = exact.norm_squared;
  const ConstraintVector& multipliers = exact.centre.vector();
  claim.require(multipliers.size() > 0, "there is no constraint");
  for (std::size_t k = 0; k < multipliers.size(); ++k) {
    const Constraint& at = multipliers.at[k];
    const StageGroup& group = stage.groups[at.group];
    const Rational value = fraction(multipliers.numerator[k], multipliers.denominator);
    shares.push_back({at, value});
    entries[group.tokens[group.selected].entry] += value;
    entries[group.tokens[at.token].entry] -= value;
  }
}

Interval TokenDirection::along(const std::vector<Interval>& w, unsigned bits) const {
  Interval sum;
  for (std::size_t k = 0; k < w.size(); ++k)
    if (entries[k] != 0) sum += w[k] * Interval(entries[k], bits);
  return sum / norm(bits);
}

}  // namespace attest_check
