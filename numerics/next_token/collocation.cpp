#include "numerics/next_token/collocation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace attest {
namespace {

using Kind = CollocationConflict::Kind;

// Reads the pairs of the sentences of two tokens.
std::optional<CollocationConflict> read_pairs(const Sentences& sentences, Collocation& collocation) {
  std::map<TokenId, std::size_t> of_x, of_y;  // the sentence that said it
  for (std::size_t k = 0; k < sentences.sentence.size(); ++k) {
    const std::vector<TokenId>& sentence = sentences.sentence[k];
    if (sentence.size() != 2) continue;
    const TokenId x = sentence[0], y = sentence[1];
    const auto next = collocation.next(x), before = collocation.before(y);
    if (next && *next != y) return CollocationConflict{Kind::two_next, {x}, {of_x[x], k}};
    if (before && *before != x) return CollocationConflict{Kind::two_before, {y}, {of_y[y], k}};
    if (!next) collocation.add(x, y);
    of_x.emplace(x, k);
    of_y.emplace(y, k);
  }
  return std::nullopt;
}

// A next token whose partner is open, the groups that end in it, and who may be its partner.
struct OpenNext {
  TokenId next = 0;
  std::vector<std::size_t> groups;
  std::vector<TokenId> candidates;
  std::size_t failures = 0;  // how often the search found none of them possible
};

// Tokens of every context listed that `allowed` admits, in the order of the first.
template <class Allowed>
std::vector<TokenId> common_tokens(const std::vector<AttentionGroup>& groups,
                                   const std::vector<std::size_t>& at, Allowed allowed) {
  std::vector<TokenId> common;
  for (const TokenId x : groups[at[0]].tokens) {
    if (allowed(x)) common.push_back(x);
  }
  for (const std::size_t i : at) {
    const std::unordered_set<TokenId> here(groups[i].tokens.begin(), groups[i].tokens.end());
    std::erase_if(common, [&](TokenId x) { return here.count(x) == 0; });
  }
  return common;
}

// As few of the groups as deletion finds that have no admitted token in common.
template <class Allowed>
std::vector<std::size_t> without_candidate(const std::vector<AttentionGroup>& groups,
                                           std::vector<std::size_t> at, Allowed allowed) {
  for (std::size_t k = at.size(); k-- > 0 && at.size() > 1;) {
    std::vector<std::size_t> rest = at;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    if (common_tokens(groups, rest, allowed).empty()) at = std::move(rest);
  }
  return at;
}

// Kuhn's matching of next tokens to candidates. The next tokens that an unmatched one reaches by alternating
// paths have together fewer candidates than they are (Hall).
class Matching {
 public:
  explicit Matching(const std::vector<OpenNext>& open) : open_(open) {}

  std::vector<std::size_t> too_few() {
    for (std::size_t y = 0; y < open_.size(); ++y) {
      seen_.clear();
      reached_.clear();
      if (!place(y)) return reached_;
    }
    return {};
  }

 private:
  bool place(std::size_t y) {
    reached_.push_back(y);
    for (const TokenId x : open_[y].candidates) {
      if (!seen_.insert(x).second) continue;
      const auto taken = owner_.find(x);
      if (taken == owner_.end() || place(taken->second)) {
        owner_[x] = y;
        return true;
      }
    }
    return false;
  }

  const std::vector<OpenNext>& open_;
  std::unordered_map<TokenId, std::size_t> owner_;
  std::unordered_set<TokenId> seen_;
  std::vector<std::size_t> reached_;
};

// The orders of all queries while pairs are chosen: x >_q x' counted by how many groups say it.
class GrowingOrders {
 public:
  explicit GrowingOrders(const std::vector<AttentionGroup>& groups) : groups_(groups) {}

  // The groups select x from now on. False, and nothing changed, if that closes a cycle.
  bool select(TokenId x, const std::vector<std::size_t>& at) {
    for (const std::size_t i : at) change(x, i, 1);
    for (const std::size_t i : at) {
      // A new cycle passes through x.
      if (!reaches(groups_[i].query, x)) continue;
      unselect(x, at);
      return false;
    }
    return true;
  }
  void unselect(TokenId x, const std::vector<std::size_t>& at) {
    for (const std::size_t i : at) change(x, i, -1);
  }

 private:
  using Losers = std::map<TokenId, int>;

  void change(TokenId x, std::size_t i, int by) {
    Losers& losers = orders_[groups_[i].query][x];
    for (const TokenId other : groups_[i].tokens) {
      if (other != x && (losers[other] += by) == 0) losers.erase(other);
    }
  }

  // Is there a way from x back to x?
  bool reaches(TokenId query, TokenId x) const {
    const auto& order = orders_.at(query);
    std::vector<TokenId> stack{x};
    std::unordered_set<TokenId> seen;
    while (!stack.empty()) {
      const TokenId at = stack.back();
      stack.pop_back();
      const auto wins = order.find(at);
      if (wins == order.end()) continue;
      for (const auto& [loser, count] : wins->second) {
        if (loser == x) return true;
        if (seen.insert(loser).second) stack.push_back(loser);
      }
    }
    return false;
  }

  const std::vector<AttentionGroup>& groups_;
  std::unordered_map<TokenId, std::unordered_map<TokenId, Losers>> orders_;
};

class Search {
 public:
  Search(const Sentences& sentences, const Budget& budget, std::size_t most_choices)
      : budget_(budget), most_choices_(most_choices), groups_(attention_groups(sentences)), orders_(groups_) {
    result_.conflict = read_pairs(sentences, result_.collocation);
  }

  CollocationSearch run() {
    if (!result_.conflict) collect();
    if (result_.conflict) {
      result_.verdict = CollocationSearch::Verdict::conflict;
    } else if (!open_.empty()) {
      choose_all();
    }
    return std::move(result_);
  }

