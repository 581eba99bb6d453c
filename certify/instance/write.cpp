// Instance writers; see instance/write.hpp.
#include "certify/instance/write.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "certify/instance/npy.hpp"
#include "certify/instance/zip.hpp"
#include "certify/numbers/exact_number.hpp"
#include "certify/process/file_bytes.hpp"

namespace attest {
namespace {

namespace fs = std::filesystem;
using NamedBytes = std::vector<std::pair<std::string, std::string>>;

bool uniform(const Instance& instance) {
  for (std::size_t i = 1; i < instance.sequences(); ++i) {
    if (instance.tokens(i) != instance.tokens(0)) return false;
  }
  return true;
}

std::string encode_array(const ExactArray& array, const std::string& key,
                         const std::vector<std::size_t>& shape) {
  if (array.is_binary64()) return encode_npy(array.binary64(), shape);
  for (std::size_t k = 0;; ++k) {
    const Rational value = array.exact(k);
    if (Rational(array.approx(k)) != value) {
      RawArray position;
      position.shape = shape;
      fail_input("is not a binary64 number; write .json instead", key, position.index(k));
    }
  }
}

std::vector<std::int64_t> integers(const std::vector<std::size_t>& values) {
  return {values.begin(), values.end()};
}

// Lists of tokens; those of one token have a third axis, without which they are a column.
std::string encode_lists(const SelectedSets& lists) {
  std::vector<std::int64_t> flat;
  const std::size_t length = lists.front().size();
  for (const std::vector<std::size_t>& list : lists) {
    if (list.size() != length) fail_input("lists of different lengths; write .json instead", "alpha");
    flat.insert(flat.end(), list.begin(), list.end());
  }
  return encode_npy(flat, {lists.size(), length, 1});
}

NamedBytes npy_members(const Instance& instance) {
  const std::size_t n = instance.sequences(), rows = instance.first_row.back();
  const bool cube = uniform(instance);
  const auto token_shape = [&](std::size_t width) {
    return cube ? std::vector<std::size_t>{n, instance.tokens(0), width}
                : std::vector<std::size_t>{rows, width};
  };
  // Of one number a token.
  const std::vector<std::size_t> number_shape =
      cube ? std::vector<std::size_t>{n, instance.tokens(0)} : std::vector{rows};
  NamedBytes members;
  const auto add = [&](const char* key, std::string bytes) {
    members.emplace_back(std::string(key) + ".npy", std::move(bytes));
  };
  add("X", encode_array(instance.X, "X", token_shape(instance.dimension)));
  if (!cube) {
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < n; ++i) lengths.push_back(static_cast<std::int64_t>(instance.tokens(i)));
    add("lengths", encode_npy(lengths, {n}));
  }
  if (instance.outputs) {
    const OutputLayer& layer = *instance.outputs;
    add("head", encode_npy_text(name(layer.kind)));
    const std::vector<std::size_t> shape{layer.weights.size() / instance.dimension, instance.dimension};
    if (layer.kind == OutputHead::classifier) {
      add("y", encode_npy(integers(layer.classes), {n}));
      add("U", encode_array(layer.weights, "U", shape));
    } else {
      add("Y", encode_npy(std::vector<std::int64_t>(instance.Y.begin(), instance.Y.end()), {n}));
      add("A", encode_array(layer.weights, "A", shape));
      add("bias", encode_array(layer.bias, "bias", {layer.bias.size()}));
      add("r", encode_array(layer.r, "r", {layer.r.size()}));
    }
  } else if (!instance.y.empty()) {
    add("head", encode_npy_text("cross-entropy"));
    add("y", encode_npy(integers(instance.y), {n}));
  } else if (instance.scores) {
    add("scores", encode_array(*instance.scores, "scores", number_shape));
  } else {
    add("Y", encode_npy(std::vector<std::int64_t>(instance.Y.begin(), instance.Y.end()), {n}));
    add("v", encode_array(instance.v, "v", {instance.dimension}));
  }
  switch (instance.setting) {
    case Setting::prompt:
      add("K", encode_array(instance.K, "K", token_shape(instance.factor_dimension)));
      break;
    case Setting::cross_attention:
      add("z", encode_array(instance.z, "z", {n, instance.factor_dimension}));
      break;
    case Setting::self_attention:
      add("query", instance.query == -1 ? encode_npy_text("last")
                                        : encode_npy(std::vector<std::int64_t>{instance.query}, {}));
      break;
  }
  if (!instance.counts.empty()) {
    add("counts",
        encode_npy(std::vector<std::int64_t>(instance.counts.begin(), instance.counts.end()), number_shape));
  }
  if (!instance.offsets.empty()) add("offsets", encode_array(instance.offsets, "offsets", number_shape));
  if (instance.alpha) add("alpha", encode_npy(integers(*instance.alpha), {n}));
  if (instance.sets) add("alpha", encode_lists(*instance.sets));
  if (instance.W0) {
    std::vector<std::size_t> shape{instance.dimension, instance.dimension};
    if (instance.setting == Setting::cross_attention) shape[1] = instance.factor_dimension;
    if (instance.setting == Setting::prompt) shape = {instance.factor_dimension};
    add("W0", encode_array(*instance.W0, "W0", shape));
  }
  return members;
}

// Integers up to 2^53 as JSON numbers, everything else exactly in a string.
void append_json_number(std::string& out, const ExactArray& values, std::size_t k) {
  if (values.is_binary64()) {
    const double value = values.binary64()[k];
    if (std::fabs(value) <= 9007199254740992.0 && value == std::floor(value)) {
      out += std::to_string(static_cast<std::int64_t>(value));
      return;
    }
  }
  out.push_back('"');
  if (values.is_binary64()) {
    append_canonical(out, values.binary64()[k]);
  } else {
    append_canonical(out, values.exact(k));
  }
  out.push_back('"');
}

void append_row(std::string& out, const ExactArray& values, std::size_t begin, std::size_t count) {
  out.push_back('[');
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) out += ", ";
    append_json_number(out, values, begin + k);
  }
  out.push_back(']');
}

