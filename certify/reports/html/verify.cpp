#include "certify/reports/html/verify.hpp"

#include <algorithm>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/html/margins.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

std::size_t count(const VerifyAnswer& answer, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(answer.rows.begin(), answer.rows.end(),
                                                [&](const Row& row) { return row.verdict == verdict; }));
}

std::string ids(const VerifyAnswer& answer, Verdict verdict) {
  std::string text;
  for (const Row& row : answer.rows) {
    if (row.verdict == verdict) text += (text.empty() ? "" : ", ") + row.id;
  }
  return text;
}

void add_verdict(Page& page, const VerifyAnswer& answer) {
  std::vector<std::string> sentences;
  const auto say = [&](Verdict verdict, const char* what) {
    if (count(answer, verdict) > 0) sentences.push_back(std::string(what) + ids(answer, verdict) + ".");
  };
  say(Verdict::holds, "Every hypothesis and the checked conclusion hold on this dataset: ");
  say(Verdict::fails, "A hypothesis or a conclusion is false on this dataset: ");
  say(Verdict::undecided, "Undecided, or not about this kind of dataset: ");
  page.verdict(count(answer, Verdict::holds) > 0 ? Tone::good : Tone::open,
               std::to_string(count(answer, Verdict::holds)) + " of " + std::to_string(answer.rows.size()) +
                   " statements hold, " + std::to_string(count(answer, Verdict::fails)) + " fail, " +
                   std::to_string(count(answer, Verdict::undecided)) + " are undecided",
               sentences);
}

Table hypothesis_table(const VerifyAnswer& answer) {
  Table table{"Hypotheses, one by one", {{"row"}, {"hypothesis"}, {"verdict"}, {"found"}}, {}};
  for (const Row& row : answer.rows) {
    for (const Hypothesis& hypothesis : row.hypotheses)
      table.rows.push_back({{row.id}, {hypothesis.name}, {name(hypothesis.verdict)}, {hypothesis.detail}});
  }
  return table;
}

// What is proved about the runs' later steps.
Table bound_table(const VerifyAnswer& answer) {
  Table table{"Bounds at all later steps (enclosed)",
              {{"row"},
               {"iteration"},
               {"theorems"},
               {"at every step from", true},
               {"1 - corr at most", true},
               {"1 - attention at most", true}},
              {}};
  const auto bound = [](const std::optional<Rational>& value) {
    return value ? Cell{decimal_up(*value, 4), approximately(*value)} : Cell{"-"};
  };
  for (const Row& row : answer.rows) {
    if (!row.observation) continue;
    const Observation& seen = *row.observation;
    std::string theorems;
    for (const Observation::Proof& proof : seen.proofs)
      theorems += (theorems.empty() ? "" : ", ") + proof.theorem + " from t = " + std::to_string(proof.t0);
    for (const Observation::Later& later : seen.later) {
      table.rows.push_back({{row.id},
                            {std::string(seen.spec.rule->long_name()) + " from " + seen.start},
                            {theorems},
                            {std::to_string(later.from), static_cast<double>(later.from)},
                            bound(later.one_minus_corr),
                            bound(later.max_one_minus_s)});
    }
  }
  return table;
}

}  // namespace

Table theorem_table(const std::vector<Row>& rows) {
  Table table{
      "Statements of the papers on this dataset", {{"row"}, {"verdict"}, {"statement"}, {"found"}}, {}};
  for (const Row& row : rows) {
    table.rows.push_back({{row.id},
                          {name(row.verdict)},
                          {row.statement + " (arXiv " + row.paper +
                           (row.mark == Mark::recalled ? ", wording recalled)" : ")")},
                          {row.verdict == Verdict::holds ? row.conclusion : row.reason}});
  }
  return table;
}

std::string html(const VerifyAnswer& answer) {
  Page page("Theorems on " + file_name(answer.instance_path));
  add_verdict(page, answer);
  page.section("Results");
  page.paragraph(
      std::string("Setting: ") + name(answer.setting) + ", " + name(answer.loss) +
      " loss. Every verdict and every number of the tables is established in exact or outward-rounded "
      "arithmetic.");
  page.table(theorem_table(answer.rows));
  if (answer.solved) {
    add_margin_problem(page, {answer.data, answer.solved->selection, answer.solved->solution,
                              answer.solved->geometry ? &*answer.solved->geometry : nullptr});
  }
  page.section("Hypotheses and bounds");
  page.table(hypothesis_table(answer));
  if (const Table bounds = bound_table(answer); !bounds.rows.empty()) page.table(bounds);
  Provenance provenance;
  provenance.instance_path = answer.instance_path;
  provenance.instance_sha256 = answer.instance_sha256;
  provenance.make_again = "attest certify " + shell_word(answer.instance_path);
  add_provenance(page, provenance);
  return std::move(page).text();
}

}  // namespace attest
