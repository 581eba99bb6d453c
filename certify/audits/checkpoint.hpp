// The use case `checkpoint`: what is proved about a trained layer, W or (K, Q) with W = K Q', on a dataset:
// its attention, the selection it is nearest to, what holds at all later steps, and what stands against that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/audits/certificate_file.hpp"
#include "certify/audits/report_file.hpp"
#include "certify/audits/run.hpp"
#include "certify/audits/weights.hpp"
#include "numerics/forever/margin_shortfall.hpp"

namespace attest {

struct CheckpointAnswer;

struct CheckpointRequest {
  std::string instance;                  // path
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file
  WeightSource weights;                  // W; not given: K and Q are
  WeightSource keys, queries;            // K (d x m) and Q (e x m)
  WeightSource decoder;                  // v; not given: the instance's
  std::string certificate;               // path to write to; empty: nowhere
  std::string optimizer;                 // how training goes on from here; empty: each rule in turn
  std::string step;  // exact; empty: the rule's own, 1/10 for ngd, just below 1/beta for gd
  std::string loss;  // empty: the head's own (training_loss)
  std::size_t memory_limit = 0;
  bool force = false;  // replace existing files that are of another kind than what is written
  ReportRequest<CheckpointAnswer> report;
};

// The softmax of one sequence at W.
struct SequenceAttention {
  std::size_t nearest = 0;  // the token with the largest logit (exact); of equal ones the best-scored one
  std::vector<std::size_t> tied;  // other tokens with the same logit (exact)
  std::vector<Ball> attention;    // encloses that of every token
  Ball left;                      // encloses 1 - that of `nearest`, accurate however small
};

// What keeps every theorem from applying.
enum class Blockage {
  none,                 // a theorem applies
  vacuous,              // no sequence has two tokens: there is nothing to converge to
  infeasible,           // no W separates the nearest selection: the rows of a conflict
  not_locally_optimal,  // support tokens that score no less than the selected tokens
  margins,              // tokens whose margins at W are too small (measured)
  undecided,            // the margin problem is
  other                 // `reason` says what
};

// Training from W on by one rule.
struct CheckpointTraining {
  OptimizerSpec spec;
  ForeverAnswer forever;
  std::optional<MarginShortfall> shortfall;  // measured: which margins are too small, when none is proved
};

struct CheckpointAnswer {
  std::string instance_path, instance_sha256;
  TokenData data;
  Setting setting = Setting::self_attention;
  bool factored = false;                     // W = K Q' of two files
  ExactArray weights;                        // W, exactly
  std::optional<Rational> norm_squared;      // ||W||^2; nothing when there was no time for it
  std::vector<SequenceAttention> attention;  // by sequence
  Selection selection;                       // the nearest one
  MarginSolution solution;                   // of it
  std::vector<Rational> margins;             // by token row: m_c(W), 0 for the selected token
  std::optional<Interval> one_minus_corr;    // with the max-margin direction, where that is enclosed
  std::vector<CheckpointTraining> training;
  Blockage blockage = Blockage::undecided;
  std::vector<Constraint> blocking;  // which tokens block, the worst first
  std::string reason;                // of `undecided` and `other`
  Certificate certificate;
  CertificateFile file;
  double total_seconds = 0;

  bool decided() const { return blockage != Blockage::undecided; }
  // That of the rule which asks for the least level; null where it is not margins that are too small.
  const MarginShortfall* least_shortfall() const;
};

Result<CheckpointAnswer> checkpoint(const CheckpointRequest& request, AuditWatch& watch);

}  // namespace attest
