// The assumption of joint training on an instance (papers.md A.margin), and the joint regularisation path
// (A.joint) that it is for.
#pragma once

#include <optional>
#include <string>

#include "certify/catalogue/joint_problems.hpp"
#include "certify/catalogue/row.hpp"
#include "numerics/joint/label_margin_witness.hpp"
#include "numerics/joint/path.hpp"

namespace attest {

// Labelled rows of X; those of equal keys become their mean by multiplicity (T18).
JointData labelled_data(const Instance& instance, TokenData data);

// The assumption with the maximum over all sequences, as stated, and over those that support the decoder, as
// the path of the relaxed problem needs it.
struct LabelMargins {
  Verdict all = Verdict::undecided, supporting = Verdict::undecided;
  LabelMarginCover cover;                     // of the supporting sequences; nu where `supporting` holds
  std::optional<LabelMarginWitness> witness;  // a point breaks both, a ray the first
  std::string reason;                         // while either is undecided

  // "holds with nu >= 0.1", "fails: ...", or why it is undecided.
  std::string words() const;
};

// "for every R >= ... (checked, T21 with two radii)"; `ball` and `along` name W's norm and its part along the
// solution.
std::string words(const JointPathBound& bound, const std::string& ball = "||W||",
                  const std::string& along = "<u_W,W>");

// Both problems of joint training with what is known beside them.
class JointGeometry {
 public:
  // `problems` are those of the selection; references but the budget must outlive the object. Throws
  // BudgetReached where all rows take longer, or more memory, than is left.
  JointGeometry(const Instance& instance, const TokenData& data, const Selection& selection,
                const JointProblems& problems, const Budget& budget);

  LabelMargins label_margins(const Budget& budget) const;
  // Nothing, with the reason, where the theorem's conditions are not proved.
  std::optional<JointPathBound> path(const LabelMargins& margins, Loss loss,
                                     const std::optional<MarginSolution>& plain, std::string& reason) const;
  // The problem with all rows >= 1, which the path leans on where some sequence is off the decoder's support.
  std::optional<MarginSolution> plain_solution(const MarginOptions& options) const;
  // The same over balls of another norm of W, whose least value is within `norm`.
  std::optional<JointPathBound> path_in_norm(const LabelMargins& margins, Loss loss, const Interval& norm,
                                             std::string& reason) const;

 private:
  std::optional<JointPathBound> bound(const LabelMargins& margins, Loss loss, const Direction& attention,
                                      const Direction* plain, std::string& reason) const;

  const TokenData& data_;
  const Selection& selection_;
  const JointProblems& problems_;
  EnclosedRows rows_;
  std::optional<Direction> decoder_;       // with multipliers
  std::optional<JointFeatures> features_;  // of few enough sequences
  std::vector<MultiplierChoice> multipliers_;
};

}  // namespace attest
