// The claims of a checked certificate as terms and statements of the Coq development.
#pragma once

#include <string>
#include <vector>

#include "proofs/checker/text/context.hpp"

namespace attest {

struct CoqClaim {
  std::size_t number = 0;  // in the certificate
  std::string kind;
  std::size_t problem = 0;  // in the certificate, from 1
  // What Certificates.v does not have: the kind, or the kind and its theorem; else empty. Then skipped says
  // so, too.
  std::string unknown;
  std::string skipped;      // why the claim is not exported; empty when it is
  std::string definitions;  // vernacular that `term` and `statement` need
  std::string term;         // of type claim big_integers
  std::string statement;    // what claim_meaning of the term implies for the problem's selection, readable
  std::string proof;        // takes claim_meaning to the statement; empty when they are the same
  bool needs_best = false;  // the statement is about best_tokens, the tokens with the best scores
  bool needs_chosen =
      false;  // about chosen_N, the attention's selection of the tokens of a decoder's problem
};

// The claims about one instance.
struct CoqClaims {
  const attest_check::Features* features = nullptr;    // the instance's
  std::vector<const attest_check::Problem*> problems;  // about it, in the order of the certificate
  std::vector<CoqClaim> claims;
  std::size_t refinement =
      0;  // numerators and denominator of the token rows are to be multiplied by 2^refinement

  std::size_t position(const attest_check::Problem& problem) const;  // among the problems
};

// States the claims of a certificate that attest_check::check has accepted. Claims that Certificates.v does
// not have, those for which no hints are found, and those that cite such claims are marked as skipped. The
// two stages of sentences are instances of their own; everything else is one.
std::vector<CoqClaims> state_coq_claims(const attest_check::Certificate& certificate);

// How statements about a problem name its data, what belongs to them, and the senses of its rows; the
// definitions are coq/file.cpp's.
struct CoqRows {
  std::string data, problem, values, member, senses;  // no senses where all rows are >= 1
};
CoqRows coq_rows_of(const attest_check::Problem& problem);

}  // namespace attest