 private:
  // The open next tokens with their candidates; those that the sentences of two tokens settle are only
  // checked.
  void collect() {
    std::map<TokenId, std::vector<std::size_t>> by_next;
    std::map<TokenId, std::size_t> contexts;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      by_next[groups_[i].next].push_back(i);
      for (const TokenId x : groups_[i].tokens) ++contexts[x];
    }
    for (auto& [next, at] : by_next) {
      const auto given = result_.collocation.before(next);
      const auto allowed = [&](TokenId x) {
        return given ? x == *given : !result_.collocation.next(x).has_value();
      };
      std::vector<TokenId> candidates = common_tokens(groups_, at, allowed);
      if (candidates.empty()) {
        result_.conflict = {
            Kind::no_candidate, {next}, sentences_of(without_candidate(groups_, at, allowed))};
        return;
      }
      if (given) {
        settled_.emplace_back(*given, std::move(at));
        continue;
      }
      // A token of few contexts loses to few others.
      std::stable_sort(candidates.begin(), candidates.end(),
                       [&](TokenId a, TokenId b) { return contexts[a] < contexts[b]; });
      open_.push_back({next, std::move(at), std::move(candidates), 0});
    }
    std::stable_sort(open_.begin(), open_.end(), [](const OpenNext& a, const OpenNext& b) {
      return a.candidates.size() < b.candidates.size();
    });
    if (const auto few = Matching(open_).too_few(); !few.empty()) report(Kind::too_few, few);
  }

  void choose_all() {
    for (const auto& [x, at] : settled_) {
      if (orders_.select(x, at)) continue;
      report(Kind::given_order, {});
      result_.verdict = CollocationSearch::Verdict::conflict;
      return;
    }
    if (choose()) {
      result_.verdict = CollocationSearch::Verdict::found;
    } else if (!result_.reason.empty()) {
      result_.verdict = CollocationSearch::Verdict::undecided;
    } else {
      std::vector<std::size_t> all(open_.size());
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
      report(Kind::no_order, all);
      result_.verdict = CollocationSearch::Verdict::conflict;
    }
  }

  // Depth first, again and again with twice the patience: each time those next tokens come first that were
  // left without a candidate most often. False with a reason when a budget ended it.
  bool choose() {
    for (std::size_t patience = 64;; patience *= 2) {
      const Dive dive = choose_within(patience);
      if (dive != Dive::cut) return dive == Dive::found;
      std::stable_sort(open_.begin(), open_.end(),
                       [](const OpenNext& a, const OpenNext& b) { return a.failures > b.failures; });
    }
  }

  enum class Dive { found, none, cut };

  // Without recursion: choice[k] is the candidate that open_[k] has, one past the last when all were tried.
  // Cut when that has come up `patience` times.
  Dive choose_within(std::size_t patience) {
    std::vector<std::size_t> choice(open_.size(), 0);
    std::size_t at = 0;
    while (patience > 0 && may_go_on()) {
      OpenNext& open = open_[at];
      if (choice[at] == open.candidates.size()) {
        choice[at] = 0;
        ++open.failures;
        --patience;
        if (at == 0) return Dive::none;
        --at;
        drop(open_[at], choice[at]++);
      } else if (take(open, choice[at])) {
        if (++at == open_.size()) return Dive::found;
      } else {
        ++choice[at];
      }
    }
    while (at-- > 0) drop(open_[at], choice[at]);
    return result_.reason.empty() ? Dive::cut : Dive::none;
  }

  // Notes the reason when a budget is reached.
  bool may_go_on() {
    if (tried_ == most_choices_) {
      result_.reason = "budget: " + std::to_string(tried_) + " choices were tried";
      return false;
    }
    try {
      if (tried_++ % 64 == 0) budget_.poll();
    } catch (const BudgetReached& reached) {
      result_.reason = reached.reason;
      return false;
    }
    return true;
  }

  bool take(const OpenNext& open, std::size_t choice) {
    const TokenId x = open.candidates[choice];
    if (result_.collocation.next(x) || !orders_.select(x, open.groups)) return false;
    result_.collocation.add(x, open.next);
    return true;
  }
  void drop(const OpenNext& open, std::size_t choice) {
    result_.collocation.remove(open.candidates[choice]);
    orders_.unselect(open.candidates[choice], open.groups);
  }

  void report(Kind kind, const std::vector<std::size_t>& open) {
    CollocationConflict conflict{kind, {}, {}};
    std::vector<std::size_t> at;
    for (const std::size_t k : open) {
      conflict.tokens.push_back(open_[k].next);
      at.insert(at.end(), open_[k].groups.begin(), open_[k].groups.end());
    }
    std::sort(conflict.tokens.begin(), conflict.tokens.end());
    std::sort(at.begin(), at.end());
    conflict.sentences = sentences_of(at);
    result_.conflict = std::move(conflict);
  }

  std::vector<std::size_t> sentences_of(const std::vector<std::size_t>& groups) const {
    std::vector<std::size_t> sentences;
    for (const std::size_t i : groups) sentences.push_back(groups_[i].sentence);
    return sentences;
  }

  const Budget& budget_;
  std::size_t most_choices_, tried_ = 0;
  std::vector<AttentionGroup> groups_;
  GrowingOrders orders_;
  std::vector<OpenNext> open_;
  std::vector<std::pair<TokenId, std::vector<std::size_t>>> settled_;  // x and the groups that select it
  CollocationSearch result_;
};

}  // namespace

CollocationSearch find_collocation(const Sentences& sentences, const Budget& budget,
                                   std::size_t most_choices) {
  return Search(sentences, budget, most_choices).run();
}

}  // namespace attest
