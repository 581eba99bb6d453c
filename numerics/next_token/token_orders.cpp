#include "numerics/next_token/token_orders.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace attest {
namespace {

// One order as a graph over the tokens that occur in it, numbered by id.
class OrderGraph {
 public:
  explicit OrderGraph(const TokenOrder& order) : order_(&order) {
    std::map<TokenId, std::size_t> node;
    for (const OrderRow& row : order.rows) node[row.winner] = node[row.loser] = 0;
    std::size_t count = 0;
    for (auto& [token, number] : node) number = count++;
    rows_from_.resize(count);
    for (std::size_t k = 0; k < order.rows.size(); ++k) {
      winner_.push_back(node[order.rows[k].winner]);
      loser_.push_back(node[order.rows[k].loser]);
      rows_from_[winner_[k]].push_back(k);
    }
  }

  // Tokens that lose nowhere are taken away, and so on: what remains has a cycle.
  bool acyclic() const {
    std::vector<std::size_t> losses(rows_from_.size(), 0), free;
    for (const std::size_t node : loser_) ++losses[node];
    for (std::size_t node = 0; node < losses.size(); ++node) {
      if (losses[node] == 0) free.push_back(node);
    }
    std::size_t removed = 0;
    while (!free.empty()) {
      const std::size_t node = free.back();
      free.pop_back();
      ++removed;
      for (const std::size_t row : rows_from_[node]) {
        if (--losses[loser_[row]] == 0) free.push_back(loser_[row]);
      }
    }
    return removed == losses.size();
  }

  // A cycle of fewer than `bound` rows, and of as few as there are; empty without one.
  std::vector<OrderRow> shortest_cycle(std::size_t bound) const {
    std::vector<OrderRow> best;
    for (std::size_t start = 0; start < rows_from_.size(); ++start) {
      std::vector<OrderRow> cycle = cycle_through(start, best.empty() ? bound : best.size());
      if (!cycle.empty()) best = std::move(cycle);
    }
    return best;
  }

 private:
  // Breadth first from `start` back to it.
  std::vector<OrderRow> cycle_through(std::size_t start, std::size_t bound) const {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> reached_by(rows_from_.size(), none), length(rows_from_.size(), 0);
    std::deque<std::size_t> queue{start};
    while (!queue.empty()) {
      const std::size_t node = queue.front();
      queue.pop_front();
      if (length[node] + 1 >= bound) break;
      for (const std::size_t row : rows_from_[node]) {
        const std::size_t to = loser_[row];
        if (to == start) return path_to(node, row, reached_by);
        if (reached_by[to] != none) continue;
        reached_by[to] = row;
        length[to] = length[node] + 1;
        queue.push_back(to);
      }
    }
    return {};
  }

  std::vector<OrderRow> path_to(std::size_t node, std::size_t last_row,
                                const std::vector<std::size_t>& reached_by) const {
    std::vector<OrderRow> rows{order_->rows[last_row]};
    while (reached_by[node] != static_cast<std::size_t>(-1)) {
      rows.push_back(order_->rows[reached_by[node]]);
      node = winner_[reached_by[node]];
    }
    std::reverse(rows.begin(), rows.end());
    return rows;
  }

  const TokenOrder* order_;
  std::vector<std::size_t> winner_, loser_;          // nodes of each row
  std::vector<std::vector<std::size_t>> rows_from_;  // rows that a node wins
};

}  // namespace

std::vector<TokenOrder> token_orders(const std::vector<AttentionGroup>& groups,
                                     const Collocation& collocation) {
  std::map<TokenId, TokenOrder> orders;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const AttentionGroup& group = groups[i];
    const auto selected = selected_token(group, collocation);
    if (!selected) continue;
    TokenOrder& order = orders[group.query];
    order.query = group.query;
    for (std::size_t t = 0; t < group.tokens.size(); ++t) {
      if (t != *selected) order.rows.push_back({group.tokens[*selected], group.tokens[t], i, t});
    }
  }
  std::vector<TokenOrder> by_query;
  for (auto& [query, order] : orders) by_query.push_back(std::move(order));
  return by_query;
}

std::optional<OrderCycle> shortest_cycle(const std::vector<TokenOrder>& orders) {
  std::optional<OrderCycle> best;
  for (const TokenOrder& order : orders) {
    const OrderGraph graph(order);
    if (graph.acyclic()) continue;
    const std::size_t bound = best ? best->rows.size() : static_cast<std::size_t>(-1);
    std::vector<OrderRow> rows = graph.shortest_cycle(bound);
    if (!rows.empty()) best = OrderCycle{order.query, std::move(rows)};
  }
  return best;
}

}  // namespace attest
