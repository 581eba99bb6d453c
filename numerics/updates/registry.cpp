// Which rules and iterations there are: what runs look up without knowing any of them.
#include "numerics/runs/descent.hpp"
#include "numerics/updates/heavy_ball.hpp"
#include "numerics/updates/rules.hpp"

namespace attest {

const std::vector<const UpdateRule*>& update_rules() {
  static const std::vector<const UpdateRule*> all{
#define ATTEST_RULE(name) &name(),
#include "numerics/updates/rules.inc"
#undef ATTEST_RULE
  };
  return all;
}

const UpdateRule* update_rule(std::string_view word) {
  for (const UpdateRule* rule : update_rules()) {
    if (word == rule->word()) return rule;
  }
  return nullptr;
}

std::unique_ptr<Iteration> make_iteration(const IterationStart& start) {
  if (start.spec.momentum != 0) return heavy_ball(start);
  return std::make_unique<Descent>(start);
}

}  // namespace attest
