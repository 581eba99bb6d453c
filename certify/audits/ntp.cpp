#include "certify/audits/ntp.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "certify/audits/margin_audit.hpp"
#include "certify/audits/next_token_rows.hpp"
#include "certify/audits/run_request.hpp"
#include "certify/certificates/next_token.hpp"
#include "certify/instance/npy.hpp"
#include "certify/instance/zip.hpp"
#include "numerics/next_token/shift.hpp"
#include "numerics/next_token/stages.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {
namespace {

struct Embeddings {
  ExactArray rows;
  std::size_t count = 0;
};

// A row for each token; ids need not all occur.
Result<Embeddings> read_embeddings(const std::string& path, const Vocabulary& vocabulary,
                                   const ReadLimits& limits) {
  try {
    RawArray rows = decode_npy(read_file(path, limits), "embeddings");
    const bool fits = !rows.text && rows.shape.size() == 2 && rows.shape[1] != 0 &&
                      (rows.shape[0] == vocabulary.size() ||
                       (rows.shape[0] > vocabulary.size() && vocabulary.kind() == TokenKind::ids));
    if (!fits) {
      fail_input(
          "expected an array of a row for each of the " + std::to_string(vocabulary.size()) + " tokens",
          "embeddings");
    }
    for (std::size_t k = 0; k < rows.values.size(); ++k) {
      if (!rows.values.finite(k)) fail_input("not a finite number", "embeddings", rows.index(k));
    }
    return Embeddings{std::move(rows.values).take(), rows.shape[0]};
  } catch (InputFailure& failure) {
    failure.error.file = path;
    return std::move(failure.error);
  }
}

class NextTokenAudit {
 public:
  NextTokenAudit(const NtpRequest& request, AuditWatch& watch)
      : request_(request), watch_(watch), files_(request.force, watch.signals()) {
    limits_.memory_bytes = request.memory_limit;
  }

  Result<NtpAnswer> run() {
    const Clock::time_point start = Clock::now();
    if (auto error = read_step("--step", request_.step, answer_.step)) return std::move(*error);
    if (auto error = read_step("--attention-step", request_.attention_step, answer_.attention_step))
      return std::move(*error);
    answer_.steps = request_.steps;
    answer_.one_hot = request_.embeddings.empty();
    if (auto error = declare_files()) return std::move(*error);
    if (auto error = read()) return std::move(*error);
    watch_.input_is_read();
    answer_.collocation = find_collocation(answer_.text, watch_.budget());
    const bool fits = answer_.fits();
    const auto& conflict = answer_.collocation.conflict;
    if (fits) add_pairs();
    if (fits || (conflict && conflict->kind == CollocationConflict::Kind::given_order)) {
      answer_.orders = token_orders(answer_.groups, answer_.collocation.collocation);
      answer_.cycle = shortest_cycle(answer_.orders);
      if (answer_.cycle && answer_.one_hot) solve_components();
    }
    if (fits) {
      solve();
      train();
      if (auto error = train_embedded()) return std::move(*error);
      watch_.computed();
      if (auto error = predict()) return std::move(*error);
      if (auto error = write()) return std::move(*error);
    } else {
      watch_.computed();
    }
    answer_.theorems = next_token_rows(answer_);
    answer_.total_seconds = seconds_since(start);
    return std::move(answer_);
  }

 private:
  using Error = std::optional<InputError>;

  std::string output(const char* ending) const {
    return request_.prefix.empty() ? std::string() : request_.prefix + ending;
  }

  static Error read_step(const char* option, const std::string& text, Rational& into) {
    Result<Rational> step = exact_option(option, text);
    if (auto* error = std::get_if<InputError>(&step)) return std::move(*error);
    into = std::get<Rational>(std::move(step));
    if (into <= 0) return bad_option(option, "must be positive");
    return std::nullopt;
  }

  Error declare_files() {
    for (const std::string& path :
         {request_.file, request_.embeddings, request_.collocation, request_.shift}) {
      if (!path.empty()) files_.input(path);
    }
    files_.output(output(".npz"), FileKind::instance);
    files_.output(output("-feed-forward.cert"), FileKind::certificate);
    files_.output(output("-attention.cert"), FileKind::certificate);
    if (answer_.one_hot) files_.output(output("-training.cert"), FileKind::certificate);
    if (!answer_.one_hot && request_.steps > 0 && !request_.prefix.empty())
      declare_embedded_training(files_, request_.prefix);
    return files_.check();
  }

