// Claim kind rank: the rank of the solution matrix W* (GRAMMAR.md section 4, SOUNDNESS.md).
#pragma once

#include <array>
#include <variant>

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// Evidence for "rank >= r": nothing (r = 0), a prime modulo which the rank is r, or r columns with a bound of
// their Gram matrix's eigenvalues.
struct Prime {
  std::size_t value = 0;
};
struct ColumnEvidence {
  EigenvalueBound eigenvalue;
  std::vector<std::size_t> columns;
};

// Why the rank is not larger.
enum class RankReason { groups, left_dimension, right_dimension, queries, tokens, elimination };
inline constexpr std::array rank_reasons = {"groups",  "left-dimension", "right-dimension",
                                            "queries", "tokens",         "elimination"};

struct RankOfSolution : EvidenceOf<RankOfSolution> {
  Citation from;
  std::size_t rank = 0;
  std::variant<std::monostate, Prime, ColumnEvidence> lower;
  RankReason reason = RankReason::groups;

  static void words(auto& say, auto& self) { say("from", self.from, "equals", self.rank); }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
