#include "numerics/problem/token_classes.hpp"

namespace attest {

std::vector<TokenClass> best_score_ties(const TokenData& data) {
  std::vector<TokenClass> ties;
  const Selection best = best_selection(data);
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    TokenClass tied{i, {}};
    for (std::size_t t = best[i]; t < data.tokens(i); ++t) {
      if (data.present(i, t) && data.score(i, t) == data.score(i, best[i])) tied.tokens.push_back(t);
    }
    if (tied.tokens.size() > 1) ties.push_back(std::move(tied));
  }
  return ties;
}

}  // namespace attest
