#include "certify/audits/checkpoint.hpp"

#include <algorithm>

#include "certify/audits/checkpoint_attention.hpp"
#include "certify/audits/input.hpp"
#include "certify/audits/margin_audit.hpp"
#include "certify/audits/weights.hpp"
#include "certify/catalogue/smoothness.hpp"
#include "certify/certificates/forever.hpp"
#include "numerics/forever/forever.hpp"
#include "numerics/margin/conflict_rows.hpp"
#include "numerics/numbers/clock.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

constexpr long solution_bits = 192, direction_bits = 224;
constexpr std::size_t word_planes = 6;

// A theorem that holds from W on, with what its claim states.
struct ProvedHere {
  ForeverProof proof;
  ForeverConclusion conclusion;
};

class CheckpointAudit {
 public:
  CheckpointAudit(const CheckpointRequest& request, const Instance& instance, Loss loss,
                  CheckpointAnswer& answer, AuditWatch& watch)
      : request_(request), instance_(instance), loss_(loss), answer_(answer), watch_(watch) {}

  std::optional<InputError> conduct() {
    try {
      fill_attention(answer_, watch_.budget());
      watch_.something_is_proved();
      if (auto error = judge()) return error;
    } catch (const BudgetReached& reached) {
      answer_.blockage = Blockage::undecided;
      answer_.reason = reached.reason;
    }
    watch_.computed();
    write_claims();
    return std::nullopt;
  }

 private:
  std::optional<InputError> judge() {
    MarginOptions options = margin_options(request_, watch_);
    options.precision_bits = solution_bits;
    answer_.solution = solve_margin_problem(answer_.data, answer_.selection, options);
    const MarginSolution& solution = answer_.solution;
    if (constraint_count(answer_.data) == 0) {
      answer_.blockage = Blockage::vacuous;
    } else if (solution.feasibility == Feasibility::undecided) {
      answer_.reason = solution.reason;
    } else if (solution.feasibility == Feasibility::infeasible) {
      answer_.blockage = Blockage::infeasible;
      answer_.blocking = conflict_rows(solution);
    } else {
      return ask_theorems();
    }
    return std::nullopt;
  }

  std::optional<InputError> ask_theorems() {
    const RunGeometry geometry(answer_.data, word_planes, watch_.budget());
    const auto direction =
        reference_direction(geometry, answer_.selection, answer_.solution, direction_bits, watch_.budget());
    if (!direction) {
      answer_.reason = "precision: the max-margin direction is not enclosed";
      return std::nullopt;
    }
    Result<std::vector<OptimizerSpec>> specs = optimizers();
    if (auto* error = std::get_if<InputError>(&specs)) return std::move(*error);
    for (const OptimizerSpec& spec : std::get<std::vector<OptimizerSpec>>(specs))
      ask(geometry, *direction, spec);
    const bool proved = std::any_of(answer_.training.begin(), answer_.training.end(),
                                    [](const auto& training) { return training.forever.verdict == "holds"; });
    if (proved) {
      answer_.blockage = Blockage::none;
    } else {
      name_blockage();
    }
    return std::nullopt;
  }

  // Does a theorem hold from W on for this rule?
  void ask(const RunGeometry& geometry, const ReferenceDirection& direction, const OptimizerSpec& spec) {
    CheckpointTraining training;
    training.spec = spec;
    const ForeverProver prover(geometry, direction, answer_.solution, spec, watch_.budget());
    training.forever.reason = prover.obstacle();
    if (prover.ready()) {
      const StartPoint<BallNumber> start =
          start_point(prover.facts(), geometry, direction, answer_.weights, Rational(0), 0, watch_.budget());
      correlate(start);
      for (ForeverProof& proof : prover.all(start)) {
        auto conclusion = state_conclusion(geometry, prover.facts(), proof);
        add(training.forever, proof, conclusion);
        if (conclusion) proved_.push_back({std::move(proof), std::move(*conclusion)});
      }
      if (training.forever.proofs.empty() && training.forever.reason.empty()) {
        training.forever.reason = "no theorem's hypotheses hold at W";
        training.shortfall =
            approx_shortfall(geometry, prover.facts(), spec, approximate(start), watch_.budget());
      }
    }
    answer_.training.push_back(std::move(training));
  }

