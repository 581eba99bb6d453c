// Shared reading and error reporting of the commands; see commands/input.hpp.
#include "certify/commands/input.hpp"

#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "certify/commands/command.hpp"
#include "certify/commands/memory_limit.hpp"
#include "certify/instance/read.hpp"

namespace attest {

int report_input_error(const InputError& error, bool json) {
  std::fprintf(stderr, "attest: %s\n", error.text().c_str());
  const bool resource = error.kind == InputError::Kind::resource;
  if (json) {
    nlohmann::ordered_json value;
    value["error"] = {{"kind", resource ? "resource" : "malformed"},
                      {"file", error.file},
                      {"key", error.key},
                      {"index", error.index},
                      {"message", error.message}};
    std::printf("%s\n", value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  }
  return resource ? exit_cannot_hold : exit_bad_input;
}

std::optional<Instance> read_or_report(const std::string& path, std::size_t memory_limit, bool json,
                                       int& exit_code) {
  ReadLimits limits;
  limits.memory_bytes = memory_limit;
  limit_process_memory(memory_limit, json);
  Result<Instance> result = read_instance(path, limits);
  if (const auto* error = std::get_if<InputError>(&result)) {
    exit_code = report_input_error(*error, json);
    return std::nullopt;
  }
  reading_is_over();
  return std::move(std::get<Instance>(result));
}

namespace {

InputError selection_error(const std::string& message) {
  return {InputError::Kind::malformed, {}, "--select", {}, message};
}

Result<Selection> parse_selection(const TokenData& data, const std::string& text) {
  Selection selection;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::size_t token = 0;
    const auto [next, error] = std::from_chars(at, end, token);
    const std::size_t group = selection.size();
    if (error != std::errc{}) return selection_error("expected token indices separated by commas");
    if (group < data.groups() && token >= data.tokens(group)) {
      return selection_error("sequence " + std::to_string(group) + " has no token " + std::to_string(token));
    }
    selection.push_back(token);
    if (next == end) break;
    if (*next != ',') return selection_error("expected token indices separated by commas");
    at = next + 1;
  }
  if (selection.size() != data.groups()) {
    return selection_error("has " + std::to_string(selection.size()) +
                           " tokens, expected one for each of the " + std::to_string(data.groups()) +
                           " sequences");
  }
  return selection;
}

}  // namespace

Result<Selection> choose_selection(const Instance& instance, const TokenData& data,
                                   const std::string& given) {
  if (!given.empty()) return parse_selection(data, given);
  if (instance.alpha) return *instance.alpha;
  if (const auto tie = first_tie(data)) {
    return InputError{InputError::Kind::malformed,
                      {},
                      {},
                      {},
                      "sequence " + std::to_string(tie->group) + ": tokens " +
                          std::to_string(tie->first_token) + " and " + std::to_string(tie->second_token) +
                          " tie for the best score; choose with --select or the key alpha"};
  }
  return best_selection(data);
}

}  // namespace attest