  Error read() {
    answer_.file = request_.file;
    answer_.vocabulary.emplace(request_.tokens);
    Vocabulary& vocabulary = *answer_.vocabulary;
    Result<TextSentences> text = read_text_sentences(request_.file, vocabulary, limits_);
    if (auto* error = std::get_if<InputError>(&text)) return std::move(*error);
    add_sentences(std::get<TextSentences>(std::move(text)));
    answer_.sentences = answer_.text.sentence.size();
    for (const auto& sentence : answer_.text.sentence) answer_.tokens += sentence.size();
    if (!request_.collocation.empty()) {
      Result<TextSentences> pairs = read_text_sentences(request_.collocation, vocabulary, limits_);
      if (auto* error = std::get_if<InputError>(&pairs)) return std::move(*error);
      TextSentences& said = std::get<TextSentences>(pairs);
      for (std::size_t k = 0; k < said.sentence.size(); ++k) {
        if (said.sentence[k].size() == 2) continue;
        return InputError{InputError::Kind::malformed,
                          request_.collocation,
                          {},
                          {},
                          "line " + std::to_string(said.line[k]) + " is not a pair of tokens"};
      }
      said.line.assign(said.line.size(), 0);
      add_sentences(std::move(said));
    }
    answer_.text.vocabulary = vocabulary.size();
    answer_.groups = attention_groups(answer_.text);
    if (request_.embeddings.empty()) return std::nullopt;
    Result<Embeddings> read = read_embeddings(request_.embeddings, vocabulary, limits_);
    if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
    embeddings_ = std::move(std::get<Embeddings>(read).rows);
    answer_.text.vocabulary = std::get<Embeddings>(read).count;
    return std::nullopt;
  }

  void add_sentences(TextSentences added) {
    std::move(added.sentence.begin(), added.sentence.end(), std::back_inserter(answer_.text.sentence));
    answer_.line.insert(answer_.line.end(), added.line.begin(), added.line.end());
  }

  // So that the instance itself says which tokens are to be selected.
  void add_pairs() {
    const Collocation said = said_collocation(answer_.text);
    for (const auto& [x, next] : answer_.collocation.collocation.pairs()) {
      if (said.next(x)) continue;
      answer_.text.sentence.push_back({x, next});
      answer_.line.push_back(0);
    }
  }

  void solve() {
    const Collocation& pairs = answer_.collocation.collocation;
    const bool one_hot = embeddings_.empty();
    certify_stage(
        answer_.feed_forward, "-feed-forward.cert",
        [&] { return feed_forward_problem(answer_.text, pairs, embeddings_, watch_.budget()); },
        [&](const StageProblem& problem) {
          return one_hot ? solve_one_hot_feed_forward(problem)
                         : solve_margin_problem(problem.data, problem.selection, options());
        });
    certify_stage(
        answer_.attention, "-attention.cert",
        [&] { return attention_problem(answer_.text, answer_.groups, pairs, embeddings_, watch_.budget()); },
        [&](const StageProblem& problem) {
          // Its rows are rows of the problem unless embeddings are equal.
          if (answer_.cycle && problem.data.multiplicities.empty()) return infeasible_by(*answer_.cycle);
          return one_hot ? solve_one_hot_attention(answer_.orders, options())
                         : solve_margin_problem(problem.data, problem.selection, options());
        });
  }

  void solve_components() {
    answer_.components = solve_component_form(answer_.orders, options());
    try {
      answer_.finite = enclose_finite_logits(answer_.text, answer_.groups, answer_.collocation.collocation,
                                             watch_.budget());
    } catch (const BudgetReached& reached) {
      answer_.finite.emplace().reason = reached.reason;
    }
  }

  // The feed-forward stage in closed form: after t steps W_ov is s t W*/||W*||, and along W* the output n(x)
  // is 1 above all others.
  void train() {
    const std::optional<ExactOptimum>& fed = answer_.feed_forward->solution.exact;
    if (request_.steps == 0 || !answer_.one_hot || !fed || fed->multipliers.size() == 0) return;
    watch_.something_is_proved();
    const Rational length = answer_.step * Rational(request_.steps);
    NtpTraining& training = answer_.training.emplace();
    training.squared_scale = length * length / fed->norm_squared;
    training.outputs = answer_.text.vocabulary;
    const std::optional<ExactOptimum>& optimum = answer_.attention->solution.exact;
    if (!optimum || optimum->multipliers.size() == 0) return;
    stage_.emplace(answer_.text, answer_.groups, answer_.collocation.collocation);
    training.attention =
        train_attention(*stage_, AttentionOptimum(*stage_, *optimum),
                        {training.squared_scale, answer_.attention_step, request_.steps}, watch_.budget(),
                        [&](std::uint64_t step, std::uint64_t steps) { watch_.stepping(step, steps); });
  }

