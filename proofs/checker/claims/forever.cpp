// Claim kinds forever-from-point and forever-from-run: what holds for all later steps of the exact iteration
// (RUNS.md sections 1 and 5).
#include "proofs/checker/forever/theorems.hpp"
#include "proofs/checker/runs/fact.hpp"

namespace attest_check {
namespace {

constexpr unsigned working_bits = 384;  // attest-check-verified has 320, and is nowhere sharper

// Nothing for T14, whose region the evidence names.
std::optional<Theorem> read_theorem(Line& line) {
  line.expect("theorem");
  if (line.accept("absorbing")) return Theorem::absorbing;
  if (line.accept("local")) return Theorem::local;
  if (line.accept("bounded")) return Theorem::bounded;
  if (line.accept("residual")) return std::nullopt;
  line.expect("lock-in");
  return Theorem::lock_in;
}

Theorem read_region(SpanEvidence& span, CertificateText& text) {
  Line line = text.next();
  line.expect("region");
  const bool local = line.accept("local");
  if (!local) line.expect("absorbing");
  line.expect("path");
  span.path = line.rational();
  line.finish();
  Line eigenvalue = text.next();
  span.eigenvalue = eigenvalue.eigenvalue_bound();
  eigenvalue.finish();
  return local ? Theorem::local : Theorem::absorbing;
}

std::optional<std::size_t> read_domination(Line& line) {
  line.expect("dominates-from");
  std::optional<std::size_t> from;
  if (!line.accept("none")) from = line.index();
  line.finish();
  return from;
}

// "outside count", then the constraints.
std::vector<Constraint> read_outside(const Problem& problem, CertificateText& text) {
  Line line = text.next();
  line.expect("outside");
  const std::size_t count = line.index();
  line.finish();
  return text.constraints(problem, count);
}

ForeverEvidence read_evidence(std::optional<Theorem> named, const Problem& problem, CertificateText& text) {
  const Features& features = *problem.features;
  ForeverEvidence evidence;
  const Theorem theorem = named ? *named : read_region(evidence.span.emplace(), text);
  evidence.theorem = theorem;
  if (theorem != Theorem::lock_in) {
    Line line = text.next();
    line.expect("step-bound");
    evidence.step_bound = line.rational();
    if (theorem != Theorem::absorbing) {
      line.expect("ratio");
      evidence.ratio = line.rational();
    }
    if (theorem == Theorem::local) {
      line.expect("extra");
      evidence.extra = line.rational();
      line.expect("theta");
      evidence.theta = line.rational();
    } else if (theorem == Theorem::bounded) {
      line.expect("reach");
      evidence.reach = line.rational();
    }
    line.finish();
    if (theorem == Theorem::bounded) {
      Line eigenvalue = text.next();
      evidence.eigenvalue = eigenvalue.eigenvalue_bound();
      eigenvalue.finish();
      evidence.pull = text.vector(problem, "pull");
    }
    if (theorem != Theorem::absorbing) evidence.outside = read_outside(problem, text);
  }
  Line ranges = text.next();
  ranges.expect("ranges");
  const std::size_t count = ranges.index();
  ranges.finish();
  std::size_t read = 0;
  for (std::size_t i = 0; i < features.groups(); ++i) {
    if (features.tokens_of(i) == 1) continue;
    if (++read > count) ranges.bad("every group with more than one token is listed");
    Line line = text.next();
    line.expect("group");
    if (line.index() != i) line.bad("expected group " + std::to_string(i));
    if (theorem == Theorem::lock_in || theorem == Theorem::absorbing) {
      line.expect(theorem == Theorem::lock_in ? "floor" : "output");
      evidence.output.push_back(line.rational());
    }
    if (theorem != Theorem::lock_in) {
      line.expect("attention");
      evidence.attention.push_back(line.rational());
    }
    line.finish();
  }
  if (read != count) ranges.bad("only groups with more than one token are listed");
  return evidence;
}

ForeverConclusion read_conclusion(std::optional<std::size_t> dominates_from, CertificateText& text) {
  ForeverConclusion conclusion;
  conclusion.dominates_from = dominates_from;
  Line line = text.next();
  line.expect("path");
  conclusion.path = line.rational();
  line.expect("excess");
  conclusion.excess = line.rational();
  line.expect("centre");
  conclusion.centre = line.rational();
  line.expect("height");
  conclusion.height = line.rational();
  line.expect("growth");
  conclusion.logarithmic = line.accept("logarithmic");
  if (!conclusion.logarithmic) line.expect("linear");
  conclusion.growth = line.rational();
  line.finish();
  return conclusion;
}

// "theorem … dominates-from …", the end of the claim's first line.
std::string words(const ForeverEvidence& evidence, const ForeverConclusion& conclusion) {
  constexpr const char* theorems[] = {"absorbing", "local", "lock-in", "bounded"};
  const std::string theorem =
      evidence.span ? "residual" : theorems[static_cast<std::size_t>(evidence.theorem)];
  const std::optional<std::size_t>& from = conclusion.dominates_from;
  return "theorem " + theorem + " dominates-from " + (from ? std::to_string(*from) : "none");
}

// "path … growth …".
std::string words(const ForeverConclusion& conclusion) {
  return "path " + canonical(conclusion.path) + " excess " + canonical(conclusion.excess) + " centre " +
         canonical(conclusion.centre) + " height " + canonical(conclusion.height) + " growth " +
         (conclusion.logarithmic ? "logarithmic " : "linear ") + canonical(conclusion.growth);
}

// Rejects the claim where the checker's own precision does not reach.
template <class Function>
void require_precise(const Claim& claim, Function&& check) {
  try {
    check();
  } catch (const Imprecise&) {
    claim.fail("a number is not bounded away from 0");
  }
}

}  // namespace

Check read_forever_from_point(const Claim& claim, Line& line, CertificateText& text) {
  const std::size_t cited = claim.read_citation(line);
  const std::optional<Theorem> theorem = read_theorem(line);
  const std::optional<std::size_t> dominates_from = read_domination(line);
  Line specification_line = text.next();
  const Specification specification = read_specification(specification_line);
  specification_line.finish();
  StartPoint start = read_start(text, *claim.problem.features);
  ForeverEvidence evidence = read_evidence(theorem, claim.problem, text);
  ForeverConclusion conclusion = read_conclusion(dominates_from, text);
  return [=, &claim, start = std::move(start)] {
    claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
    require_precise(claim, [&] {
      const ReferenceDirection direction = reference_direction(claim, claim.cite(cited), working_bits, true);
      require_forever(claim, direction, specification, 0, start_point_facts(direction, start, working_bits),
                      evidence, conclusion);
    });
    return proved("from", cited, words(evidence, conclusion), words(specification), words(start),
                  words(conclusion));
  };
}

Check read_forever_from_run(const Claim& claim, Line& line, CertificateText& text) {
  const std::size_t cited = claim.read_citation(line);
  const std::size_t run = claim.read_citation(line, "run");
  line.expect("at");
  const std::size_t step = line.index();
  const std::optional<Theorem> theorem = read_theorem(line);
  const std::optional<std::size_t> dominates_from = read_domination(line);
  ForeverEvidence evidence = read_evidence(theorem, claim.problem, text);
  ForeverConclusion conclusion = read_conclusion(dominates_from, text);
  return [=, &claim] {
    const auto& fact = claim.cite_as<RunFact>(run, "run");
    const auto point = fact.points.find(step);
    claim.require(point != fact.points.end(),
                  "step " + std::to_string(step) + " is not a checkpoint of the run");
    require_precise(claim, [&] {
      const ReferenceDirection direction = reference_direction(claim, claim.cite(cited), working_bits, true);
      require_forever(claim, direction, fact.specification, step, point->second, evidence, conclusion);
    });
    return proved("from", cited, "run", run, "at", step, words(evidence, conclusion), fact.run(),
                  words(conclusion));
  };
}

}  // namespace attest_check
