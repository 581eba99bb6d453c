// Claim kind label-margins: soft attention leaves the decoder smaller label margins than the selected tokens
// do (A.margin; GRAMMAR.md section 4, JOINT.md section 5).
#pragma once

#include <variant>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// A piece of the cover is split at the middle of its interval, or by the tokens of a group, or proved by
// Lemma 3 with multipliers and a token of each supporting group.
struct HalvedPiece {};
struct OpenedPiece {
  std::size_t group = 0;
};
struct ProvedPiece {
  std::size_t multipliers = 0;   // 0: the solution's own; k: the k-th vector
  std::vector<Integer> weights;  // in place of multipliers, where they are listed
  std::vector<std::size_t> tokens;
};
using CoverNode = std::variant<HalvedPiece, OpenedPiece, ProvedPiece>;

struct LabelMargins : EvidenceOf<LabelMargins> {
  Citation from;
  Rational cost;  // nu
  std::vector<ConstraintVector> vectors;
  std::vector<CoverNode> nodes;  // of the trees of all pieces, each before its parts

  static void words(auto& say, auto& self) { say("from", self.from, "nu", self.cost); }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

// For every attention s: if ||v|| <= 1, some supporting group has <sum_t s_it g_it, v> <= Gamma - cost X, X
// the largest of their 1 - s_{i,selected}.
struct LabelMarginsFact : Fact {
  const SupportFact* support = nullptr;
  Rational cost;
  std::vector<Interval> multipliers;  // of the decoder, by supporting group: the first vector, or its own
};

}  // namespace attest_check
