#include "certify/audits/certify.hpp"

#include <cmath>

#include "certify/audits/input.hpp"
#include "certify/audits/margin_audit.hpp"
#include "certify/audits/shared_passes.hpp"
#include "certify/catalogue/smoothness.hpp"
#include "certify/certificates/norm_optimum.hpp"
#include "certify/numbers/exact_number.hpp"
#include "numerics/margin/robust_radius.hpp"
#include "numerics/margin/working_set.hpp"
#include "numerics/numbers/clock.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// A dyadic constant above T6's, with relative slack 2^-30 so that a checker's own rounding stays below it.
// Nothing without a loss, or when it would leave the exponents a certificate can hold.
std::optional<Rational> smoothness_constant(const TokenData& data, const std::string& loss_word,
                                            const Budget& budget) {
  const std::optional<Loss> loss = parse_loss(loss_word);
  if (!loss) return std::nullopt;
  const std::optional<Interval> enclosure = sharp_smoothness(data, *loss, budget);
  if (!enclosure || (enclosure->hi != 0 && std::labs(approx_log2(enclosure->hi)) > 60000))
    return std::nullopt;
  return dyadic_above(enclosure->hi * (1 + power_of_two(-30)), 64);
}

// The margin problem in a norm that is not Euclidean, once it is known to be feasible. With an interval for
// it nothing more is said about the Euclidean solution.
void solve_in_norm(CertifyAnswer& answer, const CertifyRequest& request, const Budget& budget) {
  if (answer.norm.kind == NormKind::frobenius || answer.vacuous() ||
      answer.solution.feasibility != Feasibility::feasible)
    return;
  const Clock::time_point start = Clock::now();
  answer.in_norm = solve_norm_problem(answer.data, answer.selection, answer.solution, request.norm, budget);
  if (answer.in_norm->optimum) {
    answer.solution = MarginSolution{};
    answer.solution.feasibility = Feasibility::feasible;
    NormOptimum& optimum = *answer.in_norm->optimum;
    answer.face = solution_face(answer.data, answer.selection, answer.norm, optimum, budget);
    if (answer.norm.kind == NormKind::nuclear) {
      answer.near_rank = near_rank(answer.data, answer.selection, optimum);
      answer.enclosure =
          enclose_solution(answer.data, answer.selection, request.norm, *answer.in_norm, budget);
    }
  }
  answer.solve_seconds += seconds_since(start);
}

// Of data that take seconds at most; `audit` measures all. In another norm the Euclidean solution is not
// kept.
void measure_resolution(CertifyAnswer& answer, const Budget& budget) {
  constexpr std::size_t most_numbers = 4'000'000;
  if (answer.in_norm || answer.solution.feasibility != Feasibility::feasible) return;
  if (answer.data.first_row.back() * answer.data.left_dimension > most_numbers) return;
  try {
    const bool queries_move = answer.instance.setting == Setting::self_attention;
    answer.resolution = resolve(
        answer.data, robust_radius(answer.data, answer.selection, answer.solution, queries_move, budget));
  } catch (const BudgetReached&) {  // what is not measured is not said
  }
}

}  // namespace

void solve_margin_problem(CertifyAnswer& answer, const CertifyRequest& request, const Budget& budget,
                          AuditWatch& watch) {
  const Clock::time_point start = Clock::now();
  MarginOptions margin;
  margin.form = request.form;
  margin.precision_bits = request.precision_bits;
  margin.outer = &budget;
  margin.memory_limit_bytes = request.memory_limit;
  margin.progress = [&](std::string_view stage, double fraction) { watch.solving(stage, fraction); };
  if (request.passes != nullptr) {
    const std::unique_ptr<MarginScan> scan = request.passes->over(answer.data, answer.selection);
    answer.solution = solve_margin_problem(answer.data, answer.selection, *scan, margin);
  } else {
    answer.solution = solve_margin_problem(answer.data, answer.selection, margin);
  }
  answer.solve_seconds += seconds_since(start);
}

// A claim that is not made costs nothing but itself.
void add_claims(CertifyAnswer& answer, const Budget& budget) {
  const Clock::time_point start = Clock::now();
  try {
    if (answer.solution.feasibility == Feasibility::feasible && !answer.in_norm)
      answer.rank = rank_of_optimum(answer.data, answer.selection, answer.solution, budget);
    answer.smoothness = smoothness_constant(answer.data, answer.loss, budget);
  } catch (const BudgetReached&) {
  }
  answer.solve_seconds += seconds_since(start);
}

