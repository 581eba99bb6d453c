// Runs that are followed along a trajectory: of iterations other than W's own, as mirror descent and training
// of K and Q. From the request to the files that are written all are alike; what is followed, against which
// directions, and what its certificate holds is a case's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/certificate_file.hpp"
#include "certify/audits/run_request.hpp"
#include "certify/pictures/pictures.hpp"
#include "numerics/runs/ball_run.hpp"

namespace attest {

// What people look at afterwards: --trace, --plot and the pictures of --report.
struct FollowedPictures {
  std::vector<TraceRow> trace;  // against the first of the case's directions
  NamedColumns columns;         // more of its rows, against the others
  RunPlot plot;                 // every direction's band, and lines beside them
};

// What every answer about such a run begins with.
struct FollowedRunAnswer {
  std::string instance_path, instance_sha256, optimizer;
  std::vector<TokenClass> merged;
  std::vector<std::size_t> groups;  // of the data, those with at least two different tokens
  FollowedPictures pictures;
  Certificate certificate;
  CertificateFile file;
  std::string certificate_note;  // why none is written, where one was asked for
  double total_seconds = 0;
};

struct BitsRange {
  long least = 0, most = 0;
};

// One kind of run. Its answer, where it puts what it finds, is its own.
class FollowedRunCase {
 public:
  FollowedRunCase() = default;
  FollowedRunCase(const FollowedRunCase&) = delete;
  FollowedRunCase& operator=(const FollowedRunCase&) = delete;
  virtual ~FollowedRunCase() = default;

  // "mirror descent", in messages.
  virtual std::string words() const = 0;
  // Working bits that --precision may ask for.
  virtual BitsRange precisions() const = 0;
  // The error of an option that this kind has not, beside those that none of them has.
  virtual std::optional<InputError> not_offered() const = 0;
  // Files that are read beside the instance.
  virtual std::vector<std::string> inputs() const = 0;
  // Iteration and start, from the request.
  virtual std::optional<InputError> prepare(const Instance& instance, const TokenData& data) = 0;
  // Throws BudgetReached when the end comes before the first step.
  virtual void follow(const TokenData& data, const BallRunOptions& options) = 0;
  // Of what was followed.
  virtual FollowedPictures pictures() const = 0;
  // What is proved of it; without text where no certificate holds it.
  virtual Certificate certificate(const AuditWatch&) const { return {}; }
  // Why there is none.
  virtual std::string without_certificate() const { return "certificates do not hold " + words() + " yet"; }
};

// Reads, follows, and writes what the request wants; `page` draws its report. `answer` is the one that `run`
// fills in.
std::optional<InputError> follow_run(FollowedRunCase& run, FollowedRunAnswer& answer,
                                     const RunRequest& request, AuditWatch& watch,
                                     const std::function<std::string()>& page);

}  // namespace attest
