// The use case `audit`: what one asks first of a dataset. For each instance what its tokens and scores are,
// whether the selection can be separated, what stands against it, how many sequences that is the fault of,
// which of them hold the margin down, and whether the numbers' own rounding is smaller than the answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "certify/audits/certify.hpp"
#include "certify/audits/resolution.hpp"
#include "certify/audits/selected_sets.hpp"
#include "certify/catalogue/row.hpp"
#include "numerics/margin/conflicts.hpp"
#include "numerics/margin/group_margins.hpp"
#include "numerics/problem/token_classes.hpp"

namespace attest {

struct AuditAnswer;

// Which part of the instances a process looks at: processes that share them know each other's number only.
struct AuditShare {
  std::size_t process = 0, of = 1;
};

struct AuditRequest {
  std::vector<std::string> paths;        // instances, and folders with instances in them
  std::shared_ptr<const Instance> held;  // one in memory, instead of the files
  std::string folder;                    // certificates go there; empty: nowhere
  std::size_t jobs = 1;                  // instances looked at at the same time
  AuditShare share;                      // of the instances
  SharedPasses* passes = nullptr;        // processes that share those over a single one; may be null
  long precision_bits = 128;             // of enclosures
  std::size_t memory_limit = 0;
  bool sequences = false;  // each one's least margin at W* is wanted; a page wants it, too
  bool force = false;      // replace existing files that are of another kind than what is written
  ReportRequest<AuditAnswer> report;
};

// How many sequences must go for the rest to be separable.
struct DropBounds {
  std::size_t at_least = 0;
  std::optional<std::size_t> at_most;  // nothing: no separable rest was found
  std::vector<std::size_t> groups;     // which, when at_most is there: increasing
};

struct AuditCosts {
  double read_seconds = 0, solve_seconds = 0, conflict_seconds = 0, catalogue_seconds = 0, total_seconds = 0;
  std::size_t process_bytes = 0;  // that the process held when the instance was done
};

struct AuditedInstance {
  std::vector<TokenClass> equal_tokens, ties;
  std::vector<std::size_t> zero_queries;  // sequences with z_i = 0 and tokens to tell apart
  // Sequences that no W separates even alone, each with a conflict in it alone; complete unless
  // `conflicts_reason`.
  std::vector<std::size_t> never_separable;
  bool selection_is_choice = false;  // the best scores are tied: the first best token was taken

  // Where alpha has lists of tokens: their problem, which the certificate holds as well; then the next one is
  // that of the best scores.
  std::optional<SelectedSetsAnswer> sets;

  // The margin problem with its certificate, which also holds what is found below.
  CertifyAnswer certified;

  std::vector<Conflict> conflicts;  // no sequence is in two of them; the smallest first
  std::string
      conflicts_reason;  // why there may be more; empty when there is no conflict left or none was asked for
  DropBounds drop;

  // By sequence, nothing for those without rows; empty unless W* is known and they are wanted.
  std::vector<std::optional<GroupMargin>> margins;
  std::vector<GroupShare> shares;        // empty unless multipliers are known
  std::optional<GroupShare> holds_down;  // the largest one, the first of them
  Resolution resolution;

  std::vector<Row> theorems;
  std::string theorems_reason;  // why there are none

  AuditCosts costs;
  std::string summary;  // the verdict, in words

  // The sequence's share; nothing unless multipliers are known.
  std::optional<Interval> share(std::size_t sequence) const;

  // Are the margin problem decided and the search for conflicts not cut short by a limit of the command?
  bool decided() const;
};

// The time was over before it began.
struct NotAudited {
  std::string reason;
};

struct AuditEntry {
  std::size_t number = 0;  // among all that are asked about, from 0
  std::string path;
  std::variant<AuditedInstance, InputError, NotAudited> found;

  // Refused (2), not to be held (5), undecided (30), decided (0).
  int exit_status() const;
};

struct AuditAnswer {
  std::size_t asked = 0;  // instances in all
  std::vector<AuditEntry>
      instances;  // those of the share, in the order of the request, folders' content sorted
};

// The worst of the instances' exit statuses: an instance that is refused counts most, then one that cannot be
// held, then one that is undecided.
int worst_exit_status(const std::vector<int>& of_instances);

// An error only for the request as a whole: nothing to look at, a folder that cannot be written to. What is
// wrong with one instance is its entry.
Result<AuditAnswer> audit(const AuditRequest& request, AuditWatch& watch);

}  // namespace attest
