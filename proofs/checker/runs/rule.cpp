// The registry of update rules.
#include "proofs/checker/runs/rule.hpp"

namespace attest_check {

const UpdateRule& update_rule(Rule rule) {
  static constexpr const UpdateRule* rules[] = {&gradient_steps, &normalised_steps, &polyak_steps};
  return *rules[static_cast<std::size_t>(rule)];
}

}  // namespace attest_check
