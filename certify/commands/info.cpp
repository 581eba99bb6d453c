// `attest info INSTANCE`: what an instance is, before anything is decided about it.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "certify/commands/clock.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/input.hpp"

namespace attest {
namespace {

struct Facts {
  std::size_t fewest_tokens = 0, most_tokens = 0, constraints = 0;
  std::size_t positive = 0, negative = 0;
  std::size_t tied_groups = 0;
  std::optional<ScoreTie> tie;
  std::size_t instance_bytes = 0, certify_bytes = 0, exact_bytes = 0;
};

constexpr std::size_t program_bytes = 12'000'000;  // text, libraries, tables

std::size_t stored_bytes(const ExactArray& array) {
  if (array.is_binary64()) return array.size() * sizeof(double);
  const auto [top, bottom] = array.bits();
  const auto block = [](std::size_t bits) {
    return std::max<std::size_t>(32, bits / 8 + 24);
  };  // of the allocator
  return array.size() * (sizeof(Rational) + block(top) + block(bottom));
}

Facts collect(const Instance& instance, const TokenData& data) {
  Facts facts;
  facts.fewest_tokens = facts.most_tokens = instance.tokens(0);
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    facts.fewest_tokens = std::min(facts.fewest_tokens, instance.tokens(i));
    facts.most_tokens = std::max(facts.most_tokens, instance.tokens(i));
    ++(instance.Y[i] > 0 ? facts.positive : facts.negative);
  }
  facts.constraints = constraint_count(data);
  facts.tie = first_tie(data);
  const Selection best = best_selection(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    bool tied = false;
    for (std::size_t t = best[i] + 1; t < data.tokens(i); ++t)
      tied = tied || data.score(i, t) == data.score(i, best[i]);
    facts.tied_groups += tied;
  }
  facts.instance_bytes = stored_bytes(instance.X) + stored_bytes(instance.v) + stored_bytes(instance.z) +
                         stored_bytes(instance.K) + data.scores.size() * 96;
  // What certify holds at its peak, measured (tests/corpus/attest_memory.py compares): the factors of
  // features a second time, as integers of one width, and as doubles for every constraint; two square
  // matrices over the constraints that can be active at once. Where ties or the data ask for an exact
  // solution these are matrices of long numbers.
  const auto integers = [](const ExactArray& factor) {
    const auto [top, bottom] = factor.bits();
    return factor.size() * ((top + bottom) / 8 + 12);
  };
  const std::size_t active = std::min(facts.constraints, data.left_dimension * data.right_dimension);
  const std::size_t linear = facts.instance_bytes + stored_bytes(data.token_factor) +
                             stored_bytes(data.query_factor) + integers(data.token_factor) +
                             integers(data.query_factor) +
                             facts.constraints * (8 * data.left_dimension + 200);
  facts.certify_bytes = program_bytes + linear + linear / 8 + 18 * active * active;
  facts.exact_bytes = facts.certify_bytes + 400 * active * active;
  return facts;
}

std::string quantity(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

std::string exactness(const ExactArray& array) {
  const auto [top, bottom] = array.bits();
  return std::string(array.is_binary64() ? "binary64" : "rational") + ", numerators up to " +
         std::to_string(top) + " bits, denominators up to " + std::to_string(bottom) + " bits";
}

void print_text(const std::string& path, const std::string& sha256, const Instance& instance,
                const Facts& facts) {
  const auto line = [](const char* what, const std::string& value) {
    std::printf("%-14s%s\n", what, value.c_str());
  };
  line("instance", path);
  line("sha256", sha256);
  std::string setting = name(instance.setting);
  if (instance.setting == Setting::self_attention) {
    setting += ", query " +
               (instance.query.last ? std::string("last") : "token " + std::to_string(instance.query.index));
  }
  line("setting", setting);
  std::string shape =
      std::to_string(instance.sequences()) + " sequences of " + std::to_string(facts.fewest_tokens);
  if (facts.most_tokens != facts.fewest_tokens) shape += " to " + std::to_string(facts.most_tokens);
  shape += " tokens in dimension " + std::to_string(instance.dimension);
  if (instance.setting == Setting::cross_attention)
    shape += ", z in dimension " + std::to_string(instance.factor_dimension);
  if (instance.setting == Setting::prompt)
    shape += ", keys in dimension " + std::to_string(instance.factor_dimension);
  line("shape", shape);
  line("constraints", std::to_string(facts.constraints));
  line("labels", std::to_string(facts.positive) + " of +1, " + std::to_string(facts.negative) + " of -1");
  line("X", exactness(instance.X));
  line("v", exactness(instance.v));
  if (!instance.z.empty()) line("z", exactness(instance.z));
  if (!instance.K.empty()) line("K", exactness(instance.K));
  if (facts.tie) {
    line("score ties", std::to_string(facts.tied_groups) + " sequences; first: sequence " +
                           std::to_string(facts.tie->group) + ", tokens " +
                           std::to_string(facts.tie->first_token) + " and " +
                           std::to_string(facts.tie->second_token));
  } else {
    line("score ties", "none");
  }
  line("alpha", instance.alpha ? "given" : "not given: argmax of the scores");
  if (instance.W0) line("W0", "given");
  line("memory", quantity(static_cast<double>(facts.instance_bytes)) + " held, certify at most about " +
                     quantity(static_cast<double>(facts.certify_bytes)) + ", " +
                     quantity(static_cast<double>(facts.exact_bytes)) + " with an exact solution");
}

void print_json(const std::string& path, const std::string& sha256, const Instance& instance,
                const Facts& facts) {
  const auto exact = [](const ExactArray& array) {
    const auto [top, bottom] = array.bits();
    return nlohmann::ordered_json{
        {"binary64", array.is_binary64()}, {"numerator_bits", top}, {"denominator_bits", bottom}};
  };
  nlohmann::ordered_json value;
  value["instance"] = path;
  value["sha256"] = sha256;
  value["setting"] = name(instance.setting);
  if (instance.setting == Setting::self_attention) {
    if (instance.query.last) {
      value["query"] = "last";
    } else {
      value["query"] = instance.query.index;
    }
  }
  value["sequences"] = instance.sequences();
  value["tokens"] = {
      {"min", facts.fewest_tokens}, {"max", facts.most_tokens}, {"total", instance.first_row.back()}};
  value["dimension"] = instance.dimension;
  if (instance.setting != Setting::self_attention) value["factor_dimension"] = instance.factor_dimension;
  value["constraints"] = facts.constraints;
  value["labels"] = {{"positive", facts.positive}, {"negative", facts.negative}};
  value["exactness"] = {{"X", exact(instance.X)}, {"v", exact(instance.v)}};
  if (!instance.z.empty()) value["exactness"]["z"] = exact(instance.z);
  if (!instance.K.empty()) value["exactness"]["K"] = exact(instance.K);
  value["score_ties"] = {{"groups", facts.tied_groups}};
  if (facts.tie) {
    value["score_ties"]["first"] = {{"group", facts.tie->group},
                                    {"tokens", {facts.tie->first_token, facts.tie->second_token}}};
  }
  value["alpha"] = instance.alpha.has_value();
  value["W0"] = instance.W0.has_value();
  value["memory_bytes"] = {
      {"held", facts.instance_bytes}, {"certify", facts.certify_bytes}, {"exact", facts.exact_bytes}};
  std::printf("%s\n", value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace

std::function<int()> configure_info(CLI::App& app) {
  struct Options {
    std::string instance;
    std::size_t memory_limit = 0;
    double time_limit = 0;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("instance", options->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")
      ->required();
  app.add_option("--memory-limit", options->memory_limit, memory_limit_help);
  app.add_option("--time-limit", options->time_limit, "Seconds, then undecided")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--json", options->json, "Print one JSON value");
  return [options] {
    // Nothing is proved here: the clock's last resort is all that has to keep the time.
    CommandClock clock(options->time_limit, options->json ? AnswerShape::object : AnswerShape::text);
    int exit_code = exit_decided;
    const auto instance = read_or_report(options->instance, options->memory_limit, options->json, exit_code);
    if (!instance) return exit_code;
    const Facts facts = collect(*instance, token_data(*instance));
    const std::string sha256 = canonical_sha256(*instance);
    clock.answering();
    (options->json ? print_json : print_text)(options->instance, sha256, *instance, facts);
    return static_cast<int>(exit_decided);
  };
}

}  // namespace attest