  Error train_embedded() {
    const auto solved = [](const std::optional<CertifyAnswer>& stage) {
      return stage->solution.feasibility == Feasibility::feasible;
    };
    if (request_.steps == 0 || answer_.one_hot || !solved(answer_.feed_forward) ||
        !solved(answer_.attention) || constraint_count(answer_.feed_forward->data) == 0)
      return std::nullopt;
    Result<EmbeddedTraining> trained = train_with_embeddings(request_, answer_, watch_);
    if (auto* error = std::get_if<InputError>(&trained)) return std::move(*error);
    answer_.embedded = std::get<EmbeddedTraining>(std::move(trained));
    return std::nullopt;
  }

  MarginOptions options() { return margin_options(request_, watch_); }

  // A stage whose problem the memory does not hold, or the time, is undecided.
  template <class Problem, class Solve>
  void certify_stage(std::optional<CertifyAnswer>& into, const char* ending, Problem make, Solve solve) {
    const Clock::time_point start = Clock::now();
    CertifyAnswer& stage = into.emplace();
    stage.instance_path = request_.file;
    stage.loss = "none";
    stage.precision_bits = 128;
    stage.file.wanted = output(ending);
    try {
      StageProblem problem = make();
      stage.solution = solve(problem);
      stage.data = std::move(problem.data);
      stage.selection = std::move(problem.selection);
      stage.merged = equal_tokens(stage.data);
    } catch (const BudgetReached& reached) {
      stage.data = {};
      stage.data.first_row = {0};
      stage.solution.reason = reached.reason;
    }
    stage.solve_seconds = stage.total_seconds = seconds_since(start);
  }

  Error predict() {
    if (request_.shift.empty()) return std::nullopt;
    Vocabulary extended = *answer_.vocabulary;
    Result<TextSentences> text = read_text_sentences(request_.shift, extended, limits_);
    if (auto* error = std::get_if<InputError>(&text)) return std::move(*error);
    const TextSentences& shifted = std::get<TextSentences>(text);
    const std::optional<ExactOptimum>& optimum = answer_.attention->solution.exact;
    const Collocation& pairs = answer_.collocation.collocation;
    const LimitAttention attention(answer_.groups, pairs, optimum ? *optimum : ExactOptimum{}, embeddings_,
                                   answer_.text.vocabulary);
    for (std::size_t k = 0; k < shifted.sentence.size(); ++k) {
      std::vector<TokenId> context = shifted.sentence[k];
      ShiftedPrediction& prediction = answer_.shift.emplace_back();
      prediction.line = shifted.line[k];
      prediction.expected = extended.label(context.back());
      context.pop_back();
      const auto x = optimum ? attention.selected(context) : std::nullopt;
      const auto next = x ? pairs.next(*x) : std::nullopt;
      if (!next) continue;
      prediction.predicted = extended.label(*next);
      prediction.from = predicted_from(attention, context, *x);
      shifted_.push_back({std::move(context), *next, prediction.from});
    }
    return std::nullopt;
  }

  // The first step from which on x has the most attention of the context at every step, as far as is proved.
  std::optional<std::uint64_t> predicted_from(const LimitAttention& limit,
                                              const std::vector<TokenId>& context, TokenId x) const {
    if (!answer_.training || !answer_.training->attention || !answer_.training->attention->limit)
      return std::nullopt;
    std::uint64_t from = answer_.training->attention->lock_in->from();
    for (const TokenId other : std::set<TokenId>(context.begin(), context.end())) {
      if (other == x) continue;
      const auto step = wins_from(limit, context, x, other);
      if (!step) return std::nullopt;
      from = std::max(from, *step);
    }
    return from;
  }

  // The same for one of the others: along rows of the order, else by the limit. W's entry of a pair that no
  // sentence had stays 0.
  std::optional<std::uint64_t> wins_from(const LimitAttention& limit, const std::vector<TokenId>& context,
                                         TokenId x, TokenId other) const {
    const AttentionTraining& trained = *answer_.training->attention;
    const auto entry = [&](TokenId token) {
      const auto at = stage_->entry.find({context.back(), token});
      return at == stage_->entry.end() ? std::nullopt : std::optional(at->second);
    };
    const auto count = [&](TokenId token) {
      return number(Rational(std::count(context.begin(), context.end(), token)));
    };
    const BallNumber more = log(count(x) / count(other));
    const auto winner = entry(x), loser = entry(other);
    if (winner && loser) {
      const auto margin = trained.lock_in->margin(*stage_, *winner, *loser);
      if (margin && positive(*margin + more)) return trained.lock_in->from();
    }
    const std::vector<BallNumber>& entries = trained.limit->entries();
    const auto value = [&](const auto& at) { return at ? entries[*at] : BallNumber(0.0); };
    const Rational rate = limit.entry(context.back(), x) - limit.entry(context.back(), other);
    const BallNumber norm = sqrt(number(answer_.attention->solution.exact->norm_squared));
    return trained.limit->positive_from(number(rate) / norm, value(winner) - value(loser), more);
  }

