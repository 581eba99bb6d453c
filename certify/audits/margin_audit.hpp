// What the use cases that solve a margin problem begin with.
#pragma once

#include <string_view>
#include <utility>
#include <variant>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/input.hpp"
#include "numerics/margin/solution.hpp"

namespace attest {

// The instance that is asked about and its data, into the answer.
template <class Answer, class Request>
std::optional<InputError> read_data(Answer& answer, const Request& request, AuditWatch& watch) {
  answer.instance_path = request.instance;
  Result<Instance> instance = read_input(request.instance, request.held, request.memory_limit, watch);
  if (auto* error = std::get_if<InputError>(&instance)) return std::move(*error);
  answer.instance = std::get<Instance>(std::move(instance));
  answer.data = token_data(answer.instance);
  answer.merged = equal_tokens(answer.data);
  return std::nullopt;
}

// Limits are those of the request and the watch, who is told how far the solver is.
template <class Request>
MarginOptions margin_options(const Request& request, AuditWatch& watch) {
  MarginOptions options;
  options.outer = &watch.budget();
  options.memory_limit_bytes = request.memory_limit;
  options.progress = [&watch](std::string_view stage, double fraction) { watch.solving(stage, fraction); };
  return options;
}

}  // namespace attest
