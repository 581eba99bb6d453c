#include "certify/audits/path.hpp"

#include "certify/audits/margin_audit.hpp"
#include "certify/certificates/norm_optimum.hpp"
#include "certify/certificates/path.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {
namespace {

std::optional<PathBound> bound(PathAnswer& answer, const PathRequest& request, const Budget& budget) {
  if (answer.norm.kind == NormKind::frobenius)
    return bound_regularisation_path(answer.data, answer.selection, answer.solution, answer.loss);
  answer.in_norm = solve_norm_problem(answer.data, answer.selection, answer.solution, request.norm, budget);
  if (!answer.in_norm->optimum) return std::nullopt;
  return bound_regularisation_path(answer.data, answer.selection, *answer.in_norm->optimum, answer.loss);
}

// At a limit there is only the first bound.
void bound_residual(PathAnswer& answer, const Budget& budget) {
  try {
    answer.residual = bound_path_residual(answer.data, answer.selection, answer.solution, answer.loss,
                                          answer.bound->from_radius, budget);
  } catch (const BudgetReached&) {
  }
}

void decide(PathAnswer& answer, const PathRequest& request, const MarginOptions& margin) {
  answer.tie = first_tie(answer.data);
  if (answer.tie) {
    answer.outcome = PathOutcome::tie;
    return;
  }
  answer.rival = path_rival(answer.data, answer.selection);
  if (answer.rival && score_gap(answer.data, answer.selection, *answer.rival) <= 0) {
    answer.outcome = PathOutcome::rival;
    return;
  }
  answer.solution = solve_margin_problem(answer.data, answer.selection, margin);
  if (answer.solution.feasibility == Feasibility::undecided) {
    answer.reason = answer.solution.reason;
  } else if (answer.solution.feasibility == Feasibility::infeasible) {
    answer.outcome = PathOutcome::infeasible;
  } else if (constraint_count(answer.data) == 0) {
    answer.outcome = PathOutcome::vacuous;
  } else if (answer.rival) {
    answer.reason = "the units leave open whether attention on " + std::string("tokens ") +
                    std::to_string(answer.selection[answer.rival->group]) + " and " +
                    std::to_string(answer.rival->token) + " of sequence " +
                    std::to_string(answer.rival->group) + " is better than on the first alone";
  } else if ((answer.bound = bound(answer, request, *margin.outer))) {
    answer.outcome = PathOutcome::bounded;
    if (request.residual) bound_residual(answer, *margin.outer);
  } else {
    answer.reason = answer.in_norm ? answer.in_norm->reason : answer.solution.reason;
    if (answer.reason.empty()) answer.reason = "precision: the solution is not known well enough";
  }
}

Certificate certificate_of(const PathAnswer& answer) {
  CertifiedFacts facts;
  facts.instance = &answer.instance;
  facts.data = &answer.data;
  facts.selection = &answer.selection;
  facts.solution = &answer.solution;
  facts.loss = name(answer.loss);
  facts.more = [&](CertificateText& text, std::size_t problem, std::size_t optimum) {
    if (answer.in_norm) {
      if (!answer.in_norm->optimum) return;
      const std::size_t least = write_norm_claims(text, problem, answer.norm, *answer.in_norm->optimum);
      if (answer.bound) write_norm_path_claim(text, problem, answer.norm, least, *answer.bound);
    } else if (answer.bound) {
      write_path_claim(text, problem, optimum, *answer.bound);
      if (answer.residual) write_path_residual_claim(text, problem, optimum, *answer.residual);
    }
  };
  return write_certificate(facts);
}

}  // namespace

Result<PathAnswer> path(const PathRequest& request, AuditWatch& watch) {
  const Clock::time_point start = Clock::now();
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  files.output(request.certificate, FileKind::certificate);
  files.output(request.report.path, FileKind::report);
  if (auto error = files.check()) return std::move(*error);
  PathAnswer answer;
  answer.norm = request.norm.norm;
  answer.residual_asked = request.residual;
  answer.file.wanted = request.certificate;
  if (auto error = read_data(answer, request, watch)) return std::move(*error);
  Result<Loss> loss = training_loss(answer.data, request.loss);
  if (auto* error = std::get_if<InputError>(&loss)) return std::move(*error);
  answer.loss = std::get<Loss>(loss);
  answer.selection = best_selection(answer.data);
  answer.read_seconds = seconds_since(start);

  decide(answer, request, margin_options(request, watch));
  watch.computed();
  if (auto error = files.unchanged()) return std::move(*error);
  answer.certificate = certificate_of(answer);
  if (auto error = write_answer(request.report, answer, files, start)) return std::move(*error);
  return answer;
}

}  // namespace attest
