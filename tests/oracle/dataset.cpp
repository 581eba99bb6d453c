// Dense features, exact scores, and the two texts of a dataset (canonical and JSON).
#include "tests/oracle/dataset.hpp"

namespace reference {

const Row& query_row(const Dataset& data, std::size_t group) {
  const auto& tokens = data.X[group];
  const long size = static_cast<long>(tokens.size());
  return tokens.at(static_cast<std::size_t>(data.query < 0 ? size + data.query : data.query));
}

namespace {

std::string row_text(const Row& row) {
  std::string text;
  for (std::size_t j = 0; j < row.size(); ++j) text.append(j ? " " : "").append(number_text(row[j]));
  return text.append("\n");
}

template <class Integers>
std::string integers_text(const Integers& values) {
  std::string text;
  for (const auto value : values) text.append(text.empty() ? "" : " ").append(std::to_string(value));
  return text + "\n";
}

std::string text_of(const Text& text) {
  std::string result = "attest-instance 1\nsetting next-token\nvocabulary " +
                       std::to_string(text.vocabulary) + "\nsentences " +
                       std::to_string(text.sentences.size()) + "\n";
  for (const auto& sentence : text.sentences) result += integers_text(sentence);
  if (!text.embeddings.empty()) {
    result += "dimension " + std::to_string(text.embeddings[0].size()) + "\nembeddings\n";
    for (const Row& row : text.embeddings) result += row_text(row);
  }
  return result;
}

std::string json_number(const Number& value) {
  if (value.get_den() == 1 && mpz_sizeinbase(value.get_num_mpz_t(), 2) < 60) return value.get_num().get_str();
  return std::string(1, '"').append(number_text(value)).append(1, '"');
}

std::string json_row(const Row& row) {
  std::string text = "[";
  for (std::size_t j = 0; j < row.size(); ++j) text.append(j ? "," : "").append(json_number(row[j]));
  return text + "]";
}

std::string json_rows(const std::vector<Row>& rows) {
  std::string text = "[";
  for (std::size_t i = 0; i < rows.size(); ++i) text.append(i ? "," : "").append(json_row(rows[i]));
  return text + "]";
}

std::string json_groups(const std::vector<std::vector<Row>>& groups) {
  std::string text = "[";
  for (std::size_t i = 0; i < groups.size(); ++i) text.append(i ? ",\n " : "").append(json_rows(groups[i]));
  return text + "]";
}

template <class Integers>
std::string json_integers(const Integers& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text.append(i ? "," : "").append(std::to_string(values[i]));
  return text + "]";
}

}  // namespace

std::string setting_words(const Dataset& data) {
  if (data.text) return "next-token " + data.stage;
  return data.kind == Kind::prompt  ? "prompt"
         : data.kind == Kind::cross ? "cross-attention"
                                    : "self-attention";
}

Number dot(const Row& a, const Row& b) {
  Number sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

Pair feature_shape(const Dataset& data) {
  if (data.groups() == 0) return {0, 0};
  switch (data.kind) {
    case Kind::prompt:
      return {data.K.at(0).at(0).size(), 1};
    case Kind::cross:
      return {data.dimension(), data.z.at(0).size()};
    case Kind::self:
      break;
  }
  return {data.dimension(), data.dimension()};
}

Row feature(const Dataset& data, std::size_t group, std::size_t token) {
  if (data.kind == Kind::prompt) return data.K[group][token];
  const Row& z = data.kind == Kind::cross ? data.z[group] : query_row(data, group);
  Row dense;
  for (const Number& x : data.X[group][token])
    for (const Number& y : z) dense.push_back(x * y);
  return dense;
}

Number score(const Dataset& data, std::size_t group, std::size_t token) {
  if (!data.y.empty())
    return first_equal(data, group, token) == first_equal(data, group, data.y[group]) ? 1 : 0;
  if (!data.scores.empty()) return data.scores[group].at(token);
  return data.Y[group] * dot(data.v, data.X[group][token]);
}

long count(const Dataset& data, std::size_t group, std::size_t token) {
  return data.counts.empty() ? 1 : data.counts[group][token];
}

std::size_t first_equal(const Dataset& data, std::size_t group, std::size_t token) {
  const auto& rows = data.kind == Kind::prompt ? data.K[group] : data.X[group];
  std::size_t first = 0;
  while (rows[first] != rows[token]) ++first;
  return first;
}

Number class_score(const Dataset& data, std::size_t group, std::size_t token) {
  Number total = 0, tokens = 0;
  for (std::size_t t = 0; t < data.X[group].size(); ++t) {
    if (first_equal(data, group, t) != first_equal(data, group, token)) continue;
    total += count(data, group, t) * score(data, group, t);
    tokens += count(data, group, t);
  }
  return total / tokens;
}

Choice best_choice(const Dataset& data) {
  Choice choice;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    std::size_t best = 0;
    for (std::size_t t = 1; t < data.X[i].size(); ++t)
      if (class_score(data, i, t) > class_score(data, i, best)) best = t;
    choice.push_back(best);
  }
  return choice;
}

std::string number_text(const Number& value) {
  mpz_class numerator = value.get_num(), denominator = value.get_den();
  if (numerator == 0) return "0";
  if (mpz_popcount(denominator.get_mpz_t()) != 1) return numerator.get_str() + "/" + denominator.get_str();
  const long down = static_cast<long>(mpz_scan1(denominator.get_mpz_t(), 0));
  const long up = static_cast<long>(mpz_scan1(numerator.get_mpz_t(), 0));
  const mpz_class odd = numerator >> static_cast<unsigned long>(up);
  const long exponent = up - down;
  return exponent == 0 ? odd.get_str() : odd.get_str() + "*2^" + std::to_string(exponent);
}

std::string canonical_text(const Dataset& data) {
  if (data.text) return text_of(*data.text);
  std::string text = "attest-instance 1\nsetting " + setting_words(data) + "\n";
  if (data.kind == Kind::self)
    text += "query " + (data.query == -1 ? std::string("last") : std::to_string(data.query)) + "\n";
  text += "groups " + std::to_string(data.groups()) + "\ntokens";
  for (const auto& tokens : data.X) text.append(" ").append(std::to_string(tokens.size()));
  text += "\ndimension " + std::to_string(data.dimension()) + "\n";
  if (data.kind == Kind::cross) text += "factor-dimension " + std::to_string(data.z.at(0).size()) + "\n";
  if (data.kind == Kind::prompt)
    text += "factor-dimension " + std::to_string(data.K.at(0).at(0).size()) + "\n";
  text += "X\n";
  for (const auto& tokens : data.X)
    for (const Row& row : tokens) text += row_text(row);
  if (data.layer && data.layer->classifier) {
    text += "head classifier\ny\n" + integers_text(data.layer->classes) + "U\n";
    for (const Row& row : data.layer->weights) text += row_text(row);
  } else if (data.layer) {
    text += "head relu\nY\n" + integers_text(data.Y) + "A\n";
    for (const Row& row : data.layer->weights) text += row_text(row);
    text += "bias\n" + row_text(data.layer->bias) + "r\n" + row_text(data.layer->r);
  } else if (!data.y.empty()) {
    text += "head cross-entropy\ny\n" + integers_text(data.y);
  } else if (data.scores.empty()) {
    text += "Y\n" + integers_text(data.Y) + "v\n" + row_text(data.v);
  } else {
    text += "scores\n";
    for (const Row& row : data.scores) text += row_text(row);
  }
  if (data.kind == Kind::cross) {
    text += "z\n";
    for (const Row& row : data.z) text += row_text(row);
  }
  if (data.kind == Kind::prompt) {
    text += "K\n";
    for (const auto& tokens : data.K)
      for (const Row& row : tokens) text += row_text(row);
  }
  Row counts;
  for (const auto& group : data.counts) counts.insert(counts.end(), group.begin(), group.end());
  if (!counts.empty()) text += "counts\n" + row_text(counts);
  Row offsets;
  for (const Row& group : data.offsets) offsets.insert(offsets.end(), group.begin(), group.end());
  if (!offsets.empty()) text += "offsets\n" + row_text(offsets);
  return text;
}

std::string json_text(const Dataset& data, const std::optional<Choice>& choice) {
  std::string text = "{\"X\": " + json_groups(data.X);
  if (data.layer && data.layer->classifier) {
    text += ",\n\"head\": \"classifier\",\n\"y\": " + json_integers(data.layer->classes) +
            ",\n\"U\": " + json_rows(data.layer->weights);
  } else if (data.layer) {
    text += ",\n\"head\": \"relu\",\n\"Y\": " + json_integers(data.Y) +
            ",\n\"A\": " + json_rows(data.layer->weights) + ",\n\"bias\": " + json_row(data.layer->bias) +
            ",\n\"r\": " + json_row(data.layer->r);
  } else if (!data.y.empty()) {
    text += ",\n\"head\": \"cross-entropy\",\n\"y\": " + json_integers(data.y);
  } else if (data.scores.empty()) {
    text += ",\n\"Y\": " + json_integers(data.Y) + ",\n\"v\": " + json_row(data.v);
  } else {
    text += ",\n\"scores\": " + json_rows(data.scores);
  }
  if (data.kind == Kind::cross) text += ",\n\"z\": " + json_rows(data.z);
  if (data.kind == Kind::prompt) text += ",\n\"K\": " + json_groups(data.K);
  if (data.kind == Kind::self)
    text += ",\n\"query\": " + (data.query == -1 ? std::string("\"last\"") : std::to_string(data.query));
  if (!data.counts.empty()) {
    std::vector<long> all;
    for (const auto& counts : data.counts) all.insert(all.end(), counts.begin(), counts.end());
    text += ",\n\"counts\": " + json_integers(all);
  }
  if (!data.offsets.empty()) text += ",\n\"offsets\": " + json_rows(data.offsets);
  if (choice) text += ",\n\"alpha\": " + json_integers(*choice);
  return text + "}\n";
}

}  // namespace reference