  void add(ForeverAnswer& forever, const ForeverProof& proof,
           const std::optional<ForeverConclusion>& conclusion) {
    const auto dominates = conclusion ? conclusion->dominates_from : std::nullopt;
    if (forever.proofs.empty()) {
      forever.verdict = "holds";
      forever.t0 = 0;
      forever.theorem = proof.name();
      forever.rate = proof.rate();
      forever.kind = "from-point";
      forever.selection = answer_.selection;
    }
    if (dominates && (!forever.dominates_from || *dominates < *forever.dominates_from))
      forever.dominates_from = dominates;
    forever.proofs.push_back({proof.name(), proof.rate(), proof.t0, dominates});
  }

  // 1 - y/||W|| = x^2/(||W|| (||W|| + y)), without cancellation where y > 0.
  void correlate(const StartPoint<BallNumber>& start) {
    const BallNumber norm = sqrt(BallNumber(Ball(*answer_.norm_squared, BallNumber::bits)));
    if (answer_.one_minus_corr || !positive(norm)) return;
    const BallNumber part = positive(start.height)
                                ? start.residual * start.residual / (norm * (norm + start.height))
                                : BallNumber(1.0) - start.height / norm;
    std::optional<Interval> ends = interval_of(part.ball());
    if (!ends) return;
    answer_.one_minus_corr = {std::clamp(ends->lo, Rational(0), Rational(2)),
                              std::clamp(ends->hi, Rational(0), Rational(2))};
  }

  // The rules that are asked about, the loss in all of them the same.
  Result<std::vector<OptimizerSpec>> optimizers() const {
    std::vector<OptimizerSpec> specs;
    for (const UpdateRule* rule : update_rules()) {
      if (!request_.optimizer.empty() && request_.optimizer != rule->word()) continue;
      if (request_.optimizer.empty() && rule->uses_loss_gap() && several_outputs(loss_)) continue;
      RunRequest words;
      words.optimizer = rule->word();
      words.loss = request_.loss;
      words.step = !request_.step.empty() ? request_.step : default_step(*rule);
      if (words.step.empty() && !rule->default_step()) continue;  // beta is not enclosed
      Result<OptimizerSpec> spec = optimizer_spec(words, answer_.data);
      if (auto* error = std::get_if<InputError>(&spec)) return std::move(*error);
      specs.push_back(std::get<OptimizerSpec>(std::move(spec)));
    }
    return specs;
  }

  // Of normalised steps 1/10, of gradient descent 1/beta (T6) rounded down to a short number.
  std::string default_step(const UpdateRule& rule) const {
    if (rule.default_step()) return {};
    if (rule.length() == StepLength::constant) return "1/10";
    const auto beta = sharp_smoothness(answer_.data, loss_, watch_.budget());
    if (!beta || beta->hi <= 0) return {};
    return certificate_number(dyadic_below((1 - power_of_two(-30)) / beta->hi, 10));
  }

  // Why no theorem applies, and because of which tokens.
  void name_blockage() {
    const MarginSolution& solution = answer_.solution;
    if (!solution.locally_optimal) {
      answer_.reason = "precision: which tokens are in the support is open";
      return;
    }
    if (!*solution.locally_optimal) {
      answer_.blockage = Blockage::not_locally_optimal;
      if (solution.support) {
        for (const Constraint& c : *solution.support) {
          if (score_gap(answer_.data, answer_.selection, c) <= 0) answer_.blocking.push_back(c);
        }
      } else if (solution.local_witness) {
        answer_.blocking.push_back(*solution.local_witness);
      }
      return;
    }
    const MarginShortfall* nearest = answer_.least_shortfall();
    if (nearest == nullptr) {
      answer_.blockage = Blockage::other;
      if (!answer_.training.empty()) answer_.reason = answer_.training.front().forever.reason;
      return;
    }
    answer_.blockage = Blockage::margins;
    answer_.blocking = nearest->below;
  }

  void write_claims() {
    CertifiedFacts facts;
    facts.instance = &instance_;
    facts.data = &answer_.data;
    facts.selection = &answer_.selection;
    facts.solution = &answer_.solution;
    facts.loss = name(loss_);
    facts.more = [&](CertificateText& text, std::size_t problem, std::size_t optimum) {
      if (optimum == 0) return;
      for (const ProvedHere& here : proved_)
        write_forever_claim(text, problem, optimum, 0, answer_.weights, here.proof, here.conclusion);
    };
    if (answer_.selection.size() == answer_.data.groups()) answer_.certificate = write_certificate(facts);
  }

  const CheckpointRequest& request_;
  const Instance& instance_;
  Loss loss_;
  CheckpointAnswer& answer_;
  AuditWatch& watch_;
  std::vector<ProvedHere> proved_;
};

