#include "numerics/next_token/components.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "numerics/next_token/order_problem.hpp"

namespace attest {
namespace {

using Successors = std::map<TokenId, std::set<TokenId>>;

std::set<TokenId> reached_from(TokenId start, const Successors& next) {
  std::set<TokenId> seen{start};
  std::deque<TokenId> queue{start};
  while (!queue.empty()) {
    const auto at = next.find(queue.front());
    queue.pop_front();
    if (at == next.end()) continue;
    for (const TokenId y : at->second)
      if (seen.insert(y).second) queue.push_back(y);
  }
  return seen;
}

// The rows of one order: = 0 for those of a tree that spans each component from its first token, >= 1 for
// those from one component to another. The other rows inside follow.
std::vector<MarginRow> component_rows(const OrderProblem& problem,
                                      const std::vector<std::vector<TokenId>>& components) {
  std::map<TokenId, std::size_t> component;
  for (std::size_t k = 0; k < components.size(); ++k) {
    for (const TokenId x : components[k]) component.emplace(x, k);
  }
  const auto inside = [&](TokenId a, TokenId b) {
    const auto at = component.find(a), other = component.find(b);
    return at != component.end() && other != component.end() && at->second == other->second;
  };
  std::map<TokenId, std::size_t> group;  // of a winner
  for (std::size_t i = 0; i < problem.tokens.size(); ++i) group.emplace(problem.tokens[i][0].id, i);
  std::vector<MarginRow> rows;
  for (std::size_t i = 0; i < problem.tokens.size(); ++i) {
    for (std::size_t t = 1; t < problem.tokens[i].size(); ++t) {
      if (!inside(problem.tokens[i][0].id, problem.tokens[i][t].id))
        rows.push_back({i, 0, t, Sense::at_least_one});
    }
  }
  for (const std::vector<TokenId>& tokens : components) {
    std::set<TokenId> spanned{tokens.front()};
    std::deque<TokenId> queue{tokens.front()};
    while (!queue.empty()) {
      const std::size_t i = group.at(queue.front());
      queue.pop_front();
      for (std::size_t t = 1; t < problem.tokens[i].size(); ++t) {
        const TokenId y = problem.tokens[i][t].id;
        if (!inside(tokens.front(), y) || !spanned.insert(y).second) continue;
        rows.push_back({i, 0, t, Sense::equal_to_zero});
        queue.push_back(y);
      }
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const MarginRow& a, const MarginRow& b) { return a.constraint() < b.constraint(); });
  return rows;
}

}  // namespace

std::vector<std::vector<TokenId>> components(const TokenOrder& order) {
  Successors below, above;
  for (const OrderRow& row : order.rows) {
    below[row.winner].insert(row.loser);
    above[row.loser].insert(row.winner);
  }
  std::vector<std::vector<TokenId>> found;
  std::set<TokenId> done;
  for (const auto& [x, losers] : below) {
    if (done.count(x) != 0) continue;
    const std::set<TokenId> down = reached_from(x, below), up = reached_from(x, above);
    std::vector<TokenId> both;
    std::set_intersection(down.begin(), down.end(), up.begin(), up.end(), std::back_inserter(both));
    done.insert(both.begin(), both.end());
    if (both.size() > 1) found.push_back(std::move(both));
  }
  return found;
}

ComponentForm solve_component_form(const std::vector<TokenOrder>& orders, const MarginOptions& options) {
  ComponentForm form;
  MarginOptions exact = options;
  exact.form = Form::exact;
  exact.progress = {};
  for (const TokenOrder& order : orders) {
    if (order.rows.empty()) continue;
    const auto parts = components(order);
    form.components += parts.size();
    for (const auto& part : parts) form.tokens += part.size();
    const OrderProblem problem(order);
    const MarginSolution solution = solve_margin_rows(problem.data, component_rows(problem, parts), exact);
    if (!solution.exact) {
      form.reason = solution.reason.empty() ? "precision: no exact solution of one order" : solution.reason;
      return form;
    }
    form.norm_squared += solution.exact->norm_squared;
  }
  form.solved = true;
  return form;
}

}  // namespace attest
