// The use case `certify --selected-sets`: several tokens of a sequence share the attention (papers.md B.gen).
// Their margin problem, decided with proof.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/certificate_file.hpp"
#include "certify/audits/report_file.hpp"
#include "certify/certificates/margin.hpp"
#include "numerics/margin/finite_part_proof.hpp"

namespace attest {

struct SelectedSetsAnswer;

struct SelectedSetsRequest {
  std::string instance;                  // path
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file
  std::string sets;         // JSON file: for each sequence a list of tokens; or own_sets (sets_file.hpp)
  std::string ratios;       // JSON file of the attention on these; empty: not given
  std::string certificate;  // path to write to; empty: nowhere
  Form form = Form::automatic;
  long precision_bits = 128;  // of enclosures
  std::size_t memory_limit = 0;
  bool force = false;  // replace an existing file that is not a certificate
  ReportRequest<SelectedSetsAnswer> report;
};

struct SelectedSetsAnswer {
  std::string instance_path;
  Instance instance;
  TokenData data;
  std::vector<TokenClass> merged;
  SelectedSets sets;  // equal tokens are one
  Selection first;    // of each: what speaks of a selection takes it
  // min ||W||: tokens of a set have equal logits, exceeding those of the others by 1.
  MarginSolution solution;
  std::size_t equalities = 0, rows = 0;  // rows = 0, and all others
  std::optional<RankEvidence> rank;
  std::optional<FinitePart> finite;      // from the ratios, where they are given
  std::optional<FinitePartProof> proof;  // of it, for the certificate
  long precision_bits = 0;
  Certificate certificate;
  CertificateFile file;
  double read_seconds = 0, solve_seconds = 0, total_seconds = 0;

  bool decided() const { return solution.feasibility != Feasibility::undecided; }
  // No rows but = 0.
  bool vacuous() const { return rows == 0; }
};

// Decides the problem of the answer's sets.
void solve_selected_sets(SelectedSetsAnswer& answer, const MarginOptions& options, const Budget& budget);

// All that was found, for a certificate; points into the answer.
CertifiedFacts certified_facts(const SelectedSetsAnswer& answer);

Result<SelectedSetsAnswer> certify_selected_sets(const SelectedSetsRequest& request, AuditWatch& watch);

}  // namespace attest
