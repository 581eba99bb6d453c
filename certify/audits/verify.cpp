#include "certify/audits/verify.hpp"

#include <algorithm>

#include "certify/audits/input.hpp"
#include "certify/audits/sets_file.hpp"
#include "certify/catalogue/catalogue.hpp"
#include "certify/numbers/exact_number.hpp"
#include "numerics/margin/selection_search.hpp"

namespace attest {
namespace {

// A row that more time, memory or precision might have decided.
bool stopped_by_budget(const Row& row) {
  if (row.verdict != Verdict::undecided) return false;
  const auto begins = [](const std::string& text) {
    return text.rfind("time", 0) == 0 || text.rfind("memory", 0) == 0 || text.rfind("precision", 0) == 0 ||
           text.rfind("interrupted", 0) == 0;
  };
  return begins(row.reason) ||
         std::any_of(row.hypotheses.begin(), row.hypotheses.end(), [&](const Hypothesis& h) {
           return h.verdict == Verdict::undecided && begins(h.detail);
         });
}

// A positive exact number.
Result<Rational> parse_step(const std::string& option, const std::string& text) {
  const auto error = [&](const std::string& message) {
    return InputError{InputError::Kind::malformed, {}, option, {}, message};
  };
  const ParsedNumber parsed = parse_number(text);
  if (const auto* reason = std::get_if<std::string>(&parsed)) return error(*reason);
  Rational step = std::holds_alternative<double>(parsed) ? Rational(std::get<double>(parsed))
                                                         : std::get<Rational>(parsed);
  if (step <= 0) return error("must be positive");
  return step;
}

// Those of mirror descent, and of ranks.
Result<CatalogueOptions> mirror_options(const VerifyRequest& request, CatalogueOptions options) {
  Result<Rational> potential = parse_step("--potential", request.potential);
  if (auto* error = std::get_if<InputError>(&potential)) return std::move(*error);
  options.potential = std::get<Rational>(potential);
  if (options.potential <= 1 || numerator(options.potential) > 64 || denominator(options.potential) > 64) {
    return InputError{
        InputError::Kind::malformed, {}, "--potential", {}, "above 1, numerator and denominator at most 64"};
  }
  Result<Rational> step = parse_step("--md-step", request.mirror_step);
  if (auto* error = std::get_if<InputError>(&step)) return std::move(*error);
  options.mirror_step = std::get<Rational>(step);
  // One of its steps takes as long as twenty of gradient descent.
  options.mirror_steps = request.run_steps.value_or(options.run_steps / 20);
  options.rank = request.rank;
  return options;
}

// The catalogue's options but for its time.
Result<CatalogueOptions> catalogue_options(const VerifyRequest& request, const TokenData& data) {
  CatalogueOptions options;
  Result<Loss> loss = training_loss(data, request.loss);
  if (auto* error = std::get_if<InputError>(&loss)) return std::move(*error);
  options.loss = std::get<Loss>(loss);
  options.margin.memory_limit_bytes = request.memory_limit;
  options.margin.precision_bits = request.precision_bits;
  options.enumeration_budget = request.budget.value_or(default_search_budget(data));
  options.run_steps = request.run_steps.value_or(default_run_steps(data));
  if (!request.descent_step.empty()) {
    Result<Rational> step = parse_step("--gd-step", request.descent_step);
    if (auto* error = std::get_if<InputError>(&step)) return std::move(*error);
    options.descent_step = std::get<Rational>(step);
  }
  Result<Rational> step = parse_step("--ngd-step", request.normalised_step);
  if (auto* error = std::get_if<InputError>(&step)) return std::move(*error);
  options.normalised_step = std::get<Rational>(step);
  return mirror_options(request, std::move(options));
}

// Several selected tokens and their attention, where they are given.
std::optional<InputError> add_selected_sets(CatalogueOptions& options, const VerifyRequest& request,
                                            const Instance& instance, const TokenData& data,
                                            const Budget& budget) {
  const std::string given = sets_or_own(request.sets, instance);
  if (given.empty()) {
    if (request.ratios.empty()) return std::nullopt;
    return InputError{InputError::Kind::malformed, {}, "--ratios", {}, "needs --selected-sets"};
  }
  Result<SetsFile> sets = read_sets(given, instance, data);
  if (auto* error = std::get_if<InputError>(&sets)) return std::move(*error);
  SetsFile& file = std::get<SetsFile>(sets);
  if (!request.ratios.empty()) {
    auto ratios = read_ratios(request.ratios, data, file.listed, FiniteEquations(data, file.sets, budget));
    if (auto* error = std::get_if<InputError>(&ratios)) return std::move(*error);
    options.ratios = std::get<std::vector<Rational>>(std::move(ratios));
  }
  options.sets = std::move(file.sets);
  return std::nullopt;
}

// What the report shows of the margin problem, if the rows had it solved or there is time.
void add_solution(VerifyAnswer& answer, CatalogueContext& context) {
  answer.data = context.data();
  try {
    answer.solved = context.solved();
  } catch (const BudgetReached&) {
  }
}

}  // namespace

bool VerifyAnswer::decided() const {
  return std::none_of(rows.begin(), rows.end(), stopped_by_budget);
}

Result<VerifyAnswer> verify(const VerifyRequest& request, AuditWatch& watch) {
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  for (const std::string& path : {request.sets, request.ratios}) {
    if (!path.empty() && path != own_sets) files.input(path);
  }
  files.output(request.report.path, FileKind::report);
  if (auto error = files.check()) return std::move(*error);
  Result<Instance> read = read_input(request.instance, request.held, request.memory_limit, watch);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  const Instance& instance = std::get<Instance>(read);
  const TokenData data = token_data(instance);
  Result<Selection> selection = choose_selection(instance, data, request.select, Ties::first);
  if (auto* error = std::get_if<InputError>(&selection)) return std::move(*error);
  Result<CatalogueOptions> options = catalogue_options(request, data);
  if (auto* error = std::get_if<InputError>(&options)) return std::move(*error);
  CatalogueOptions& chosen = std::get<CatalogueOptions>(options);
  chosen.margin.outer = &watch.budget();
  if (auto error = add_selected_sets(chosen, request, instance, data, watch.budget()))
    return std::move(*error);
  VerifyAnswer answer;
  answer.instance_path = request.instance;
  answer.setting = instance.setting;
  answer.merged = equal_tokens(data);
  answer.tie = first_tie(data);
  answer.loss = chosen.loss;
  answer.selection = std::get<Selection>(std::move(selection));
  CatalogueContext context(instance, answer.selection, std::move(chosen));
  answer.rows = check_catalogue(context, [&] { watch.something_is_proved(); });
  watch.computed();
  if (auto error = files.unchanged()) return std::move(*error);
  if (request.report.wanted()) {
    add_solution(answer, context);
    answer.instance_sha256 = canonical_sha256(instance);
  }
  if (auto error = write_report(request.report, answer, files)) return std::move(*error);
  return answer;
}

}  // namespace attest
