#include "certify/certificates/forever.hpp"

#include "certify/certificates/run.hpp"
#include "certify/certificates/stated_bounds.hpp"

namespace attest {
namespace {

BallNumber ball(const Rational& x) {
  return BallNumber(Ball(x, BallNumber::bits));
}

// A rate that is a constant of the theorem's hypotheses is exact, and is written as it was proved.
std::optional<Rational> stated_rate(const BallNumber& rate) {
  if (arb_is_exact(rate.ball().raw()) == 0) return stated_above(rate);
  const auto ends = interval_of(rate.ball());
  return ends ? std::optional(ends->lo) : std::nullopt;
}

}  // namespace

std::optional<ForeverConclusion> state_conclusion(const RunGeometry& geometry,
                                                  const SelectionFacts<BallNumber>& facts,
                                                  const ForeverProof& proof) {
  const auto excess = stated_above(proof.path_offset), centre = stated_above(proof.centre_norm);
  const auto height = stated_below(proof.start_height), growth = stated_below(proof.growth);
  const auto path = stated_rate(proof.path_rate);
  if (!excess || !centre || !height || !growth || !path || *growth <= 0) return std::nullopt;
  ForeverConclusion conclusion;
  conclusion.path = *path;
  conclusion.excess = *excess;
  conclusion.centre = *centre;
  conclusion.height = *height;
  conclusion.growth = *growth;
  ForeverProof stated = proof;
  stated.path_rate = ball(*path);
  stated.path_offset = ball(*excess);
  stated.growth = ball(*growth);
  std::vector<Rational> floors;
  for (const BallNumber& proved : proof.floors) {
    const auto floor = interval_of(proved.ball());
    if (!floor) return std::nullopt;
    floors.push_back(floor->lo);
  }
  auto evidence = state_evidence(geometry, facts, proof, floors);
  if (!evidence) return std::nullopt;
  conclusion.evidence = std::move(*evidence);
  conclusion.dominates_from = stated.dominates_from(facts);
  return conclusion;
}

std::size_t write_forever_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                                std::size_t run, const ExactArray& start, const ForeverProof& proof,
                                const ForeverConclusion& conclusion) {
  const bool from_point = proof.t0 == 0;
  const std::string place =
      from_point ? "" : " run " + std::to_string(run) + " at " + std::to_string(proof.t0);
  const std::size_t claim =
      text.claim(from_point ? "forever-from-point" : "forever-from-run", problem,
                 "from " + std::to_string(optimum) + place + " theorem " + conclusion.evidence.theorem +
                     " dominates-from " +
                     (conclusion.dominates_from ? std::to_string(*conclusion.dominates_from) : "none"));
  if (from_point) {
    text.line(specification_line(proof.steps.spec));
    text.line(start_line(start));
  }
  conclusion.evidence.write(text);
  text.line("path " + certificate_number(conclusion.path) + " excess " +
            certificate_number(conclusion.excess) + " centre " + certificate_number(conclusion.centre) +
            " height " + certificate_number(conclusion.height) + " growth " +
            (proof.logarithmic ? "logarithmic " : "linear ") + certificate_number(conclusion.growth));
  return claim;
}

}  // namespace attest
