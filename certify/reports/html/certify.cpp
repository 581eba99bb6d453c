#include "certify/reports/html/certify.hpp"

#include "certify/numbers/decimal.hpp"
#include "certify/reports/certify_norm.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/html/margins.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

std::string local_sentence(const MarginSolution& solution) {
  if (!solution.locally_optimal)
    return "Whether the selection is locally optimal is undecided: the support tokens are not all known.";
  if (*solution.locally_optimal)
    return "The selection is locally optimal: every support token scores less than the selected token of its "
           "sequence, so training can end at this selection.";
  std::string text = "The selection is not locally optimal";
  if (solution.local_witness)
    text += ": " + place(*solution.local_witness) +
            " is a support token and scores no less than the selected one";
  return text + ".";
}

// In another norm than the Euclidean one: the interval that was found for the least norm.
void add_norm(Page& page, const CertifyAnswer& answer) {
  const NormOptimum* found = answer.in_norm->optimum ? &*answer.in_norm->optimum : nullptr;
  if (!answer.decided() || found == nullptr) {
    page.verdict(Tone::open, "Feasible, but the least norm is undecided",
                 {"Some W separates the selected tokens; of its least norm too little is known: " +
                  answer.in_norm->reason + "."});
  } else {
    page.verdict(Tone::good, "Feasible: the selected tokens can be separated",
                 {"The least norm (" + answer.norm.word + ") of a W whose margins are all at least 1 is " +
                  short_number(found->value, 10) + "."});
  }
  std::vector<Fact> facts = {{"norm", answer.norm.word}};
  if (found != nullptr) {
    facts.push_back(
        {"its least value", short_number(found->value, 15), Level::enclosed, both_ends(found->value, 40)});
    if (const auto gap = found->relative_gap())
      facts.push_back({"relative gap at most", decimal_up(*gap, 3), Level::exact});
    if (answer.norm.kind == NormKind::nuclear)
      facts.push_back({"a matrix K Q' comes this near with",
                       std::to_string(found->factor_columns()) + " columns", Level::exact});
    facts.push_back({"solutions", solutions_words(answer), Level::exact});
    if (found->distance)
      facts.push_back({"distance of the solution at most", decimal_up(*found->distance, 3), Level::exact});
    if (const NuclearSolution* solution = answer.nuclear_solution()) {
      facts.push_back(
          {"distance of the solution at most (Frobenius)", decimal_up(solution->distance, 3), Level::exact});
      facts.push_back({"support tokens",
                       std::to_string(solution->support().size()) + " of " +
                           std::to_string(constraint_count(answer.data)),
                       Level::exact});
    }
    if (found->support_within)
      facts.push_back({"support tokens",
                       "all among " + std::to_string(found->support_within->size()) + " of " +
                           std::to_string(constraint_count(answer.data)),
                       Level::exact});
  }
  page.section("Results");
  page.facts("What is proved", facts);
}

void add_verdict(Page& page, const CertifyAnswer& answer) {
  const MarginSolution& solution = answer.solution;
  if (solution.feasibility == Feasibility::undecided) {
    page.verdict(Tone::open, "Undecided",
                 {"Whether the selected tokens can be separated was not decided: " + solution.reason + ".",
                  "A longer --time-limit or a larger --memory-limit may decide it."});
    return;
  }
  if (solution.feasibility == Feasibility::infeasible) {
    page.verdict(Tone::bad, "Infeasible: no attention matrix separates the selected tokens",
                 {"There is a conflict: " + conflict_text(conflict_rows(solution)) + "."});
    return;
  }
  if (answer.vacuous()) {
    page.verdict(Tone::good, "Feasible, with nothing to separate",
                 {"No sequence has a token beside the selected one, so every W will do."});
    return;
  }
  std::vector<std::string> sentences = {
      "Some attention matrix W gives the selected token of every sequence a larger logit than all its other "
      "tokens."};
  if (is_solved(solution)) {
    const Interval length = norm(solution);
    sentences.push_back("The shortest W whose margins are all at least 1 has the norm " +
                        short_number(length, 10) + ", so the margin is " +
                        short_number(point(1) / length, 10) + ".");
  }
  if (solution.support)
    sentences.push_back(std::to_string(solution.support->size()) + " of " +
                        std::to_string(constraint_count(answer.data)) +
                        " margins are exactly 1 there: those of the support tokens.");
  sentences.push_back(local_sentence(solution));
  const auto better = global_optimality_witness(answer.data, answer.selection);
  sentences.push_back(better ? "It is not the best-scored selection: " + place(*better) + " scores no less."
                             : "It is the best-scored selection: the only best token of every sequence.");
  page.verdict(Tone::good, "Feasible: the selected tokens can be separated", sentences);
}

void add_facts(Page& page, const CertifyAnswer& answer) {
  const MarginSolution& solution = answer.solution;
  const Instance& instance = answer.instance;
  std::vector<Fact> facts = {{"setting", name(instance.setting)},
                             {"sequences", std::to_string(instance.sequences())},
                             {"tokens", std::to_string(instance.first_row.back())},
                             {"dimension", std::to_string(instance.dimension)},
                             {"constraints", std::to_string(constraint_count(answer.data))}};
  const std::vector<Fact> solved = solution_facts(solution, "W*");
  if (!answer.vacuous()) facts.insert(facts.end(), solved.begin(), solved.end());
  if (solution.feasibility == Feasibility::feasible) {
    facts.push_back(yes_no("strictly complementary", solution.strictly_complementary));
    facts.push_back(yes_no("locally optimal", solution.locally_optimal));
  }
  facts.push_back(yes_no("globally optimal", !global_optimality_witness(answer.data, answer.selection)));
  if (answer.rank) facts.push_back({"rank of W*", std::to_string(answer.rank->rank), Level::exact});
  if (answer.smoothness)
    facts.push_back({"smoothness constant (" + answer.loss + " loss)",
                     short_number(point(*answer.smoothness)), Level::enclosed, show(*answer.smoothness, 20)});
  page.section("Results");
  page.facts("What is proved", facts);
}

}  // namespace

std::string html(const CertifyAnswer& answer) {
  Page page("Margin problem of " + file_name(answer.instance_path));
  if (answer.in_norm) {
    add_norm(page, answer);
  } else {
    add_verdict(page, answer);
    add_facts(page, answer);
    if (!answer.vacuous()) {
      add_margin_problem(page, {answer.data, answer.selection, answer.solution,
                                answer.geometry ? &*answer.geometry : nullptr});
    }
  }
  const bool euclidean = answer.norm.kind == NormKind::frobenius;
  add_provenance(page,
                 provenance_of(answer, "attest certify" + (euclidean ? "" : " --norm " + answer.norm.word)));
  return std::move(page).text();
}

}  // namespace attest
