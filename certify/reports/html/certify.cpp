#include "certify/reports/html/certify.hpp"

#include "certify/numbers/decimal.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/html/margins.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

std::string place(const Constraint& c) {
  return "token " + std::to_string(c.token) + " of sequence " + std::to_string(c.group);
}

bool is_solved(const MarginSolution& solution) {
  return solution.exact || solution.enclosed || solution.gap;
}

Interval norm(const MarginSolution& solution) {
  return square_root(solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared, 256);
}

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
  if (solution.feasibility == Feasibility::feasible && is_solved(solution) && !answer.vacuous()) {
    const Interval length = norm(solution);
    const Interval margin = point(1) / length;
    const Level squared = level_of(solution);
    facts.push_back({"norm \xE2\x80\x96W*\xE2\x80\x96", short_number(length, 15), Level::enclosed,
                     both_ends(length, 40)});
    facts.push_back(
        {"its square",
         short_number(solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared, 16),
         squared,
         solution.exact ? show(solution.exact->norm_squared, 40) : both_ends(solution.norm_squared, 40)});
    facts.push_back({"margin 1/\xE2\x80\x96W*\xE2\x80\x96", short_number(margin, 15), Level::enclosed,
                     both_ends(margin, 40)});
  }
  const auto yes_no = [](std::optional<bool> holds) {
    return holds ? std::string(*holds ? "yes" : "no") : std::string("undecided");
  };
  const auto level = [](std::optional<bool> holds) { return holds ? Level::exact : Level::none; };
  if (solution.feasibility == Feasibility::feasible) {
    facts.push_back({"strictly complementary", yes_no(solution.strictly_complementary),
                     level(solution.strictly_complementary)});
    facts.push_back({"locally optimal", yes_no(solution.locally_optimal), level(solution.locally_optimal)});
  }
  facts.push_back(
      {"globally optimal", yes_no(!global_optimality_witness(answer.data, answer.selection)), Level::exact});
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
  add_verdict(page, answer);
  add_facts(page, answer);
  if (!answer.vacuous()) {
    add_margin_problem(page, {answer.data, answer.selection, answer.solution,
                              answer.geometry ? &*answer.geometry : nullptr});
  }
  Provenance provenance;
  provenance.instance_path = answer.instance_path;
  provenance.instance_sha256 = canonical_sha256(answer.instance);
  provenance.certificate = &answer.file;
  provenance.claims = answer.certificate.claims;
  if (!answer.certificate.claims.empty())
    provenance.make_again = "attest certify " + shell_word(answer.instance_path);
  provenance.costs = {time_fact("time to read", answer.read_seconds),
                      time_fact("time to solve", answer.solve_seconds)};
  add_provenance(page, provenance);
  return std::move(page).text();
}

}  // namespace attest
