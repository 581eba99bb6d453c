// Says of every claim of a certificate whether it is true of the instance: the claim itself, not its
// evidence. Claims about all later steps are followed for some hundred of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/oracle/certificate.hpp"
#include "tests/oracle/margin.hpp"
#include "tests/oracle/norm_truth.hpp"
#include "tests/oracle/run_truth.hpp"

namespace reference {

struct Judgement {
  bool is_true = false;
  std::string reason;  // why not
};

class Judge {
 public:
  explicit Judge(Dataset data) : data_(std::move(data)) {}

  const Dataset& data() const { return data_; }

  // One judgement per claim, in order.
  std::vector<Judgement> judge(const Certificate& certificate);

  // Empty when every claim is true and every citation is of an allowed kind; otherwise says which is not.
  std::string first_false(const Certificate& certificate);

 private:
  const MarginAnswer& answer(const Choice& choice);
  std::string objection(const Certificate& certificate, const Claim& claim);
  // Why a problem, or a claim of one of these kinds, is not true; empty when it is.
  std::string problem_objection(const Problem& problem);
  std::string solution_objection(const Claim& claim, const MarginAnswer& answer);
  std::string support_objection(const Claim& claim, const MarginAnswer& answer);
  std::string separability_objection(const Claim& claim, const Choice& selection, const MarginAnswer& answer);
  std::string tie_objection(const Claim& claim);
  std::string enclosure_objection(const Claim& claim, const MarginAnswer& answer);
  std::string norm_objection(const Certificate& certificate, const Claim& claim, const MarginAnswer& answer);
  std::string norm_path_objection(const Certificate& certificate, const Claim& claim, const Claim& cited,
                                  const MarginAnswer& answer, const NormTruth& truth);
  RunTruth& run_truth(const Problem& problem, const MarginAnswer& answer);
  std::string run_objection(const Certificate& certificate, const Claim& claim, const MarginAnswer& answer);

  Dataset data_;
  std::unique_ptr<Judge> other_stage_;  // of sentences
  std::map<Choice, MarginAnswer> answers_;
  std::map<std::pair<std::string, Choice>, RunTruth> runs_;    // by loss and selection
  std::map<std::pair<std::string, Choice>, NormTruth> norms_;  // by norm and selection
};

}  // namespace reference
