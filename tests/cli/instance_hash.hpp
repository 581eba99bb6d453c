// What a dataset is, whatever file it is in: the hash that `attest info` gives of it.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/folder.hpp"

namespace cli_tests {

inline std::string sha256(const Folder& folder, const std::string& instance) {
  const Outcome outcome = folder.attest("info --json " + instance);
  INFO(instance, ": ", outcome.err);
  REQUIRE(outcome.exit == 0);
  return nlohmann::json::parse(outcome.out).at("sha256");
}

}  // namespace cli_tests
