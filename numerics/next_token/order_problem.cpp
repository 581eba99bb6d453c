#include "numerics/next_token/order_problem.hpp"

#include <map>

namespace attest {

OrderProblem::OrderProblem(const TokenOrder& order) {
  std::map<TokenId, std::map<TokenId, std::vector<Constraint>>> pairs;
  std::map<TokenId, std::size_t> column;
  for (const OrderRow& row : order.rows) {
    pairs[row.winner][row.loser].push_back({row.group, row.token});
    column[row.winner] = column[row.loser] = 0;
  }
  std::size_t columns = 0;
  for (auto& [token, number] : column) number = columns++;
  std::vector<double> factor;
  const auto add_row = [&](TokenId token, std::vector<Constraint> said_by) {
    factor.resize(factor.size() + columns, 0.0);
    factor[factor.size() - columns + column[token]] = 1;
    data.scores.push_back(said_by.empty() ? 1 : 0);
    tokens.back().push_back({token, std::move(said_by)});
  };
  data.first_row.push_back(0);
  for (auto& [winner, losers] : pairs) {
    tokens.emplace_back();
    add_row(winner, {});
    for (auto& [loser, said_by] : losers) add_row(loser, std::move(said_by));
    data.first_row.push_back(data.first_row.back() + tokens.back().size());
    selection.push_back(0);
  }
  data.left_dimension = columns;
  data.token_factor = ExactArray::from_binary64(std::move(factor));
  data.query_factor = ExactArray::from_binary64(std::vector<double>(tokens.size(), 1.0));
}

}  // namespace attest
