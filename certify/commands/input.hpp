// What the commands share: reading the instance with the standard options, and reporting input errors.
#pragma once

#include <optional>
#include <string>

#include "certify/instance/instance.hpp"
#include "certify/process/input_error.hpp"

namespace attest {

// Prints the error as one line on stderr and, with `json`, as the one JSON value {"error": {...}} on stdout.
// Returns the exit code (2 or 5).
int report_input_error(const InputError& error, bool json);

// Of --memory-limit, which every command that reads an instance has.
inline constexpr const char* memory_limit_help =
    "Most bytes to hold (default: half of the memory, at most 4 GiB)";

// Limits the process's memory, then reads the instance, or reports why not and sets `exit_code`. memory_limit
// in bytes, 0: none given.
std::optional<Instance> read_or_report(const std::string& path, std::size_t memory_limit, bool json,
                                       int& exit_code);

// The selection to use (certify/README.md): `given` ("2,0,1,...", empty: not given), then the instance's
// alpha, then the argmax of the scores, where a tie is an error naming the tokens.
Result<Selection> choose_selection(const Instance& instance, const TokenData& data, const std::string& given);

}  // namespace attest
