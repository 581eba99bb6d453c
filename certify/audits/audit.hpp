// The use case `audit`: what one asks first of a dataset. For each instance what its tokens and scores are,
// whether the selection can be separated, what stands against it, how many sequences that is the fault of,
// which of them hold the margin down, and whether the numbers' own rounding is smaller than the answer.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "certify/audits/certify.hpp"
#include "certify/catalogue/row.hpp"
#include "numerics/margin/conflicts.hpp"
#include "numerics/problem/equal_tokens.hpp"

namespace attest {

struct AuditRequest {
  std::vector<std::string> paths;  // instances, and folders with instances in them
  std::string folder;              // certificates go there; empty: nowhere
  std::size_t jobs = 1;            // instances looked at at the same time
  long precision_bits = 128;       // of enclosures
  std::size_t memory_limit = 0;
  bool force = false;  // replace existing files that are no certificates
};

// A sequence at the optimum W*.
struct SequenceMargin {
  std::size_t token =
      0;           // the one that comes nearest to the selected token: its margin is the least, or nearly
  Interval least;  // encloses the least margin of the sequence at W*; 1 where it is in the support
  Interval share;  // of the sum of all multipliers, in [0, 1]: what this sequence costs of ||W*||^2
};

// The answer against the rounding of the numbers that were given.
struct Resolution {
  enum class Standing {
    above,     // every rounding of the data is feasible, too
    below,     // some change of the data as small as their rounding makes the problem infeasible
    open,      // neither is proved
    exact,     // the numbers are not rounded
    no_answer  // not feasible, or undecided
  };
  std::string number_format;  // of the features: "binary32", "binary64", "integer", "rational"
  std::optional<Rational>
      unit;  // how far rounding may have moved a feature row, at most; nothing: not rounded
  // Encloses the least rho such that some feature rows, none moved by more than rho, are infeasible.
  std::optional<Interval> robust_radius;
  Standing standing = Standing::no_answer;
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

  // The margin problem with its certificate, which also holds what is found below.
  CertifyAnswer certified;

  std::vector<Conflict> conflicts;  // no sequence is in two of them
  std::string
      conflicts_reason;  // why there may be more; empty when there is no conflict left or none was asked for
  DropBounds drop;

  std::vector<std::optional<SequenceMargin>> margins;  // by sequence, empty unless solved; nothing: no rows
  std::optional<std::size_t> holds_down;               // the sequence with the largest share
  Resolution resolution;

  std::vector<Row> theorems;
  std::string theorems_reason;  // why there are none

  AuditCosts costs;
  std::string summary;  // the verdict, in words

  bool decided() const;
};

struct AuditEntry {
  std::string path;
  std::variant<AuditedInstance, InputError> found;
};

struct AuditAnswer {
  std::vector<AuditEntry> instances;  // in the order of the request, the content of folders sorted

  bool decided() const;
  // The worst of the instances' (certify/STATUS.md).
  int exit_status() const;
};

// An error only for the request as a whole: nothing to look at, a folder that cannot be written to. What is
// wrong with one instance is its entry.
Result<AuditAnswer> audit(const AuditRequest& request, AuditWatch& watch);

}  // namespace attest
