// The use case `verify`: the theorem catalogue on one instance.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/report_file.hpp"
#include "certify/catalogue/context.hpp"
#include "certify/catalogue/observation.hpp"
#include "certify/catalogue/row.hpp"
#include "certify/instance/instance.hpp"
#include "certify/process/input_error.hpp"

namespace attest {

struct VerifyAnswer;

struct VerifyRequest {
  std::string instance;                  // path
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file
  std::string select;                    // as for choose_selection
  std::string sets, ratios;              // JSON files of several selected tokens, and of their attention
  std::string loss;                      // empty: the head's own (training_loss)
  std::string descent_step;              // exact; empty: just below 1/beta
  std::string normalised_step = "1/10";  // exact
  std::string potential = "7/4", mirror_step = "1";  // of mirror descent, exact
  std::size_t rank = 0;                              // of row B.L3; 0: what every solution has
  std::optional<std::size_t> budget;  // margin problems that row B.D may solve; nothing: some seconds' worth
  std::optional<std::uint64_t> run_steps;  // of each run, 0: no runs; nothing: a second or two's worth
  long precision_bits = 128;
  std::size_t memory_limit = 0;
  bool force = false;  // replace an existing file that is no report
  ReportRequest<VerifyAnswer> report;
};

struct VerifyAnswer {
  std::string instance_path, instance_sha256;
  Setting setting = Setting::self_attention;
  Loss loss = Loss::logistic;
  Selection selection;
  std::vector<TokenClass> merged;
  std::optional<ScoreTie> tie;  // of the best score; where no selection is given the first token is taken
  std::vector<Row> rows;
  // The data and the margin problem of the selection, for the report: when one is written and it was solved.
  TokenData data;
  std::optional<SolvedSelection> solved;

  // Is there no row that more time, memory or precision might have decided?
  bool decided() const;
};

// Throws BudgetReached when the end comes before the first row.
Result<VerifyAnswer> verify(const VerifyRequest& request, AuditWatch& watch);

}  // namespace attest
