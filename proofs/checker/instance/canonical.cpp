// The canonical text of an instance and its hash: GRAMMAR.md section 5.
#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/job.hpp"
#include "proofs/checker/base/sha256.hpp"
#include "proofs/checker/instance/sentences.hpp"

namespace attest_check {
namespace {

// Canonical text on its way into the hash.
class CanonicalText {
 public:
  void line(const std::string& text) {
    buffer_ += text;
    buffer_ += '\n';
    if (buffer_.size() > (1U << 16)) flush();
  }
  // Numbers, the last one of a line where ends_line(its index) says so: by each process its share.
  template <class EndsLine>
  void numbers(const NumberArray& values, EndsLine ends_line) {
    if (job().size() == 1) return some_numbers(values, {0, values.size()}, ends_line);
    flush();
    for (const Sha256& others : gathered<Sha256>({hash_})) {
      if (Sha256(others).digest() != Sha256(hash_).digest())
        malformed("the processes of the job see different files");
    }
    for (std::size_t turn = 0; turn < job().size(); ++turn) {
      std::vector<Sha256> done;
      if (turn == job().rank()) {
        some_numbers(values, share_of(values.size()), ends_line);
        flush();
        done.push_back(hash_);
      }
      hash_ = gathered(std::move(done)).at(0);
    }
  }
  void table(const std::string& heading, const NumberArray& values, std::size_t width) {
    line(heading);
    numbers(values, [=](std::size_t k) { return (k + 1) % width == 0; });
  }
  std::string digest() {
    flush();
    return hash_.digest();
  }

 private:
  template <class EndsLine>
  void some_numbers(const NumberArray& values, const Share& which, EndsLine ends_line) {
    for (std::size_t k = which.begin; k < which.end; ++k) {
      values.append_canonical(k, buffer_);
      buffer_ += ends_line(k) ? '\n' : ' ';
      if (buffer_.size() > (1U << 16)) flush();
    }
  }
  void flush() {
    hash_.update(buffer_);
    buffer_.clear();
  }
  std::string buffer_;
  Sha256 hash_;
};

std::string of_sentences(CanonicalText& text, const Sentences& sentences) {
  text.line("vocabulary " + std::to_string(sentences.vocabulary));
  text.line("sentences " + std::to_string(sentences.count()));
  for (std::size_t k = 0; k < sentences.count(); ++k) {
    std::string ids;
    for (std::size_t t = sentences.first[k]; t < sentences.first[k + 1]; ++t)
      (ids += t == sentences.first[k] ? "" : " ") += std::to_string(sentences.ids[t]);
    text.line(ids);
  }
  if (sentences.embeddings.size() > 0) {
    text.line("dimension " + std::to_string(sentences.dimension));
    text.table("embeddings", sentences.embeddings, sentences.dimension);
  }
  return text.digest();
}

}  // namespace

std::string canonical_sha256(const Instance& instance) {
  CanonicalText text;
  text.line("attest-instance 1");
  text.line(std::string("setting ") + name(instance.setting));
  if (instance.setting == Setting::next_token) return of_sentences(text, *instance.sentences);
  if (instance.setting == Setting::self_attention)
    text.line("query " + (instance.query == -1 ? "last" : std::to_string(instance.query)));
  text.line("groups " + std::to_string(instance.groups()));
  std::string tokens = "tokens", labels;
  for (std::size_t i = 0; i < instance.groups(); ++i) (tokens += ' ') += std::to_string(instance.tokens(i));
  for (const int label : instance.Y) labels += label > 0 ? " 1" : " -1";
  text.line(tokens);
  text.line("dimension " + std::to_string(instance.dimension));
  if (instance.setting != Setting::self_attention) {
    text.line("factor-dimension " + std::to_string(instance.factor_dimension));
  }
  text.table("X", instance.X, instance.dimension);
  const auto indices = [](const std::vector<std::size_t>& values) {
    std::string joined;
    for (const std::size_t value : values) (joined += joined.empty() ? "" : " ") += std::to_string(value);
    return joined;
  };
  if (instance.outputs) {
    const OutputLayer& layer = *instance.outputs;
    text.line(layer.classifier ? "head classifier\ny\n" + indices(layer.classes)
                               : "head relu\nY\n" + labels.substr(1));
    text.table(layer.classifier ? "U" : "A", layer.weights, instance.dimension);
    if (!layer.classifier) {
      text.table("bias", layer.bias, layer.bias.size());
      text.table("r", layer.r, layer.r.size());
    }
  } else if (instance.cross_entropy()) {
    text.line("head cross-entropy\ny\n" + indices(instance.y));
  } else if (instance.scores) {
    text.line("scores");
    std::size_t group = 0;
    text.numbers(*instance.scores, [&](std::size_t k) {
      while (instance.first_row[group] <= k) ++group;
      return instance.first_row[group] == k + 1;
    });
  } else {
    text.line("Y\n" + labels.substr(1));
    text.table("v", instance.v, instance.dimension);
  }
  if (instance.setting == Setting::cross_attention) text.table("z", instance.z, instance.factor_dimension);
  if (instance.setting == Setting::prompt) text.table("K", instance.K, instance.factor_dimension);
  if (instance.counts.size() > 0) text.table("counts", instance.counts, instance.counts.size());
  if (instance.offsets.size() > 0) text.table("offsets", instance.offsets, instance.offsets.size());
  return text.digest();
}

}  // namespace attest_check
