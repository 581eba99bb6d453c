// The canonical text of an instance and its hash (proofs/statements/GRAMMAR.md section 5).
#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "certify/instance/instance.hpp"
#include "certify/numbers/exact_number.hpp"
#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

// What comes before the numbers.
std::string heading(const Instance& instance) {
  std::string text = "attest-instance 1\nsetting ";
  text += name(instance.setting);
  if (instance.setting == Setting::self_attention) {
    text += "\nquery " + query_name(instance.query);
  }
  text += "\ngroups " + std::to_string(instance.sequences()) + "\ntokens";
  for (std::size_t i = 0; i < instance.sequences(); ++i) text += ' ' + std::to_string(instance.tokens(i));
  text += "\ndimension " + std::to_string(instance.dimension) + '\n';
  if (instance.setting != Setting::self_attention) {
    text += "factor-dimension " + std::to_string(instance.factor_dimension) + '\n';
  }
  return text;
}

// Numbers from `from` up to `to` of those that begin at `begin`, `width` on a line.
void append_entries(std::string& text, const ExactArray& values, std::size_t begin, std::size_t from,
                    std::size_t to, std::size_t width) {
  for (std::size_t k = from; k < to; ++k) {
    if (values.is_binary64()) {
      append_canonical(text, values.binary64()[k]);
    } else {
      append_canonical(text, values.exact(k));
    }
    text.push_back((k + 1 - begin) % width == 0 ? '\n' : ' ');
  }
}

// Whole numbers on a line, which is not ended.
template <class Number>
void append_list(std::string& text, const std::vector<Number>& numbers) {
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k > 0) text.push_back(' ');
    text += std::to_string(numbers[k]);
  }
}

// Writes the canonical text piece by piece: `flush` receives it in order, while the cores write what is next.
template <class Flush>
void write_canonical(const Instance& instance, Flush flush) {
  std::string text = heading(instance);
  std::vector<std::string> written;  // before `text`
  const auto flush_written = [&] {
    for (const std::string& piece : written) flush(piece);
    written.clear();
  };
  const auto entries = [&](const ExactArray& values, std::size_t begin, std::size_t end, std::size_t width) {
    constexpr std::size_t length = 1 << 12, most = 8;  // a megabyte or two of text
    if (end - begin <= length) {
      append_entries(text, values, begin, begin, end, width);
      if (text.size() < (std::size_t{1} << 16)) return;
    }
    written.push_back(std::exchange(text, {}));
    if (end - begin <= length) return flush_written();
    PassedNumbers passed(values.binary64(), begin);
    for (std::size_t at = begin; at < end; at += most * length) {
      if (values.is_binary64()) passed.before(at);
      std::vector<std::string> next(std::min(most, (end - at + length - 1) / length));
      parallel_for(next.size() + 1, [&](std::size_t k) {
        if (k == 0) return flush_written();
        const std::size_t from = at + (k - 1) * length;
        append_entries(next[k - 1], values, begin, from, std::min(end, from + length), width);
      });
      written = std::move(next);
    }
  };
  const auto rows = [&](const ExactArray& values, std::size_t width) {
    entries(values, 0, values.size(), width);
  };
  text += "X\n";
  rows(instance.X, instance.dimension);
  if (instance.outputs) {
    const OutputLayer& layer = *instance.outputs;
    const bool classifier = layer.kind == OutputHead::classifier;
    text += std::string("head ") + name(layer.kind) + (classifier ? "\ny\n" : "\nY\n");
    classifier ? append_list(text, layer.classes) : append_list(text, instance.Y);
    text += classifier ? "\nU\n" : "\nA\n";
    rows(layer.weights, instance.dimension);
    if (!classifier) {
      text += "bias\n";
      rows(layer.bias, layer.bias.size());
      text += "r\n";
      rows(layer.r, layer.r.size());
    }
  } else if (!instance.y.empty()) {
    text += "head cross-entropy\ny\n";
    append_list(text, instance.y);
    text.push_back('\n');
  } else if (instance.scores) {
    text += "scores\n";
    for (std::size_t i = 0; i < instance.sequences(); ++i)
      entries(*instance.scores, instance.first_row[i], instance.first_row[i + 1], instance.tokens(i));
  } else {
    text += "Y\n";
    append_list(text, instance.Y);
    text += "\nv\n";
    rows(instance.v, instance.dimension);
  }
  if (instance.setting == Setting::cross_attention) {
    text += "z\n";
    rows(instance.z, instance.factor_dimension);
  }
  if (instance.setting == Setting::prompt) {
    text += "K\n";
    rows(instance.K, instance.factor_dimension);
  }
  if (!instance.counts.empty()) text += "counts\n";
  for (std::size_t row = 0; row < instance.counts.size(); ++row) {
    append_canonical(text, Rational(instance.counts[row]));
    text.push_back(row + 1 == instance.counts.size() ? '\n' : ' ');
  }
  if (!instance.offsets.empty()) {
    text += "offsets\n";
    rows(instance.offsets, instance.offsets.size());
  }
  flush_written();
  flush(text);
}

}  // namespace

std::string canonical_text(const Instance& instance) {
  std::string all;
  write_canonical(instance, [&](const std::string& piece) { all += piece; });
  return all;
}

std::string canonical_sha256(const Instance& instance) {
  sha256_ctx context;
  sha256_init(&context);
  write_canonical(instance, [&](const std::string& piece) {
    sha256_update(&context, piece.size(), reinterpret_cast<const std::uint8_t*>(piece.data()));
  });
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&context, digest.size(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest) {
    constexpr char digits[] = "0123456789abcdef";
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 15]);
  }
  return text;
}

}  // namespace attest
