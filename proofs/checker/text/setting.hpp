// The setting that a problem states, with the stage of next-token problems (GRAMMAR.md section 2).
#pragma once

#include <optional>
#include <string>

#include "proofs/checker/text/context.hpp"

namespace attest_check {

struct StatedSetting {
  Setting setting = Setting::prompt;
  std::optional<Stage> stage;

  // "setting WORD", or "setting next-token STAGE".
  explicit StatedSetting(Line& line);
};

// The same words of what an instance is.
std::string setting_words(const Instance& instance);

}  // namespace attest_check