  Error write() {
    const SentenceData data{answer_.text, embeddings_};
    const std::string sha256 = canonical_sha256(data);
    for (auto [stage, word] :
         {std::pair{&answer_.feed_forward, "feed-forward"}, {&answer_.attention, "attention"}}) {
      CertifyAnswer& found = **stage;
      if (found.solution.feasibility == Feasibility::undecided) continue;
      found.certificate = write_stage_certificate(certified_facts(found), word, sha256);
      if (auto error = write_certificate_file(found.certificate, files_, found.file)) return error;
    }
    if (auto error = write_training(sha256)) return error;
    if (request_.prefix.empty()) return std::nullopt;
    try {
      if (auto error = files_.write(output(".npz"), make_zip(sentence_members(data)))) return error;
    } catch (InputFailure& failure) {
      failure.error.file = request_.embeddings;
      return std::move(failure.error);
    }
    answer_.instance = output(".npz");
    return std::nullopt;
  }

  // What was found of the training with one-hot embeddings, and of shifted sentences.
  Error write_training(const std::string& sha256) {
    if (!answer_.one_hot || request_.prefix.empty()) return std::nullopt;
    TrainingFacts facts;
    facts.sha256 = sha256;
    const CertifyAnswer &fed = *answer_.feed_forward, &attention = *answer_.attention;
    if (answer_.training) {
      facts.feed_forward = {&fed.selection, fed.solution.exact->norm_squared, answer_.training->outputs,
                            answer_.step, answer_.steps};
    }
    if (attention.solution.exact && attention.solution.exact->multipliers.size() > 0) {
      facts.attention = {
          &attention.selection, &*attention.solution.exact, nullptr, answer_.attention_step, 0, shifted_};
      add_replay(*facts.attention);
    }
    answer_.training_file.wanted = output("-training.cert");
    answer_.training_certificate = write_training_certificate(facts);
    return write_certificate_file(answer_.training_certificate, files_, answer_.training_file);
  }

  // The attention stage's run, if it takes no more bits than a certificate may ask for.
  void add_replay(TrainingFacts::Attention& stage) {
    if (!answer_.training || !answer_.training->attention) return;
    const AttentionTraining& trained = *answer_.training->attention;
    if (trained.checkpoints.empty()) return;
    const double bits = 192 + 1.1 * trained.checkpoints.back().entry_growth;
    if (bits < 65536) {
      stage.bits = 32 * static_cast<long>(std::ceil(bits / 32));
      stage.training = &trained;
    } else {
      answer_.training_reason = "precision: a replay entry by entry takes more than 65536 bits";
    }
  }

  const NtpRequest& request_;
  AuditWatch& watch_;
  OutputFiles files_;
  ReadLimits limits_;
  ExactArray embeddings_;
  std::optional<AttentionStage> stage_;  // that was trained
  std::vector<ShiftedContext> shifted_;  // with predictions
  NtpAnswer answer_;
};

}  // namespace

bool NtpAnswer::problems_decided() const {
  if (collocation.verdict == CollocationSearch::Verdict::undecided) return false;
  return !fits() || (feed_forward->decided() && attention->decided());
}

bool NtpAnswer::decided() const {
  const auto cut_short = [](const std::string& reason) {
    return reason.starts_with("time") || reason.starts_with("interrupted");
  };
  const auto run_cut_short = [&](const std::optional<RunAnswer>& run) {
    return run && run->outcome && cut_short(run->outcome->reason);
  };
  if (!problems_decided()) return false;
  if (training && training->attention && cut_short(training->attention->reason)) return false;
  return !embedded || !(cut_short(embedded->reason) || run_cut_short(embedded->feed_forward) ||
                        run_cut_short(embedded->attention));
}

std::string NtpAnswer::nothing_to_attend() const {
  if (!attention || attention->solution.feasibility != Feasibility::feasible ||
      constraint_count(attention->data) > 0)
    return {};
  return std::string("no context has two different ") + (one_hot ? "tokens" : "embeddings") +
         ": all attention is on the token to be selected";
}

std::string NtpAnswer::nothing_to_train() const {
  if (!feed_forward || feed_forward->solution.feasibility != Feasibility::feasible ||
      constraint_count(feed_forward->data) > 0)
    return {};
  return "there is one output only: W = 0 and L = 0 at every step";
}

Result<NtpAnswer> ntp(const NtpRequest& request, AuditWatch& watch) {
  return NextTokenAudit(request, watch).run();
}

}  // namespace attest
