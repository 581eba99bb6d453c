#include "certify/reports/comparison.hpp"

#include <algorithm>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

constexpr int step_digits = 20;
constexpr long bits = 320;
constexpr std::size_t most_others = 6;
// In its first steps rounding moves a run by less than this share of ||W_t||; one that is further off looks
// like another iteration.
constexpr double another_iteration = 1e-2;
constexpr std::uint64_t first_steps = 10;

Json index(const std::optional<std::uint64_t>& step) {
  return step ? Json(*step) : Json(nullptr);
}

// ||V - W_t|| / ||W_t||, or ||V|| / ||W_t||; 0 where both are 0.
Ball relative(const Ball& length, const Ball& exact_norm) {
  return arb_is_zero(length.raw()) != 0 ? Ball(0) : div(length, exact_norm, bits);
}

Json json_step(const Comparison& comparison, const ComparedStep& step) {
  Json value{{"t", step.step}, {"finite", step.finite}};
  value["distance"] = step.finite ? json_enclosure(step.distance, step_digits) : Json(nullptr);
  value["share"] =
      step.finite ? json_enclosure(relative(step.distance, step.exact_norm), step_digits) : Json(nullptr);
  value["norm"] = step.finite ? json_enclosure(step.norm, step_digits) : Json(nullptr);
  value["exact_norm"] = json_enclosure(step.exact_norm, step_digits);
  const std::optional<bool> beyond = comparison.beyond(step);
  value["beyond"] = beyond ? Json(*beyond) : Json(nullptr);
  value["other_tokens"] = Json::array();
  for (const OtherToken& other : step.others)
    value["other_tokens"].push_back(
        {{"group", other.group}, {"recorded", other.recorded}, {"exact", other.exact}});
  value["open"] = step.open;
  return value;
}

std::string from(const std::optional<std::uint64_t>& first, const std::optional<std::uint64_t>& on) {
  if (on && first == on) return "from step " + std::to_string(*on) + " on";
  return "first at step " + std::to_string(*first) +
         (on ? ", and from step " + std::to_string(*on) + " on" : ", not at every later one");
}

std::string leaving(const Comparison& comparison) {
  const std::string limit = "by more than " + show(comparison.share) + " of ||W_t||";
  const auto first = comparison.first_beyond();
  const auto within = comparison.within_until();
  if (!first)
    return within == comparison.steps.back().step ? "never " + limit + " at any compared step"
                                                  : "never " + limit + " by proof; some steps are open";
  return limit + " " + from(first, comparison.beyond_from()) +
         (within ? "; by less up to step " + std::to_string(*within) : "");
}

std::string other_tokens(const Comparison& comparison) {
  const auto first = comparison.first_other();
  const ComparedStep& last = comparison.steps.back();
  if (!first)
    return last.open == 0
               ? "the same at the last compared step, no others at any"
               : "no others at any compared step; open at the last one in " + several(last.open, "sequence");
  std::string text = from(first, comparison.other_from());
  if (last.others.empty()) return text + "; the same at the last compared step";
  text += "; at step " + std::to_string(last.step) + " in " + several(last.others.size(), "sequence") + ":";
  for (std::size_t k = 0; k < std::min(most_others, last.others.size()); ++k) {
    const OtherToken& other = last.others[k];
    text += " " + std::to_string(other.recorded) + " for " + std::to_string(other.exact) + " in " +
            std::to_string(other.group) + (k + 1 < last.others.size() ? "," : "");
  }
  return last.others.size() > most_others ? text + " ..." : text;
}

std::string compared(const Comparison& comparison) {
  const std::vector<ComparedStep>& steps = comparison.steps;
  std::string text = (comparison.path.empty() ? "the recorded run" : comparison.path) + ": " +
                     several(comparison.recorded, "step");
  if (steps.empty()) return text + ", none of which the run came to";
  text += ", " + std::to_string(steps.size()) + " of them compared, " + std::to_string(steps.front().step) +
          " to " + std::to_string(steps.back().step);
  return text;
}

std::string same_iteration(const Comparison& comparison) {
  return std::string(comparison.states_run ? "rule and step as the recorded run states them"
                                           : "rule, step and loss are taken to be those above: "
                                             "the recorded run does not state them") +
         (comparison.states_start ? "; W_0 is the same" : "; its W_0 is not recorded");
}

}  // namespace

Json json_comparison(const Comparison& comparison) {
  Json value{{"trajectory", comparison.path.empty() ? Json(nullptr) : Json(comparison.path)},
             {"share", show(comparison.share)},
             {"recorded", comparison.recorded},
             {"compared", comparison.steps.size()},
             {"states_run", comparison.states_run},
             {"states_start", comparison.states_start}};
  value["within_until"] = index(comparison.within_until());
  value["first_beyond"] = index(comparison.first_beyond());
  value["beyond_from"] = index(comparison.beyond_from());
  value["first_other_tokens"] = index(comparison.first_other());
  value["other_tokens_from"] = index(comparison.other_from());
  value["steps"] = Json::array();
  for (const ComparedStep& step : comparison.steps) value["steps"].push_back(json_step(comparison, step));
  return value;
}

std::vector<ComparisonLine> comparison_lines(const Comparison& comparison) {
  std::vector<ComparisonLine> lines{{"compared with", compared(comparison)},
                                    {"", same_iteration(comparison)}};
  if (comparison.steps.empty()) return lines;
  const auto early = std::find_if(comparison.steps.begin(), comparison.steps.end(),
                                  [](const ComparedStep& step) { return step.step > 0; });
  if (early != comparison.steps.end() && early->finite && early->step <= first_steps) {
    const Ball share = relative(early->distance, early->exact_norm);
    if (certainly_less(Ball(another_iteration), share))
      lines.push_back(
          {"", "at step " + std::to_string(early->step) + " it is already " + short_number(share, 3) +
                   " of ||W_t|| away, more than rounding does in so few steps: is it the same rule, "
                   "step, loss and data?"});
  }
  lines.push_back({"leaves the exact run", leaving(comparison)});
  const ComparedStep& last = comparison.steps.back();
  if (last.finite) {
    lines.push_back({"its norm", short_number(last.norm) + " at step " + std::to_string(last.step) + ", " +
                                     short_number(relative(last.norm, last.exact_norm), 4) + " of the true " +
                                     short_number(last.exact_norm)});
  } else {
    lines.push_back({"its norm", "none at step " + std::to_string(last.step) + ": an entry is no number"});
  }
  lines.push_back({"its tokens", other_tokens(comparison)});
  return lines;
}

}  // namespace attest
