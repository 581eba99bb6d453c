#include "certify/reports/html/joint.hpp"

#include "certify/reports/html/margins.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/short_number.hpp"
#include "numerics/margin/conflict_rows.hpp"

namespace attest {
namespace {

std::string of_sequences(std::size_t some, const JointAnswer& answer) {
  return std::to_string(some) + " of " + std::to_string(answer.selection.size()) + " sequences";
}

void add_verdict(Page& page, const JointAnswer& answer) {
  const JointProblems& problems = answer.problems;
  if (!answer.decided()) {
    page.verdict(
        Tone::open, "Undecided",
        {"Whether decoder and attention have max-margin limits was not decided: " + problems.reason() + ".",
         "A longer --time-limit or a larger --memory-limit may decide it."});
    return;
  }
  if (problems.decoder.feasibility == Feasibility::infeasible) {
    page.verdict(Tone::bad, "Infeasible: no decoder gives the selected tokens the signs of their labels",
                 {"The decoder has no margin to tend to; the attention's problem was not asked."});
    return;
  }
  if (problems.feasibility() == Feasibility::infeasible) {
    page.verdict(Tone::bad, "Infeasible: the decoder has a limit, the attention has none",
                 {"The rows of " + std::to_string(conflict_rows(*problems.attention).size()) +
                  " tokens contradict each other, whatever W is."});
    return;
  }
  std::vector<std::string> sentences = {
      "Decoder and attention that are trained together have one max-margin limit each for this selection."};
  if (problems.supporting) {
    sentences.push_back(of_sequences(problems.supporting->size(), answer) +
                        " support the decoder; in the others the attention only has to keep margins of 0.");
  }
  if (problems.vacuous(answer.data))
    sentences.push_back(
        "No token of a supporting sequence stands beside the selected one: the least W is 0.");
  page.verdict(Tone::good, "Feasible: decoder and attention have max-margin limits", sentences);
}

void add_decoder(Page& page, const JointAnswer& answer) {
  const MarginSolution& decoder = answer.problems.decoder;
  page.section("The decoder");
  page.facts("The least v that gives every selected token its label's sign with margin 1",
             problem_facts(decoder, "v*", answer.selection.size()));
  if (const auto rows = deciding_rows(decoder, "Sequences that support the decoder: margin exactly 1 at v*"))
    page.table(*rows);
  if (decoder.feasibility == Feasibility::feasible)
    page.paragraph("Label margins of soft attention (A.margin): " + answer.label_margins.words() + ".");
}

void add_attention(Page& page, const JointAnswer& answer) {
  page.section("The attention");
  if (!answer.problems.attention) {
    page.paragraph(answer.problems.decoder.feasibility == Feasibility::infeasible
                       ? "Not asked: the decoder has no margin to tend to."
                       : "Undecided: its rows depend on the decoder's support.");
    return;
  }
  const MarginSolution& attention = *answer.problems.attention;
  std::vector<Fact> facts = problem_facts(attention, "W*", constraint_count(answer.data));
  facts.insert(facts.begin(), {"sequences with margins >= 0 only",
                               of_sequences(answer.problems.relaxed.size(), answer), Level::exact});
  if (answer.rank) facts.push_back({"rank of W*", std::to_string(answer.rank->rank), Level::exact});
  page.facts("The least W with margins of 1 where the decoder is supported", facts);
  const auto rows = deciding_rows(attention, "Support tokens: margin exactly what is asked for at W*");
  if (!rows) return;
  CellMap map = token_map({answer.data, answer.selection, attention, nullptr});
  if (attention.feasibility == Feasibility::feasible) {
    map.description =
        "Every token of every sequence. The marked ones have exactly the margin that is asked for: 1, or 0 "
        "in sequences that do not support the decoder.";
  }
  page.figure(map);
  page.table(*rows);
}

}  // namespace

std::string html(const JointAnswer& answer) {
  Page page("Joint training on " + file_name(answer.instance_path));
  add_verdict(page, answer);
  add_decoder(page, answer);
  add_attention(page, answer);
  add_provenance(page, provenance_of(answer, "attest certify --joint"));
  return std::move(page).text();
}

}  // namespace attest
