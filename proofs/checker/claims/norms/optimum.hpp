// Claim kind norm-optimum: the least norm of a matrix with margins of at least 1, in another norm than the
// problem's (GRAMMAR.md section 4, SOUNDNESS.md section 8).
#pragma once

#include <optional>
#include <string>

#include "proofs/checker/problem/given_matrix.hpp"
#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// "nuclear", "linf", or "l" and a rational exponent of at least 1: entrywise.
struct Norm {
  enum class Kind { nuclear, one, infinity, power };
  std::string word;
  Kind kind = Kind::nuclear;
  Rational exponent;  // of a power norm, more than 1

  bool strictly_convex() const { return kind == Kind::power; }
  // With this much precision for powers and the spectral norm; the others need none.
  bool needs_bits() const { return kind == Kind::nuclear || kind == Kind::power; }

  static void words(auto& say, auto& self) { say("norm", self.word); }
  // Reads the word; malformed unless it names a norm.
  void read(Reader& in);
  // True only if the norm of the matrix, or its dual norm, is at most the bound. Of the nuclear norm: if the
  // factors prove it.
  bool at_most(const GivenMatrix& matrix, const Rational& bound, unsigned bits) const;
  bool dual_at_most(const ExactMatrix& matrix, const Rational& bound, unsigned bits) const;
};

// "matrix NAME R C over D", then R lines of C integers; malformed unless it has this shape.
ExactMatrix read_matrix(Reader& in, std::string_view name, std::size_t rows, std::size_t columns);

// Rejects unless all margins are at least 1; `of` is said of the one that is not.
void require_margins(const Claim& claim, const GivenMatrix& matrix, const std::string& of = "");

// W as a matrix, transposed.
ExactMatrix dual_matrix(const SpanElement& w);

struct NormOptimum;

// What the claim says is proved.
struct NormSolution : Fact {
  const NormOptimum* optimum = nullptr;
};

struct NormOptimum : EvidenceOf<NormOptimum> {
  Norm norm;
  Rational lo, hi;
  std::optional<Rational>
      distance;          // Norm(W* - primal) <= distance for the only solution W*; none: not claimed
  std::size_t rank = 0;  // of the matrix given: the columns of its factors
  GivenMatrix primal;
  ConstraintVector multipliers;
  Rational dual_bound;  // of the dual norm of W(multipliers)
  unsigned bits = 0;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

// What the claim cited says, which is about this norm; rejected otherwise.
const NormOptimum& cited_optimum(const Claim& claim, const Norm& norm, const Citation& from);

}  // namespace attest_check
