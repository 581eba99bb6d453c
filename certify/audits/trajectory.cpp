#include "certify/audits/trajectory.hpp"

#include <cmath>

#include "certify/instance/npy.hpp"
#include "certify/instance/zip.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/numbers/exact_number.hpp"

namespace attest {
namespace {

constexpr const char* stated_keys[] = {"optimizer", "step", "schedule", "momentum", "loss"};

RawInstance read_members(const std::string& path, std::size_t memory_limit) {
  const ReadLimits limits{memory_limit};
  const std::string archive = read_file(path, limits);
  if (!archive.starts_with("PK"))
    fail_input("is no .npz archive; a trajectory is numpy.savez(FILE, t=steps, W=weights)");
  RawInstance raw;
  for (const ZipMember& member : read_zip_directory(archive, limits)) {
    const std::size_t stem = member.name.ends_with(".npy") ? member.name.size() - 4 : 0;
    const std::string key = member.name.substr(0, stem);
    bool known = key == "t" || key == "W";
    for (const char* word : stated_keys) known = known || key == word;
    if (!known)
      fail_input("holds a key that no trajectory has (t, W; optimizer, step, schedule, momentum, loss)");
    if (!member.deflated) check_stored(member, key);
    raw.emplace(key, decode_npy(member.deflated ? expand(member, key) : member.data, key));
  }
  for (const char* key : {"t", "W"}) {
    if (!raw.contains(key)) fail_input("is missing", key);
  }
  return raw;
}

std::vector<std::uint64_t> steps_of(const RawArray& t) {
  if (t.text || t.shape.size() != 1) fail_input("must have shape (m)", "t");
  std::vector<std::uint64_t> steps;
  for (std::size_t k = 0; k < t.values.size(); ++k) {
    const Rational step = t.values.finite(k) ? t.values.exact(k) : Rational(-1);
    if (step < 0 || denominator(step) != 1 || step > Rational(Integer(1) << 53))
      fail_input("is no number of a step", "t", t.index(k));
    steps.push_back(numerator(step).convert_to<std::uint64_t>());
  }
  return steps;
}

Trajectory assembled(RawInstance raw) {
  Trajectory trajectory;
  trajectory.steps = steps_of(raw.at("t"));
  const RawArray& w = raw.at("W");
  if (w.text || w.shape.size() < 2 || w.shape.size() > 3) fail_input("must have shape (m, d, e)", "W");
  if (w.shape[0] != trajectory.steps.size()) fail_input("has another number of steps than t", "W");
  trajectory.rows = w.shape[1];
  trajectory.columns = w.shape.size() == 3 ? w.shape[2] : 1;
  std::optional<std::vector<double>> entries = w.values.doubles();
  if (!entries) fail_input("holds integers beyond binary64", "W");
  trajectory.weights = *std::move(entries);
  for (const char* key : stated_keys) {
    const auto found = raw.find(key);
    if (found == raw.end()) continue;
    if (!found->second.text) fail_input("must be a text", key);
    trajectory.stated.emplace(key, *found->second.text);
  }
  return trajectory;
}

// The two texts as numbers, where both are one.
bool same_number(const std::string& text, const Rational& number) {
  const ParsedNumber parsed = parse_number(text);
  if (const auto* value = std::get_if<double>(&parsed)) return Rational(*value) == number;
  const auto* value = std::get_if<Rational>(&parsed);
  return value != nullptr && *value == number;
}

}  // namespace

bool Trajectory::finite(std::size_t k) const {
  const std::size_t size = rows * columns;
  for (std::size_t at = k * size; at < (k + 1) * size; ++at) {
    if (!std::isfinite(weights[at])) return false;
  }
  return true;
}

ExactArray Trajectory::matrix(std::size_t k) const {
  const auto first = weights.begin() + static_cast<std::ptrdiff_t>(k * rows * columns);
  return ExactArray::from_binary64({first, first + static_cast<std::ptrdiff_t>(rows * columns)});
}

Result<Trajectory> read_trajectory(const std::string& path, std::size_t memory_limit) {
  try {
    Trajectory trajectory = assembled(read_members(path, memory_limit));
    trajectory.path = path;
    return trajectory;
  } catch (const InputFailure& failure) {
    InputError error = failure.error;
    error.file = path;
    return error;
  }
}

std::optional<InputError> wrong_shape(const Trajectory& trajectory, std::size_t d, std::size_t e) {
  const auto error = [&](const char* key, const std::string& index, const std::string& message) {
    return InputError{InputError::Kind::malformed, trajectory.path, key, index, message};
  };
  const auto shape = [](std::size_t rows, std::size_t columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
  };
  if (trajectory.rows != d || trajectory.columns != e)
    return error("W", "",
                 "matrices are " + shape(trajectory.rows, trajectory.columns) + ", the instance's weights " +
                     shape(d, e));
  if (trajectory.steps.empty()) return error("t", "", "no step is recorded");
  for (std::size_t k = 1; k < trajectory.steps.size(); ++k) {
    if (trajectory.steps[k] <= trajectory.steps[k - 1])
      return error("t", "[" + std::to_string(k) + "]", "steps must increase");
  }
  return std::nullopt;
}

std::optional<InputError> contradiction(const Trajectory& trajectory, const OptimizerSpec& spec,
                                        const ExactArray& start) {
  for (const auto& [key, text] : trajectory.stated) {
    const bool same = key == "step"        ? same_number(text, spec.step)
                      : key == "momentum"  ? same_number(text, spec.momentum)
                      : key == "optimizer" ? text == spec.rule->word()
                      : key == "schedule"  ? text == name(spec.schedule)
                                           : text == name(spec.loss);
    if (same) continue;
    const std::string here = key == "step"        ? show(spec.step)
                             : key == "momentum"  ? show(spec.momentum)
                             : key == "optimizer" ? spec.rule->word()
                             : key == "schedule"  ? name(spec.schedule)
                                                  : name(spec.loss);
    return InputError{
        InputError::Kind::malformed,
        trajectory.path,
        key,
        {},
        "the trajectory states " + text.substr(0, 40) + ", the run that is asked for has " + here};
  }
  if (trajectory.steps.front() != 0) return std::nullopt;
  for (std::size_t k = 0; k < trajectory.rows * trajectory.columns; ++k) {
    const double entry = trajectory.weights[k];
    const Rational here = start.empty() ? Rational(0) : start.exact(k);
    if (std::isfinite(entry) && Rational(entry) == here) continue;
    return InputError{InputError::Kind::malformed, trajectory.path, "W", "[0]",
                      "is not the W_0 that the run starts from: give --init trajectory"};
  }
  return std::nullopt;
}

}  // namespace attest
