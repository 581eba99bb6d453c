#include "certify/audits/run_request.hpp"

#include <cmath>
#include <random>

#include "certify/audits/input.hpp"
#include "certify/audits/trajectory.hpp"
#include "certify/audits/weights.hpp"
#include "certify/certificates/text.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/numbers/exact_number.hpp"

namespace attest {
namespace {

// "gd and ngd".
std::string rules_without_default_step() {
  std::string words;
  for (const UpdateRule* rule : update_rules()) {
    if (!rule->default_step()) words += (words.empty() ? "" : " and ") + std::string(rule->word());
  }
  return words;
}

std::string all_rules() {
  std::string words;
  for (const UpdateRule* rule : update_rules()) words += std::string(rule->word()) + ", ";
  return words + "md, nmd";
}

// The size of step t; nothing for an unknown word.
std::optional<Schedule> schedule_named(const std::string& word) {
  if (word == "constant") return Schedule::constant;
  if (word == "inverse") return Schedule::inverse;
  if (word == "invsqrt") return Schedule::inverse_sqrt;
  return std::nullopt;
}

// Momentum, and what does not go with it.
std::optional<InputError> read_momentum(const RunRequest& request, OptimizerSpec& spec) {
  const Result<Rational> momentum = exact_option("--momentum", request.momentum);
  if (const auto* error = std::get_if<InputError>(&momentum)) return *error;
  spec.momentum = std::get<Rational>(momentum);
  if (spec.momentum < 0 || spec.momentum >= 1)
    return bad_option("--momentum", "must be at least 0 and below 1");
  if (spec.momentum == 0) return std::nullopt;
  if (spec.rule->uses_loss_gap())
    return bad_option("--momentum", std::string(spec.rule->word()) + " steps take none");
  if (request.until_forever)
    return bad_option("--until-forever", "no theorem about all later steps covers momentum");
  return std::nullopt;
}

}  // namespace

InputError bad_option(const std::string& key, const std::string& message) {
  return {InputError::Kind::malformed, {}, key, {}, message};
}

std::optional<InputError> of_mirror_descent_only(const RunRequest& request) {
  if (request.against.empty()) return std::nullopt;
  return bad_option("--against", "goes with mirror descent, --optimizer md or nmd");
}

std::optional<InputError> of_factors_only(const RunRequest& request) {
  const std::string advice = "goes with --parameterization kq";
  if (!request.rank.empty()) return bad_option("--rank", advice);
  if (!request.init_scale.empty()) return bad_option("--init-scale", advice);
  if (request.left_start.given()) return bad_option("--K0", advice);
  if (request.right_start.given()) return bad_option("--Q0", advice);
  return std::nullopt;
}

Result<Rational> exact_option(const std::string& key, const std::string& text) {
  const ParsedNumber parsed = parse_number(text);
  if (const auto* reason = std::get_if<std::string>(&parsed)) return bad_option(key, *reason);
  if (const auto* value = std::get_if<double>(&parsed)) return Rational(*value);
  return std::get<Rational>(parsed);
}

namespace {

// Why the infimum of the loss is not that of some tokens, in words; empty where it is. A classifier's loss is
// convex in the attention, so the tokens with positive gaps to all others are its minimiser.
std::string without_infimum(const TokenData& data, Loss loss) {
  if (!several_outputs(loss)) return {};
  if (relu_units(loss)) return "which is not known of ReLU units";
  const auto other = global_optimality_witness(data, best_selection(data));
  if (!other) return {};
  return "which no token of sequence " + std::to_string(other->group) +
         " attains: the best one beside some of token " + std::to_string(other->token) + " has no more";
}

}  // namespace

Result<OptimizerSpec> optimizer_spec(const RunRequest& request, const TokenData& data) {
  OptimizerSpec spec;
  spec.rule = update_rule(request.optimizer);
  if (spec.rule == nullptr)
    return bad_option("--optimizer", "'" + request.optimizer + "' is none of " + all_rules());
  if (request.schedule.starts_with("power:")) return bad_option("--schedule", "power:E goes with --joint");
  const std::optional<Schedule> schedule = schedule_named(request.schedule);
  if (!schedule)
    return bad_option("--schedule", "'" + request.schedule + "' is none of constant, inverse, invsqrt");
  spec.schedule = *schedule;
  Result<Loss> loss = training_loss(data, request.loss);
  if (auto* error = std::get_if<InputError>(&loss)) return std::move(*error);
  spec.loss = std::get<Loss>(loss);
  if (const std::string why = spec.rule->uses_loss_gap() ? without_infimum(data, spec.loss) : "";
      !why.empty())
    return bad_option("--optimizer",
                      std::string(spec.rule->word()) + " steps need the infimum of the loss, " + why);
  if (const auto error = read_momentum(request, spec)) return *error;
  if (request.step.empty()) {
    const std::optional<Rational> step = spec.rule->default_step();
    if (!step) return bad_option("--step", "needed for " + rules_without_default_step());
    spec.step = *step;
    return spec;
  }
  const Result<Rational> step = exact_option("--step", request.step);
  if (const auto* error = std::get_if<InputError>(&step)) return *error;
  spec.step = std::get<Rational>(step);
  if (spec.step <= 0) return bad_option("--step", "must be positive");
  return spec;
}

std::string state_words(const OptimizerSpec& spec) {
  return spec.momentum == 0 ? "" : ", momentum " + show(spec.momentum);
}

std::string not_followed(const OptimizerSpec& spec) {
  return spec.momentum == 0 ? "" : "no checker follows momentum";
}

Result<std::vector<double>> random_entries(const std::string& init, std::size_t count) {
  const std::string digits = init.substr(7);
  if (digits.empty() || digits.size() > 19 || digits.find_first_not_of("0123456789") != std::string::npos)
    return bad_option("--init", "the seed of random:SEED is a non-negative integer");
  std::mt19937_64 random(std::stoull(digits));
  std::vector<double> entries(count);
  for (double& entry : entries)
    entry = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;  // 53 bits: exact
  return entries;
}

Result<ExactArray> initial_point(const RunRequest& request, const Instance& instance, const TokenData& data,
                                 const Trajectory* trajectory) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  if (request.init.empty() || request.init == "zero") return ExactArray();
  if (request.init == "trajectory") {
    if (trajectory == nullptr) return bad_option("--init", "trajectory needs --compare TRAJECTORY.npz");
    if (trajectory->steps.front() != 0 || !trajectory->finite(0))
      return bad_option("--init", "the trajectory does not hold W_0, the weights at step 0");
    return trajectory->matrix(0);
  }
  if (request.init == "instance") {
    if (!instance.W0) return bad_option("--init", "the instance has no W0");
    return *instance.W0;
  }
  if (request.init.starts_with("random:")) {
    Result<std::vector<double>> entries = random_entries(request.init, d * e);
    if (auto* error = std::get_if<InputError>(&entries)) return std::move(*error);
    return ExactArray::from_binary64(std::get<std::vector<double>>(std::move(entries)));
  }
  if (!request.init.starts_with("@"))
    return bad_option("--init", "one of zero, instance, @FILE, random:SEED, trajectory");
  Result<WeightMatrix> read =
      read_weights({request.init.substr(1), nullptr}, "W0", d, e, request.memory_limit);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  return std::move(std::get<WeightMatrix>(read).entries);
}

std::string run_identity(const Instance& instance, const OptimizerSpec& spec, const ExactArray& start,
                         const RunRequest& request) {
  std::string line = "run " + canonical_sha256(instance) + ' ' + spec.rule->word() + ' ' +
                     name(spec.schedule) + ' ' + name(spec.loss) + ' ' + certificate_number(spec.step) +
                     " bits " + std::to_string(request.bits) + " precision " + request.precision +
                     (spec.momentum == 0 ? "" : " momentum " + certificate_number(spec.momentum)) + " start";
  for (std::size_t k = 0; k < start.size(); ++k) line += ' ' + certificate_number(start.exact(k));
  return line;
}

Result<long> working_bits(const RunRequest& request, long least, long most) {
  if (request.precision == "auto") return 0L;
  const Result<Rational> bits = exact_option("--precision", request.precision);
  const Rational* value = std::get_if<Rational>(&bits);
  if (value == nullptr || denominator(*value) != 1 || *value < least || *value > most)
    return bad_option("--precision",
                      "auto or " + std::to_string(least) + " to " + std::to_string(most) + " bits");
  return numerator(*value).convert_to<long>();
}

}  // namespace attest