// W of the request, exactly.
Result<ExactArray> layer(const CheckpointRequest& request, const TokenData& data, AuditWatch& watch) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  if (request.weights.given()) {
    Result<WeightMatrix> w = read_weights(request.weights, "W", d, e, request.memory_limit);
    if (auto* error = std::get_if<InputError>(&w)) return std::move(*error);
    return std::move(std::get<WeightMatrix>(w).entries);
  }
  Result<WeightMatrix> keys = read_weights(request.keys, "K", d, std::nullopt, request.memory_limit);
  if (auto* error = std::get_if<InputError>(&keys)) return std::move(*error);
  const std::size_t m = std::get<WeightMatrix>(keys).columns;
  Result<WeightMatrix> queries = read_weights(request.queries, "Q", e, m, request.memory_limit);
  if (auto* error = std::get_if<InputError>(&queries)) return std::move(*error);
  return matrix_product(std::get<WeightMatrix>(keys).entries, std::get<WeightMatrix>(queries).entries, d, e,
                        m, watch.budget());
}

std::optional<InputError> wrong_options(const CheckpointRequest& request) {
  if (!request.weights.given() && !(request.keys.given() && request.queries.given()))
    return bad_option("--W", "give --W FILE, or --K FILE and --Q FILE");
  if (request.weights.given() && (request.keys.given() || request.queries.given()))
    return bad_option("--W", "excludes --K and --Q");
  if (request.decoder.given() && !request.certificate.empty())
    return bad_option("--output",
                      "a certificate speaks of the dataset's own v: put the new one there and leave --v out");
  if (!request.step.empty() && request.optimizer.empty()) return bad_option("--step", "needs --optimizer");
  return std::nullopt;
}

std::optional<InputError> replace_decoder(Instance& instance, const CheckpointRequest& request) {
  if (!request.decoder.given()) return std::nullopt;
  if (instance.scores) return bad_option("--v", "the instance gives its scores, which no v changes");
  if (!instance.y.empty()) return bad_option("--v", "the instance's head, cross-entropy, has no v");
  if (instance.outputs) return bad_option("--v", "the instance's head has several outputs and no v");
  Result<WeightMatrix> v = read_weights(request.decoder, "v", instance.dimension, 1, request.memory_limit);
  if (auto* error = std::get_if<InputError>(&v)) return std::move(*error);
  instance.v = std::move(std::get<WeightMatrix>(v).entries);
  return std::nullopt;
}

}  // namespace

const MarginShortfall* CheckpointAnswer::least_shortfall() const {
  const MarginShortfall* least = nullptr;
  for (const CheckpointTraining& one : training) {
    if (one.shortfall && (least == nullptr || one.shortfall->level < least->level)) least = &*one.shortfall;
  }
  return least;
}

Result<CheckpointAnswer> checkpoint(const CheckpointRequest& request, AuditWatch& watch) {
  const Clock::time_point began = Clock::now();
  OutputFiles files(request.force, watch.signals());
  files.input(request.instance);
  for (const std::string& path :
       {request.weights.path, request.keys.path, request.queries.path, request.decoder.path})
    files.input(weight_file(path));
  files.output(request.certificate, FileKind::certificate);
  files.output(request.report.path, FileKind::report);
  if (auto error = wrong_options(request)) return std::move(*error);
  if (auto error = files.check()) return std::move(*error);
  Result<Instance> read = read_input(request.instance, request.held, request.memory_limit, watch);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  Instance& instance = std::get<Instance>(read);
  if (auto error = replace_decoder(instance, request)) return std::move(*error);
  CheckpointAnswer answer;
  answer.instance_path = request.instance;
  answer.instance_sha256 = canonical_sha256(instance);
  answer.setting = instance.setting;
  answer.factored = !request.weights.given();
  answer.file.wanted = request.certificate;
  answer.data = token_data(instance);
  if (answer.factored && instance.setting == Setting::prompt)
    return bad_option("--K", "a prompt has one vector and no factors: give --W FILE");
  Result<ExactArray> weights = layer(request, answer.data, watch);
  if (auto* error = std::get_if<InputError>(&weights)) return std::move(*error);
  answer.weights = std::get<ExactArray>(std::move(weights));
  Result<Loss> loss = training_loss(answer.data, request.loss);
  if (auto* error = std::get_if<InputError>(&loss)) return std::move(*error);
  CheckpointAudit audit(request, instance, std::get<Loss>(loss), answer, watch);
  if (auto error = audit.conduct()) return std::move(*error);
  if (auto error = files.unchanged()) return std::move(*error);
  if (auto error = write_answer(request.report, answer, files, began)) return std::move(*error);
  return answer;
}

}  // namespace attest
