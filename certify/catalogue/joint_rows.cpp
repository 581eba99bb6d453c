// Rows about training the decoder with the attention: A.vsvm, A.margin, A.joint, D.joint.
#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/decoder.hpp"
#include "certify/catalogue/label_margins.hpp"
#include "certify/numbers/decimal.hpp"

namespace attest {
namespace {

// Why nothing is trained jointly on the instance; empty when a decoder is.
std::string without_decoder(const CatalogueContext& context) {
  const Instance& instance = context.instance();
  if (instance.Y.empty() || instance.v.empty())
    return "a statement about a linear decoder v and labels Y, which the instance does not have";
  if (const auto sequence = sequence_without_row(instance, context.data(), context.selection())) {
    return "the selected token of sequence " + std::to_string(*sequence) +
           " has equals with other rows of X: what its output tends to is not the row of one token";
  }
  return {};
}

Hypothesis separates(const std::string& which, const MarginSolution& solution,
                     const std::string& no_solution) {
  Hypothesis row{which + " is feasible", Verdict::undecided, solution.reason, {}};
  if (solution.feasibility == Feasibility::feasible) {
    row.verdict = Verdict::holds;
    row.detail = "decided in exact arithmetic";
  } else if (solution.feasibility == Feasibility::infeasible) {
    row.verdict = Verdict::fails;
    row.detail = no_solution;
  }
  return row;
}

std::string norm_words(const std::string& name, const MarginSolution& solution) {
  const Interval squared = solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared;
  const Interval norm = square_root(squared, 128);
  return name + " in " + show(norm) + (norm.lo > 0 ? ", margin in " + show(point(1) / norm) : "");
}

std::string supporting_words(const JointProblems& problems) {
  if (!problems.supporting) return "; its support is open";
  const std::size_t all = problems.supporting->size() + problems.relaxed.size();
  return "; " + std::to_string(problems.supporting->size()) + " of " + std::to_string(all) +
         " sequences support it";
}

constexpr const char* no_decoder = "no v gives the selected tokens of all sequences the sign of their labels";

// Hypotheses and conclusion of A.joint but for the path; true when all of them hold.
bool require_problems(const JointProblems& problems, const LabelMargins& margins, Row& row) {
  row.require(separates("the decoder's problem on alpha", problems.decoder, no_decoder));
  const bool relaxed = !problems.relaxed.empty();
  if (problems.attention) {
    const std::string which = relaxed ? "the attention's problem, relaxed in " +
                                            std::to_string(problems.relaxed.size()) + " sequences,"
                                      : "the attention's problem";
    row.require(separates(which, *problems.attention, "its rows contradict each other"));
    if (problems.attention->feasibility == Feasibility::feasible) {
      row.conclusion = norm_words("||v*||", problems.decoder) + supporting_words(problems) + "; " +
                       norm_words("||W*||", *problems.attention) + " (checked)";
    }
  } else if (problems.decoder.feasibility == Feasibility::feasible) {
    row.require("the decoder's support is decided", Verdict::undecided, problems.reason());
  }
  if (problems.decoder.feasibility == Feasibility::feasible)
    row.require(relaxed ? "A.margin over the sequences that support the decoder" : "A.margin",
                margins.supporting, margins.words());
  settle(row);
  return row.verdict == Verdict::holds;
}

void conclude(Row& row, const std::optional<JointPathBound>& bound, const std::string& described,
              const std::string& reason) {
  if (!bound) return settle(row, Verdict::undecided, reason);
  row.conclusion += "; " + described;
  settle(row);
}

}  // namespace

void decide_decoder_problem(CatalogueContext& context, Row& row) {
  if (const std::string why = without_decoder(context); !why.empty()) {
    row = not_applicable(std::move(row), why);
    return;
  }
  const MarginSolution decoder = solve_decoder(decoder_data(context.instance(), context.selection()),
                                               context.selection(), context.remaining());
  row.require(separates("the decoder's problem on alpha", decoder, no_decoder));
  if (decoder.feasibility == Feasibility::feasible && (decoder.exact || decoder.enclosed || decoder.gap)) {
    row.conclusion = norm_words("||v*||", decoder);
    if (decoder.support) {
      row.conclusion += "; " + std::to_string(decoder.support->size()) + " of " +
                        std::to_string(context.data().groups()) + " sequences support it";
    }
    row.conclusion += " (checked)";
  }
  settle(row);
}

void decide_label_margins(CatalogueContext& context, Row& row) {
  if (const std::string why = without_decoder(context); !why.empty()) {
    row = not_applicable(std::move(row), why);
    return;
  }
  const JointProblems problems =
      solve_joint_problems(context.instance(), context.data(), context.selection(), context.remaining());
  row.require(separates("the decoder's problem on alpha", problems.decoder, no_decoder));
  if (problems.decoder.feasibility == Feasibility::feasible) {
    const JointGeometry geometry(context.instance(), context.data(), context.selection(), problems,
                                 context.budget());
    const LabelMargins margins = geometry.label_margins(context.budget());
    row.require("no attention leaves a label margin above Gamma - nu max (1 - s)", margins.all,
                margins.words());
    row.conclusion = norm_words("||v*||", problems.decoder) + supporting_words(problems) + " (checked)";
  }
  settle(row);
}

// The problems at the selection asked about, their geometry, and the label margins there.
struct JointGround {
  explicit JointGround(CatalogueContext& context)
      : problems(solve_joint_problems(context.instance(), context.data(), context.selection(),
                                      context.remaining())),
        geometry(context.instance(), context.data(), context.selection(), problems, context.budget()),
        margins(geometry.label_margins(context.budget())) {}

  JointProblems problems;
  JointGeometry geometry;  // refers to them
  LabelMargins margins;
};

void decide_joint_path(CatalogueContext& context, Row& row) {
  if (const std::string why = without_decoder(context); !why.empty()) {
    row = not_applicable(std::move(row), why);
    return;
  }
  const JointGround ground(context);
  if (!require_problems(ground.problems, ground.margins, row)) return;
  std::string reason;
  const auto bound = ground.geometry.path(ground.margins, context.options().loss,
                                          ground.geometry.plain_solution(context.remaining()), reason);
  conclude(row, bound, bound ? words(*bound) : "", reason);
}

void decide_joint_path_in_norm(CatalogueContext& context, Row& row) {
  const Norm norm = *parse_norm("l" + context.options().potential.str());
  if (norm.kind == NormKind::frobenius) return decide_joint_path(context, row);
  if (const std::string why = without_decoder(context); !why.empty()) {
    row = not_applicable(std::move(row), why);
    return;
  }
  const JointGround ground(context);
  if (!require_problems(ground.problems, ground.margins, row)) return;
  if (!ground.problems.relaxed.empty())
    return settle(row, Verdict::undecided,
                  "proved in this norm only where every sequence supports the decoder");
  const NormAnswer& solved = context.solved_in({norm}, context.selection());
  if (!solved.optimum) return settle(row, Verdict::undecided, solved.reason);
  std::string reason;
  const auto bound =
      ground.geometry.path_in_norm(ground.margins, context.options().loss, solved.optimum->value, reason);
  conclude(row, bound,
           bound ? words(*bound, "||W||_" + context.options().potential.str(), "<n,W>") + ", n of dual norm 1"
                 : "",
           reason);
}

}  // namespace attest