// They are large: a number a token, each as long as the solution's.
void add_margins(CertifyAnswer& answer, const Budget& budget) {
  if (answer.solution.feasibility != Feasibility::feasible || answer.vacuous()) return;
  try {
    budget.reserve(400.0 * static_cast<double>(answer.data.first_row.back()), "the margins of the report");
    answer.geometry = optimum_geometry(answer.data, answer.selection, answer.solution, budget);
  } catch (const BudgetReached&) {
  }
}

CertifiedFacts certified_facts(const CertifyAnswer& answer) {
  CertifiedFacts facts;
  facts.instance = &answer.instance;
  facts.data = &answer.data;
  facts.selection = &answer.selection;
  facts.solution = &answer.solution;
  facts.loss = answer.loss;
  facts.rank = answer.rank;
  facts.smoothness = answer.smoothness;
  if (answer.in_norm && answer.in_norm->optimum) {
    facts.more = [&answer](CertificateText& text, std::size_t problem, std::size_t) {
      const std::size_t least = write_norm_claims(text, problem, answer.norm, *answer.in_norm->optimum);
      if (answer.near_rank && answer.near_rank->evidence)
        write_near_rank_claim(text, problem, answer.norm, least, *answer.near_rank->evidence);
      if (answer.face && answer.face->evidence)
        write_face_claim(text, problem, answer.norm, least, *answer.face->evidence);
      if (const NuclearSolution* solution = answer.nuclear_solution())
        write_solution_claim(text, problem, answer.norm, *solution);
      const std::optional<NormOptimum>& bounded = answer.in_norm->of_rank;
      if (bounded && bounded->factor_columns() < answer.in_norm->optimum->factor_columns())
        write_norm_claims(text, problem, answer.norm, *bounded);
    };
  }
  return facts;
}

std::optional<Rational> parse_gap(const std::string& text) {
  const ParsedNumber number = parse_number(text);
  if (std::holds_alternative<std::string>(number)) return std::nullopt;
  const double* binary = std::get_if<double>(&number);
  const Rational gap = binary != nullptr ? Rational(*binary) : std::get<Rational>(number);
  return gap > 0 && gap <= 1 ? std::optional<Rational>(gap) : std::nullopt;
}

bool CertifyAnswer::decided() const {
  if (in_norm && !in_norm->reason.empty()) return false;
  const auto stopped_by = [&](const char* word) { return solution.reason.starts_with(word); };
  return solution.feasibility != Feasibility::undecided && !stopped_by("time") && !stopped_by("memory") &&
         !stopped_by("interrupted");
}

Result<CertifyAnswer> certify(const CertifyRequest& request, AuditWatch& watch) {
  const Clock::time_point start = Clock::now();
  if (request.norm.rank > 0 && request.norm.norm.kind != NormKind::nuclear)
    return InputError{InputError::Kind::malformed, {}, "--rank", {}, "goes with --norm nuc"};
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  files.output(request.certificate, FileKind::certificate);
  files.output(request.report.path, FileKind::report);
  if (auto error = files.check()) return std::move(*error);
  CertifyAnswer answer;
  answer.loss = request.loss;
  answer.precision_bits = request.precision_bits;
  answer.norm = request.norm.norm;
  answer.gap = request.norm.gap;
  answer.rank_asked = request.norm.rank;
  answer.file.wanted = request.certificate;
  if (auto error = read_data(answer, request, watch)) return std::move(*error);
  if (answer.loss != "none") {
    Result<Loss> loss = training_loss(answer.data, answer.loss);
    if (auto* error = std::get_if<InputError>(&loss)) return std::move(*error);
  }
  Result<Selection> selection = choose_selection(answer.instance, answer.data, request.select);
  if (auto* error = std::get_if<InputError>(&selection)) {
    error->file = request.instance;
    return std::move(*error);
  }
  answer.selection = std::get<Selection>(std::move(selection));
  answer.read_seconds = seconds_since(start);

  solve_margin_problem(answer, request, watch.budget(), watch);
  if (answer.solution.feasibility != Feasibility::undecided) watch.something_is_proved();
  solve_in_norm(answer, request, watch.budget());
  watch.computed();
  add_claims(answer, watch.budget());
  measure_resolution(answer, watch.budget());
  if (auto error = files.unchanged()) return std::move(*error);

  const Clock::time_point writing = Clock::now();
  answer.certificate = write_certificate(certified_facts(answer));
  if (auto error = write_certificate_file(answer.certificate, files, answer.file)) return std::move(*error);
  answer.write_seconds = seconds_since(writing);
  answer.total_seconds = seconds_since(start);
  if (request.report.wanted()) add_margins(answer, watch.budget());
  if (auto error = write_report(request.report, answer, files)) return std::move(*error);
  return answer;
}

}  // namespace attest