void append_rows(std::string& out, const ExactArray& values, std::size_t first, std::size_t rows,
                 std::size_t width) {
  out.push_back('[');
  for (std::size_t r = 0; r < rows; ++r) {
    if (r > 0) out += ",\n  ";
    append_row(out, values, (first + r) * width, width);
  }
  out.push_back(']');
}

template <class Number>
void append_integers(std::string& out, const std::vector<Number>& values) {
  out.push_back('[');
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k > 0) out += ", ";
    out += std::to_string(values[k]);
  }
  out.push_back(']');
}

// Which tokens are selected: one a sequence, or several.
void append_selection(std::string& out, const Instance& instance) {
  if (instance.alpha) {
    out += ",\n\"alpha\": ";
    append_integers(out, *instance.alpha);
  }
  if (!instance.sets) return;
  out += ",\n\"alpha\": [";
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    if (i > 0) out += ", ";
    append_integers(out, (*instance.sets)[i]);
  }
  out += "]";
}

std::string json_text(const Instance& instance) {
  std::string out = "{\"X\": [";
  const auto token_rows = [&](const ExactArray& values, std::size_t width) {
    for (std::size_t i = 0; i < instance.sequences(); ++i) {
      if (i > 0) out += ",\n ";
      append_rows(out, values, instance.first_row[i], instance.tokens(i), width);
    }
  };
  const auto token_numbers = [&](const ExactArray& values) {
    for (std::size_t i = 0; i < instance.sequences(); ++i) {
      if (i > 0) out += ",\n ";
      append_row(out, values, instance.first_row[i], instance.tokens(i));
    }
  };
  token_rows(instance.X, instance.dimension);
  if (instance.outputs) {
    const OutputLayer& layer = *instance.outputs;
    const bool classifier = layer.kind == OutputHead::classifier;
    out +=
        std::string("],\n\"head\": \"") + name(layer.kind) + (classifier ? "\",\n\"y\": " : "\",\n\"Y\": ");
    classifier ? append_integers(out, layer.classes) : append_integers(out, instance.Y);
    out += classifier ? ",\n\"U\": " : ",\n\"A\": ";
    append_rows(out, layer.weights, 0, layer.weights.size() / instance.dimension, instance.dimension);
    if (!classifier) {
      out += ",\n\"bias\": ";
      append_row(out, layer.bias, 0, layer.bias.size());
      out += ",\n\"r\": ";
      append_row(out, layer.r, 0, layer.r.size());
    }
  } else if (!instance.y.empty()) {
    out += "],\n\"head\": \"cross-entropy\",\n\"y\": ";
    append_integers(out, instance.y);
  } else if (instance.scores) {
    out += "],\n\"scores\": [";
    token_numbers(*instance.scores);
    out += "]";
  } else {
    out += "],\n\"Y\": ";
    append_integers(out, instance.Y);
    out += ",\n\"v\": ";
    append_row(out, instance.v, 0, instance.dimension);
  }
  switch (instance.setting) {
    case Setting::prompt:
      out += ",\n\"K\": [";
      token_rows(instance.K, instance.factor_dimension);
      out += "]";
      break;
    case Setting::cross_attention:
      out += ",\n\"z\": ";
      append_rows(out, instance.z, 0, instance.sequences(), instance.factor_dimension);
      break;
    case Setting::self_attention:
      out += ",\n\"query\": ";
      out += instance.query == -1 ? "\"last\"" : std::to_string(instance.query);
      break;
  }
  if (!instance.counts.empty()) {
    out += ",\n\"counts\": ";
    append_integers(out, instance.counts);
  }
  if (!instance.offsets.empty()) {
    out += ",\n\"offsets\": [";
    token_numbers(instance.offsets);
    out += "]";
  }
  append_selection(out, instance);
  if (instance.W0) {
    out += ",\n\"W0\": ";
    if (instance.setting == Setting::prompt) {
      append_row(out, *instance.W0, 0, instance.factor_dimension);
    } else {
      append_rows(out, *instance.W0, 0, instance.dimension, instance.W0->size() / instance.dimension);
    }
  }
  return out + "}\n";
}

bool names_folder(const std::string& path) {
  return path.ends_with('/') || !fs::path(path).has_extension();
}

}  // namespace

std::optional<InputError> declare_instance(OutputFiles& files, const std::string& path) {
  for (const char* ending : {".npz", ".json", ".json.gz", ".txt"}) {
    if (!path.ends_with(ending)) continue;
    files.output(path, FileKind::instance);
    return std::nullopt;
  }
  if (!names_folder(path)) {
    return InputError{InputError::Kind::malformed,
                      path,
                      {},
                      {},
                      "unknown format (.npz, .json, .json.gz, .txt, or a folder)"};
  }
  files.output_folder(path);
  return std::nullopt;
}

std::optional<InputError> write_instance(const Instance& instance, const std::string& path,
                                         const OutputFiles& files) {
  try {
    if (path.ends_with(".npz")) return files.write(path, make_zip(npy_members(instance)));
    if (path.ends_with(".json")) return files.write(path, json_text(instance));
    if (path.ends_with(".json.gz")) return files.write(path, gzip(json_text(instance)));
    if (path.ends_with(".txt")) return files.write(path, canonical_text(instance));
    return files.write_folder(path, npy_members(instance));
  } catch (InputFailure& failure) {
    failure.error.file = path;
    return std::move(failure.error);
  }
}

}  // namespace attest
