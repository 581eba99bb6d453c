#include "certify/audits/run_request.hpp"

#include <cmath>
#include <random>

#include "certify/certificates/text.hpp"
#include "certify/instance/json.hpp"
#include "certify/instance/npy.hpp"
#include "certify/process/file_bytes.hpp"

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

// An option's exact decimal or fraction.
Result<Rational> exact_option(const std::string& key, const std::string& text) {
  const ParsedNumber parsed = parse_number(text);
  if (const auto* reason = std::get_if<std::string>(&parsed)) return bad_option(key, *reason);
  if (const auto* value = std::get_if<double>(&parsed)) return Rational(*value);
  return std::get<Rational>(parsed);
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

Result<OptimizerSpec> optimizer_spec(const RunRequest& request) {
  OptimizerSpec spec;
  spec.rule = update_rule(request.optimizer);
  spec.schedule = request.schedule == "constant"  ? Schedule::constant
                  : request.schedule == "inverse" ? Schedule::inverse
                                                  : Schedule::inverse_sqrt;
  spec.loss = *parse_loss(request.loss);
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

Result<ExactArray> initial_point(const RunRequest& request, const Instance& instance, const TokenData& data) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  if (request.init == "zero") return ExactArray();
  if (request.init == "instance") {
    if (!instance.W0) return bad_option("--init", "the instance has no W0");
    return *instance.W0;
  }
  if (request.init.starts_with("random:")) {
    const std::string digits = request.init.substr(7);
    if (digits.empty() || digits.size() > 19 || digits.find_first_not_of("0123456789") != std::string::npos) {
      return bad_option("--init", "the seed of random:SEED is a non-negative integer");
    }
    std::mt19937_64 random(std::stoull(digits));
    std::vector<double> entries(d * e);
    for (double& entry : entries) {
      entry = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;  // 53 bits: exact
    }
    return ExactArray::from_binary64(std::move(entries));
  }
  if (!request.init.starts_with("@"))
    return bad_option("--init", "one of zero, instance, @FILE, random:SEED");
  const std::string path = request.init.substr(1);
  try {
    const ReadLimits limits{request.memory_limit};
    const std::string bytes = read_file(path, limits);
    RawArray array;
    if (bytes.starts_with("\x93NUMPY")) {
      array = decode_npy(bytes, "W0");
    } else {
      const std::size_t first = bytes.find_first_not_of(" \t\r\n");
      const bool bare = first != std::string::npos && bytes[first] == '[';
      RawInstance raw = parse_json_instance(bare ? "{\"W0\":" + bytes + "}" : bytes);
      if (!raw.contains("W0")) fail_input("no key W0");
      array = std::move(raw.at("W0"));
    }
    if (e == 1 && array.shape == std::vector<std::size_t>{d})
      array.shape = {d, e};  // a prompt may be a plain vector
    if (array.text || array.lengths || array.shape != std::vector<std::size_t>{d, e}) {
      fail_input("must have shape " + std::to_string(d) + " x " + std::to_string(e), "W0");
    }
    for (std::size_t k = 0; k < array.values.size(); ++k) {
      if (!array.values.finite(k)) fail_input("not a finite number", "W0", array.index(k));
    }
    return std::move(array.values).take();
  } catch (const InputFailure& failure) {
    InputError error = failure.error;
    error.file = path;
    return error;
  }
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

}  // namespace attest
