// The collocation n of next-token prediction (paper E): read from the sentences of two tokens, and searched
// for where they do not say it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "numerics/next_token/sentences.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// Why no collocation fits, with the sentences that prove it.
struct CollocationConflict {
  enum class Kind {
    two_next,      // `tokens` = {x}: the two sentences give it different next tokens
    two_before,    // `tokens` = {y}: the two sentences let different tokens have it next
    no_candidate,  // `tokens` = {y}: no token of all these contexts may have y next
    too_few,       // the next tokens `tokens` have fewer candidates than they are
    given_order,   // the pairs of the sentences of two tokens give an order a cycle already
    no_order,      // each choice for `tokens`, in all sentences, leaves an order with a cycle
  };
  Kind kind = Kind::two_next;
  std::vector<TokenId> tokens;
  std::vector<std::size_t> sentences;
};

struct CollocationSearch {
  enum class Verdict { given, found, conflict, undecided };
  Verdict verdict = Verdict::given;
  // Given and found: all pairs. Conflict and undecided: those of the sentences of two tokens.
  Collocation collocation;
  std::optional<CollocationConflict> conflict;
  std::string reason;  // when undecided
};

// An injective n that has n(x) = y for each sentence x, y of two tokens and a token with the right n in each
// other context. *Given*: the sentences of two tokens say all of it, whatever the orders are. *Found*: pairs
// were chosen so that every order is strict as well; tokens that stand in few contexts first. *Conflict*:
// there is none. *Undecided*: the search ended at `most_choices` or at the budget. Deterministic, but for
// time.
CollocationSearch find_collocation(const Sentences& sentences, const Budget& budget,
                                   std::size_t most_choices = 10'000'000);

}  // namespace attest
