#include "certify/audits/joint.hpp"

#include "certify/audits/margin_audit.hpp"
#include "certify/audits/run_request.hpp"
#include "certify/catalogue/decoder.hpp"
#include "certify/certificates/joint.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {
namespace {

// Joint training needs labels and a decoder that is linear.
std::optional<InputError> no_decoder(const JointAnswer& answer) {
  const auto error = [&](InputError::Kind kind, const std::string& message) {
    return InputError{kind, answer.instance_path, "--joint", {}, message};
  };
  if (answer.instance.Y.empty() || answer.instance.v.empty())
    return error(
        InputError::Kind::malformed,
        "the instance has no decoder v and labels Y: joint training has no meaning for given scores or "
        "another head");
  const auto sequence = sequence_without_row(answer.instance, answer.data, answer.selection);
  if (!sequence) return std::nullopt;
  return error(InputError::Kind::resource,
               "sequence " + std::to_string(*sequence) +
                   ": tokens with the key of the selected one have other rows of X, which is not known here");
}

// The claims a solution goes with; what is not found in time is left out.
void add_rank(JointAnswer& answer, const Budget& budget) {
  const std::optional<MarginSolution>& attention = answer.problems.attention;
  if (!attention || (!attention->exact && !attention->enclosed) || answer.problems.vacuous(answer.data))
    return;
  try {
    answer.rank = rank_of_optimum(answer.data, answer.selection, *attention, budget);
  } catch (const BudgetReached&) {
  }
}

// A.margin, and the path that it is for.
void add_label_margins(JointAnswer& answer, const MarginOptions& options, const Budget& budget) {
  try {
    const JointGeometry geometry(answer.instance, answer.data, answer.selection, answer.problems, budget);
    answer.label_margins = geometry.label_margins(budget);
    if (answer.path_asked) {
      answer.plain = geometry.plain_solution(options);
      answer.path = geometry.path(answer.label_margins, answer.loss, answer.plain, answer.path_reason);
    }
  } catch (const BudgetReached& reached) {
    answer.path_reason = reached.reason;
    if (answer.label_margins.all == Verdict::undecided) answer.label_margins.reason = reached.reason;
  }
}

Certificate certificate_of(const JointAnswer& answer) {
  JointFacts facts = joint_facts(answer.instance, answer.data, answer.selection, answer.problems);
  JointProofs proofs;
  if (facts.attention) facts.attention->rank = answer.rank;
  // Without a path the verified checker takes all that is written.
  if (answer.path) {
    proofs.margins = &answer.label_margins.cover;
    proofs.path = &*answer.path;
  }
  proofs.loss = answer.loss;
  if (answer.path && answer.plain) {
    proofs.plain = *facts.attention;
    proofs.plain->solution = &*answer.plain;
    proofs.plain->rows = {};
    proofs.plain->rank.reset();
  }
  return write_joint_certificate(facts.decoder, facts.attention, proofs);
}

}  // namespace

JointFacts joint_facts(const Instance& instance, const TokenData& data, const Selection& selection,
                       const JointProblems& problems) {
  JointFacts facts;
  facts.decoder.instance = &instance;
  facts.decoder.data = &problems.decoder_data;
  facts.decoder.selection = &selection;
  facts.decoder.solution = &problems.decoder;
  facts.decoder.rows.decoder = true;
  if (!problems.attention) return facts;
  CertifiedFacts& attention = facts.attention.emplace();
  attention.instance = &instance;
  attention.data = &data;
  attention.selection = &selection;
  attention.solution = &*problems.attention;
  attention.rows.relaxed = problems.relaxed;
  return facts;
}

Result<JointAnswer> certify_joint(const JointRequest& request, AuditWatch& watch) {
  const Clock::time_point start = Clock::now();
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  files.output(request.certificate, FileKind::certificate);
  files.output(request.report.path, FileKind::report);
  if (auto error = files.check()) return std::move(*error);
  JointAnswer answer;
  answer.precision_bits = request.precision_bits;
  answer.file.wanted = request.certificate;
  if (auto error = read_data(answer, request, watch)) return std::move(*error);
  Result<Selection> selection = choose_selection(answer.instance, answer.data, request.select);
  if (auto* error = std::get_if<InputError>(&selection)) {
    error->file = request.instance;
    return std::move(*error);
  }
  answer.selection = std::get<Selection>(std::move(selection));
  if (auto error = no_decoder(answer)) return std::move(*error);
  answer.path_asked = request.path;
  Result<Loss> loss = training_loss(answer.data, request.loss);
  if (auto* error = std::get_if<InputError>(&loss)) return std::move(*error);
  answer.loss = std::get<Loss>(loss);
  std::optional<Rational> ratio;
  if (!request.shift.empty()) {
    Result<Rational> read = exact_option("--shift", request.shift);
    if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
    ratio = std::get<Rational>(std::move(read));
    if (*ratio <= 0)
      return bad_option("--shift", "must be positive: the decoder's step over the attention's");
  }
  answer.read_seconds = seconds_since(start);

  const Clock::time_point solving = Clock::now();
  MarginOptions options = margin_options(request, watch);
  options.form = request.form;
  options.precision_bits = request.precision_bits;
  answer.problems = solve_joint_problems(answer.instance, answer.data, answer.selection, options);
  watch.computed();
  add_label_margins(answer, options, watch.budget());
  add_rank(answer, watch.budget());
  if (ratio)
    answer.shifted =
        solve_shifted_problem(answer.problems, answer.data, answer.selection, *ratio, watch.budget());
  answer.solve_seconds = seconds_since(solving);
  if (auto error = files.unchanged()) return std::move(*error);
  answer.certificate = certificate_of(answer);
  if (auto error = write_answer(request.report, answer, files, start)) return std::move(*error);
  return answer;
}

}  // namespace attest
