#include "certify/reports/html/path.hpp"

#include <algorithm>
#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/html/margins.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/path.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

// What the theorem bounds, of W on the path at radius r.
std::string bounded(const PathAnswer& answer) {
  return answer.norm.kind == NormKind::frobenius ? "1 - correlation"
                                                 : "1 - <n, W>/r, n any solution of the dual problem,";
}

void add_verdict(Page& page, const PathAnswer& answer) {
  if (answer.bound) {
    page.verdict(Tone::good, "The regularisation path is bounded for every radius",
                 {"From the radius r = " + decimal_up(answer.bound->from_radius, 8) +
                      " on every minimiser W of the training loss over the ball of radius r is near the "
                      "max-margin direction:",
                  bounded(answer) + " is at most " + decimal_up(answer.bound->rate_constant, 8) + "/r."});
    return;
  }
  std::vector<std::string> sentences = {path_reason(answer) + "."};
  if (const std::string way = path_advice(answer); !way.empty())
    sentences.push_back("A way on: " + way + ".");
  page.verdict(answer.decided() ? Tone::bad : Tone::open,
               answer.decided() ? "The theorem does not apply" : "Undecided", sentences);
}

// The bounds over three powers of ten, and two beyond where the sharper one begins.
Chart bound_chart(const PathAnswer& answer) {
  const PathBound& bound = *answer.bound;
  Chart chart;
  chart.title = bounded(answer) + " of every minimiser W of the loss";
  chart.description =
      "The proved bound against the radius of the ball, both on logarithmic axes: it holds for all "
      "minimisers and at every radius to the right, too.";
  ChartLine line{"proved bound, constant over r", Hue::vermillion, Dash::dashed, 2, {}};
  const double from = approximately(bound.from_radius), constant = approximately(bound.rate_constant);
  const double to =
      std::max(1000 * from, answer.residual ? 100 * approximately(answer.residual->from_radius) : 0);
  for (double r = from; r <= to; r *= 1.1) line.points.emplace_back(r, constant / r);
  chart.x = {"radius r", true, from, to};
  chart.y = {answer.norm.kind == NormKind::frobenius ? "1 - correlation" : "1 - <n, W>/r", true,
             constant / to, constant / from};
  chart.lines.push_back(std::move(line));
  if (!answer.residual) return chart;
  ChartLine square{"proved bound, constant over r squared", Hue::blue, Dash::solid, 2, {}};
  const double later = approximately(answer.residual->from_radius),
               factor = approximately(answer.residual->rate_constant);
  for (double r = later; r <= to; r *= 1.1) square.points.emplace_back(r, factor / (r * r));
  chart.y.least = std::min(chart.y.least, factor / (to * to));
  chart.lines.push_back(std::move(square));
  return chart;
}

}  // namespace

std::string html(const PathAnswer& answer) {
  Page page("Regularisation path of " + file_name(answer.instance_path));
  add_verdict(page, answer);
  page.section("Results");
  std::vector<Fact> facts = {{"problem", path_problem(answer)}};
  if (answer.bound) {
    facts.push_back({"from radius", decimal_up(answer.bound->from_radius, 8), Level::exact});
    facts.push_back(
        {bounded(answer) + " times r, at most", decimal_up(answer.bound->rate_constant, 8), Level::exact});
  }
  if (answer.residual) {
    facts.push_back(
        {"from radius " + decimal_up(answer.residual->from_radius, 8) + " on, distance from the ray, at most",
         decimal_up(answer.residual->residual, 8), Level::exact});
    facts.push_back({"there, 1 - correlation times r squared, at most",
                     decimal_up(answer.residual->rate_constant, 8), Level::exact});
  }
  const std::vector<Fact> solved = solution_facts(answer.solution, "W*");
  facts.insert(facts.end(), solved.begin(), solved.end());
  page.facts("What is proved", facts);
  if (answer.bound && approximately(answer.bound->from_radius) > 0) page.figure(bound_chart(answer));
  const MarginFacts problem{answer.data, answer.selection, answer.solution, nullptr};
  if (answer.outcome == PathOutcome::infeasible) add_margin_problem(page, problem);
  const auto support = deciding_rows(answer.solution, "Support tokens: margin exactly 1 at W*");
  if (answer.bound && support) {
    page.figure(token_map(problem));
    page.table(*support);
  }
  add_provenance(page, provenance_of(answer, "attest path"));
  return std::move(page).text();
}

}  // namespace attest
