#include "numerics/next_token/attention_stage.hpp"

#include <algorithm>
#include <set>

namespace attest {
namespace {

// The relation "a > b" of rows as a graph over entries.
class RowGraph {
 public:
  RowGraph(std::size_t entries, const std::vector<std::pair<std::size_t, std::size_t>>& rows)
      : above_(entries), below_(entries) {
    for (const auto& [winner, loser] : rows) {
      above_[loser].push_back(winner);
      below_[winner].push_back(loser);
    }
  }

  // w_x: e_x (-e_x) where nothing is above (below) x; else h at x, h + 1 on all above and h - 1 on all below,
  // for the h in {-1, 0, 1} that makes it shortest.
  std::map<std::size_t, int> weights(std::size_t x) const {
    if (above_[x].empty()) return {{x, 1}};
    if (below_[x].empty()) return {{x, -1}};
    const auto above = reached(x, above_), below = reached(x, below_);
    const std::size_t around = above.size() + below.size();
    int height = 0;
    if (4 * above.size() + 1 < around) height = 1;
    if (4 * below.size() + 1 < around) height = -1;
    std::map<std::size_t, int> weights{{x, height}};
    for (const std::size_t y : above) weights[y] = height + 1;
    for (const std::size_t y : below) weights[y] = height - 1;
    return weights;
  }

 private:
  using Lists = std::vector<std::vector<std::size_t>>;

  static std::set<std::size_t> reached(std::size_t from, const Lists& lists) {
    std::set<std::size_t> seen;
    std::vector<std::size_t> stack{from};
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      for (const std::size_t y : lists[at])
        if (seen.insert(y).second) stack.push_back(y);
    }
    return seen;
  }

  Lists above_, below_;
};

std::map<TokenId, std::uint64_t> context_counts(const std::vector<TokenId>& sentence) {
  std::map<TokenId, std::uint64_t> count;
  for (std::size_t t = 0; t + 1 < sentence.size(); ++t) ++count[sentence[t]];
  return count;
}

}  // namespace

std::uint64_t squared_curvature_ratio(std::size_t entries,
                                      const std::vector<std::pair<std::size_t, std::size_t>>& rows) {
  const RowGraph graph(entries, rows);
  std::uint64_t most = 0;
  for (const auto& [a, b] : rows) {
    std::map<std::size_t, int> sum = graph.weights(a);
    for (const auto& [y, weight] : graph.weights(b)) sum[y] += weight;
    std::uint64_t square = 0;
    for (const auto& [y, weight] : sum) square += static_cast<std::uint64_t>(weight * weight);
    most = std::max(most, square);
  }
  return most;
}

AttentionStage::AttentionStage(const Sentences& sentences, const std::vector<AttentionGroup>& from,
                               const Collocation& collocation)
    : outputs(sentences.vocabulary) {
  std::map<TokenId, std::size_t> column;
  for (const AttentionGroup& context : from) {
    const auto count = context_counts(sentences.sentence[context.sentence]);
    StageGroup& group = groups.emplace_back();
    group.column = column.try_emplace(context.query, column.size()).first->second;
    group.selected = *selected_token(context, collocation);
    for (const TokenId x : context.tokens) {
      const std::size_t number = entry.try_emplace({context.query, x}, entry.size()).first->second;
      group.tokens.push_back({number, count.at(x), collocation.next(x).has_value()});
    }
    const StageToken& top = group.tokens[group.selected];
    for (const StageToken& token : group.tokens) {
      if (token.entry == top.entry) continue;
      Rational& ratio = rows[{top.entry, token.entry}];
      ratio = std::max(ratio, Rational(token.count, top.count));
    }
  }
  columns = column.size();
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [pair, ratio] : rows) pairs.push_back(pair);
  curvature = squared_curvature_ratio(entry.size(), pairs);
}

AttentionOptimum::AttentionOptimum(const AttentionStage& stage, const ExactOptimum& optimum)
    : entries(stage.entry.size()), norm_squared(optimum.norm_squared) {
  for (std::size_t k = 0; k < optimum.multipliers.size(); ++k) {
    const Constraint& c = optimum.multipliers.constraint[k];
    const StageGroup& group = stage.groups[c.group];
    const Rational value = optimum.multipliers.value(k);
    shares.push_back({c.group, c.token, value});
    entries[group.tokens[group.selected].entry] += value;
    entries[group.tokens[c.token].entry] -= value;
  }
}

}  // namespace attest
