// What the rows about mirror descent share, made on demand and once: the solution of the selection's problem
// in the potential's norm, a run from the instance's W0 or 0, and a point from which the limit is proved.
#pragma once

#include <optional>
#include <string>

#include "certify/catalogue/context.hpp"
#include "numerics/mirror/run.hpp"

namespace attest {

// T17 at W_0 = 2^doublings W~, W~ the matrix known within the solution's distance.
struct MirrorPointProof {
  long doublings = 0;
  MirrorRegion region;
};

class MirrorStudy {
 public:
  // The context must outlive the study. What computes throws BudgetReached.
  explicit MirrorStudy(CatalogueContext& context);

  const Potential& potential() const { return potential_; }
  const MirrorSpec& spec() const { return spec_; }
  // Of the chosen selection; nothing where it is not known, for limit_reason().
  const std::optional<MirrorLimit>& limit();
  const std::string& limit_reason() const { return limit_reason_; }
  // Null when no run is to be made.
  const MirrorOutcome* run();
  // Nothing for proof_reason().
  const std::optional<MirrorPointProof>& proof();
  const std::string& proof_reason() const { return proof_reason_; }

 private:
  CatalogueContext& context_;
  Potential potential_;
  MirrorSpec spec_;
  bool solved_ = false, tried_ = false;
  std::optional<MirrorLimit> limit_;
  std::optional<MirrorOutcome> run_;
  std::optional<MirrorPointProof> proof_;
  std::string limit_reason_, proof_reason_;
};

}  // namespace attest
