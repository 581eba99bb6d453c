#include "certify/audits/input.hpp"

#include <charconv>

#include "certify/instance/read.hpp"

namespace attest {
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

Result<Instance> read_input(const std::string& path, const std::shared_ptr<const Instance>& held,
                            std::size_t memory_limit, AuditWatch& watch) {
  if (held) {
    watch.input_is_read();
    return *held;
  }
  ReadLimits limits;
  limits.memory_bytes = memory_limit;
  Result<Instance> result = read_instance(path, limits);
  if (std::holds_alternative<Instance>(result)) watch.input_is_read();
  return result;
}

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
