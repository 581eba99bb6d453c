// From a decided margin problem to its certificate: every claim kind of the grammar that holds and is proved.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certify/certificates/text.hpp"
#include "certify/instance/instance.hpp"
#include "numerics/margin/finite_part_proof.hpp"
#include "numerics/margin/rank.hpp"
#include "numerics/margin/solution.hpp"

namespace attest {

struct Certificate {
  std::string text;  // empty when no claim was proved
  std::vector<WrittenClaim> claims;
  std::size_t lines = 0;
  bool verified = false;  // attest-check-verified knows every claim of it, too
};

// How the selected sets of a problem share the attention at one step of a run about another problem.
struct StatedFinitePart {
  std::uint64_t step = 0;
  EnclosedFinitePart part;                            // of its own ratios
  std::optional<std::string> factor, one_minus_corr;  // bands; both or none
  Rational selected, masked;                          // bounds of the attention on a token
};
struct RunFiniteParts {
  std::size_t run = 0;  // the number of the claim about the run, which an earlier problem's facts set
  std::vector<StatedFinitePart> points;
};

// What is known about one selection problem. `rank` and `smoothness` are left out when not established.
struct CertifiedFacts {
  const Instance* instance = nullptr;
  const TokenData* data = nullptr;
  const Selection* selection = nullptr;
  const MarginSolution* solution = nullptr;
  // What `data` and `solution` are of. The decoder's problem has two tokens a group, the selected one and 0,
  // and constraints of its solution are (i, selected).
  StatedRows rows = {};
  std::string loss = "none";  // the grammar's word
  std::optional<RankEvidence> rank;
  std::optional<Rational> smoothness;
  const FinitePartProof* finite = nullptr;  // of selected sets
  const RunFiniteParts* of_run = nullptr;   // likewise
  // Appends further claims about the problem after all others; `optimum` is the number of the claim that
  // establishes the solution, 0 when none does. May be empty.
  std::function<void(CertificateText& text, std::size_t problem, std::size_t optimum)> more;
};

// Writes every proved claim. The certificate is deterministic: the same facts give the same bytes.
Certificate write_certificate(const CertifiedFacts& facts);

// One certificate with a problem and its claims for each of the facts, in that order. All must be about the
// same instance; no facts give no text.
Certificate write_certificate(const std::vector<CertifiedFacts>& facts);

}  // namespace attest
