#include "certify/audits/info.hpp"

#include <algorithm>

#include "certify/audits/input.hpp"
#include "certify/instance/read.hpp"

namespace attest {
namespace {

constexpr std::size_t program_bytes = 13'000'000;  // text, libraries, tables

std::size_t stored_bytes(const ExactArray& array) {
  if (array.is_binary64()) return array.binary64().bytes();
  const auto [top, bottom] = array.bits();
  const auto block = [](std::size_t bits) {
    return std::max<std::size_t>(32, bits / 8 + 24);
  };  // of the allocator
  return array.size() * (sizeof(Rational) + block(top) + block(bottom));
}

void count_tokens(InfoAnswer& facts, const TokenData& data) {
  const Instance& instance = facts.instance;
  facts.fewest_tokens = facts.most_tokens = instance.tokens(0);
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    facts.fewest_tokens = std::min(facts.fewest_tokens, instance.tokens(i));
    facts.most_tokens = std::max(facts.most_tokens, instance.tokens(i));
    if (!instance.Y.empty()) ++(instance.Y[i] > 0 ? facts.positive : facts.negative);
  }
  facts.constraints = constraint_count(data);
  facts.merged = equal_tokens(data);
  facts.tie = first_tie(data);
  const Selection best = best_selection(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    bool tied = false;
    for (std::size_t t = best[i] + 1; t < data.tokens(i); ++t)
      tied = tied || (data.present(i, t) && data.score(i, t) == data.score(i, best[i]));
    facts.tied_groups += tied;
  }
}

void predict_memory(InfoAnswer& facts, const TokenData& data) {
  const Instance& instance = facts.instance;
  facts.instance_bytes = stored_bytes(instance.X) + stored_bytes(instance.v) + stored_bytes(instance.z) +
                         stored_bytes(instance.K) + stored_bytes(instance.offsets) +
                         data.scores.kept() * (instance.X.is_binary64() ? 32 : 128);
  // What certify holds at its peak, measured (tests/corpus/attest_memory.py compares): the factors of
  // features as doubles for every constraint, and, where they are rationals, as integers of one width; two
  // square matrices over the constraints that can be active at once. Where ties or the data ask for an exact
  // solution these are matrices of long numbers.
  const auto integers = [](const ExactArray& factor) {
    if (factor.is_binary64()) return std::size_t{0};
    const auto [top, bottom] = factor.bits();
    return factor.size() * ((top + bottom) / 8 + 12);
  };
  const std::size_t active = std::min(facts.constraints, data.left_dimension * data.right_dimension);
  const std::size_t linear = facts.instance_bytes + stored_bytes(data.query_factor) +
                             integers(data.token_factor) + integers(data.query_factor) +
                             facts.constraints * (8 * data.left_dimension + 200);
  facts.certify_bytes = program_bytes + linear + linear / 8 + 18 * active * active;
  facts.exact_bytes = facts.certify_bytes + 400 * active * active;
}

}  // namespace

Result<InfoAnswer> info(const InfoRequest& request, AuditWatch& watch) {
  InfoAnswer answer;
  answer.instance_path = request.instance;
  if (request.held) {
    answer.instance = *request.held;
  } else {
    ReadLimits limits;
    limits.memory_bytes = request.memory_limit;
    Result<Dataset> dataset = read_dataset(request.instance, limits);
    if (auto* error = std::get_if<InputError>(&dataset)) return std::move(*error);
    if (auto* sentences = std::get_if<SentenceData>(&std::get<Dataset>(dataset))) {
      answer.sha256 = canonical_sha256(*sentences);
      answer.sentences = std::move(*sentences);
      watch.computed();
      return answer;
    }
    answer.instance = std::get<Instance>(std::get<Dataset>(std::move(dataset)));
  }
  if (auto error = undecided_scores(answer.instance, request.instance)) return std::move(*error);
  watch.input_is_read();
  const TokenData data = token_data(answer.instance);
  count_tokens(answer, data);
  predict_memory(answer, data);
  answer.sha256 = canonical_sha256(answer.instance);
  watch.computed();
  return answer;
}

}  // namespace attest
