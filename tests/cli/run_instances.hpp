// Small exact instances for `attest run`, by setting, and what its tests read from an answer.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/folder.hpp"

namespace cli_tests {

// Three groups of three tokens in dimension 3; normalised descent from 0 is proved for ever within 200 steps.
inline const char* run_cross_text =
    R"({"X":[[[3,1,0],[0,2,1],[1,0,2]],[[1,3,1],[2,0,1],[0,1,3]],[[0,1,3],[3,0,1],[1,2,0]]],"Y":[1,-1,1],
        "v":["1/4","1/8",0],
        "z":[["1/2",0,"1/4"],[0,"1/2",0],["1/4","1/4",0]]})";
inline const char* run_self_text =
    R"({"X":[[[3,1,0],[0,2,1],[1,0,2]],[[1,3,1],[2,0,1],[0,1,3]]],"Y":[1,-1],"v":["1/4","1/8",0],"query":"last"})";
inline const char* run_prompt_text =
    R"({"X":[[[3,1,0],[0,2,1],[1,0,2]],[[1,3,1],[2,0,1],[0,1,3]]],"Y":[1,-1],"v":["1/4","1/8",0],
        "K":[[[1,0,2],[0,1,1],[1,1,0]],[[2,0,1],[1,2,0],[0,1,1]]]})";

// The steps of the answer's checkpoints.
inline std::vector<std::uint64_t> checkpoint_steps(const nlohmann::json& answer) {
  std::vector<std::uint64_t> steps;
  for (const nlohmann::json& checkpoint : answer["checkpoints"]) steps.push_back(checkpoint["t"]);
  return steps;
}

// An answer without what differs from run to run.
inline nlohmann::json comparable(const std::string& text) {
  nlohmann::json answer = nlohmann::json::parse(text);
  answer.erase("statistics");
  return answer;
}

// Both ends of an enclosure as doubles.
inline std::pair<double, double> ends(const nlohmann::json& enclosure) {
  return {std::stod(enclosure["lo"].get<std::string>()), std::stod(enclosure["hi"].get<std::string>())};
}

}  // namespace cli_tests
