// What is asked of the use case `run`, as words, and the exact optimiser, start and identity they describe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certify/audits/report_file.hpp"
#include "certify/audits/weights.hpp"
#include "certify/instance/instance.hpp"
#include "certify/process/input_error.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

struct RunAnswer;   // run.hpp
struct Trajectory;  // trajectory.hpp

struct RunRequest {
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file `instance`
  std::string instance, certificate, trace, plot, state;
  std::string optimizer, schedule = "constant", step, momentum = "0", loss, init, precision = "auto",
                         arithmetic = "validated", potential;
  std::string against;  // of mirror descent: norms to compare the last step with, as "l7/4,fro,l3"
  // "w", or "kq": training of the factors of W = K Q', of so many columns (empty: d), from given ones or from
  // `init` times `init_scale`.
  std::string parameterization = "w", rank, init_scale;
  WeightSource left_start, right_start;
  std::uint64_t steps = 0;
  long bits = 100;
  std::size_t memory_limit = 0;
  bool resume = false, until_forever = false, force = false;
  bool certified = true;  // of an instance in memory: the answer has the certificate's text
  // A recorded run to compare the exact one with: a path, or one in memory. `share`: of ||W_t||, exact.
  std::string compare, share = "1/100";
  std::shared_ptr<const Trajectory> trajectory;
  // JSON files of several selected tokens, and of the attention on these; empty: none.
  std::string sets, ratios;
  ReportRequest<RunAnswer> report;

  // Where the state of an unfinished run is kept: --state, or beside the certificate; empty: nowhere.
  std::string state_path() const {
    return !state.empty() || certificate.empty() ? state : certificate + ".state";
  }
};

// An error that concerns the option `key` and no file.
InputError bad_option(const std::string& key, const std::string& message);

// The error of an option of mirror descent where another rule is asked for.
std::optional<InputError> of_mirror_descent_only(const RunRequest& request);
// The error of an option of training (K,Q) where W is trained.
std::optional<InputError> of_factors_only(const RunRequest& request);

// An option's exact decimal or fraction.
Result<Rational> exact_option(const std::string& key, const std::string& text);

// The exact optimiser. Step and momentum are exact decimals or fractions.
Result<OptimizerSpec> optimizer_spec(const RunRequest& request, const TokenData& data);

// What the iteration keeps beside W, to follow a step's words: ", momentum 9/10", or nothing.
std::string state_words(const OptimizerSpec& spec);

// Why a certificate cannot hold the run's claims, empty where it can.
std::string not_followed(const OptimizerSpec& spec);

// W_0, exactly: zero (the default), an .npy file, a JSON file (a d x e list, or an object with the key W0),
// trajectory: the matrix that `trajectory` (may be null) records at step 0, or random: entries that are
// multiples of 2^-52 in
// [-1, 1), from the 64-bit Mersenne twister with that seed.
Result<ExactArray> initial_point(const RunRequest& request, const Instance& instance, const TokenData& data,
                                 const Trajectory* trajectory = nullptr);

// That many entries of `init` = "random:SEED", in the order of the generator.
Result<std::vector<double>> random_entries(const std::string& init, std::size_t count);

// One line that determines the run, for its state file: instance hash, optimiser, start, accuracy.
std::string run_identity(const Instance& instance, const OptimizerSpec& spec, const ExactArray& start,
                         const RunRequest& request);

// --precision as a number of bits within these; 0 for auto.
Result<long> working_bits(const RunRequest& request, long least, long most);

}  // namespace attest
