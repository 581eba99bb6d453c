// Equal tokens of a group; see selection_problem.hpp.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include "numerics/problem/selection_problem.hpp"

namespace attest {
namespace {

// An order of feature rows in which those that are equal, and only they, compare as 0. Doubles are compared
// by value, so 0 and -0 are equal, as their exact values are.
class RowOrder {
 public:
  explicit RowOrder(const TokenData& data)
      : values_(data.token_factor),
        doubles_(values_.is_binary64() ? &values_.binary64() : nullptr),
        width_(data.left_dimension) {}

  int compare(std::size_t a, std::size_t b) const {
    for (std::size_t k = 0; k < width_; ++k) {
      const int order = compare_entries(a * width_ + k, b * width_ + k);
      if (order != 0) return order;
    }
    return 0;
  }

 private:
  int compare_entries(std::size_t a, std::size_t b) const {
    if (doubles_ != nullptr) {
      const double x = (*doubles_)[a], y = (*doubles_)[b];
      return (x > y ? 1 : 0) - (x < y ? 1 : 0);
    }
    return values_.exact(a).compare(values_.exact(b));
  }

  const ExactArray& values_;
  const BinaryArray* doubles_;
  std::size_t width_;
};

using RowIndex = std::uint32_t;  // short, since datasets have millions of rows

// Per row of a group the first one that equals it.
class GroupRows {
 public:
  explicit GroupRows(const TokenData& data) : data_(data), rows_(data) {}

  // Into the places [into, into + tokens).
  void first_equal(std::size_t group, RowIndex* into) {
    const std::size_t begin = data_.first_row[group];
    order_.resize(data_.tokens(group));
    std::iota(order_.begin(), order_.end(), static_cast<RowIndex>(begin));
    std::sort(order_.begin(), order_.end(), [&](RowIndex a, RowIndex b) {
      const int compared = rows_.compare(a, b);
      return compared != 0 ? compared < 0 : a < b;
    });
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const bool opens = k == 0 || rows_.compare(order_[k - 1], order_[k]) != 0;
      into[order_[k] - begin] = opens ? order_[k] : into[order_[k - 1] - begin];
    }
  }

 private:
  const TokenData& data_;
  const RowOrder rows_;
  std::vector<RowIndex> order_;
};

// Has a group two equal tokens? Holds one group's rows at a time: most datasets have none.
bool any_equal(const TokenData& data) {
  GroupRows rows(data);
  PassedGroups passed(data);
  std::vector<RowIndex> first;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    first.resize(data.tokens(i));
    rows.first_equal(i, first.data());
    for (std::size_t t = 0; t < first.size(); ++t) {
      if (first[t] != data.row(i, t)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<RowIndex> first_equal_rows(const TokenData& data) {
  if (!data.first_row.empty() && data.first_row.back() > std::numeric_limits<RowIndex>::max())
    throw std::length_error("more than 2^32 tokens");
  std::vector<RowIndex> first(data.first_row.empty() ? 0 : data.first_row.back());
  GroupRows rows(data);
  for (std::size_t i = 0; i < data.groups(); ++i) rows.first_equal(i, first.data() + data.first_row[i]);
  return first;
}

void merge_equal_tokens(TokenData& data, const std::vector<std::uint64_t>& counts) {
  data.multiplicities.clear();
  if (counts.empty() && !any_equal(data)) return;
  const std::vector<RowIndex> first = first_equal_rows(data);
  data.multiplicities.assign(first.size(), 0);
  std::vector<bool> differ(first.size());  // per representative: the scores of its class
  bool any = false;
  for (std::size_t row = 0; row < first.size(); ++row) {
    const std::uint64_t count = counts.empty() ? 1 : counts[row];
    data.multiplicities[first[row]] += count;
    any = any || first[row] != row || count != 1;
    if (!data.scores.equal(row, first[row])) differ[first[row]] = true;
  }
  if (!any) return data.multiplicities.clear();
  if (std::find(differ.begin(), differ.end(), true) == differ.end()) return;
  std::vector<Rational> total(first.size());
  for (std::size_t row = 0; row < first.size(); ++row) {
    if (differ[first[row]])
      total[first[row]] += data.scores[row] * Rational(counts.empty() ? 1 : counts[row]);
  }
  for (std::size_t row = 0; row < first.size(); ++row) {
    if (differ[first[row]])
      data.scores.set(row, total[first[row]] / Rational(data.multiplicities[first[row]]));
  }
}

void set_targets(TokenData& data, const std::vector<std::size_t>& tokens,
                 const std::vector<std::uint64_t>& counts) {
  data.scores.assign(data.first_row.empty() ? 0 : data.first_row.back(), Rational(0));
  merge_equal_tokens(data, counts);
  const RowOrder rows(data);
  data.targets.emplace();
  for (std::size_t i = 0; i < data.groups(); ++i) {
    std::size_t first = data.row(i, 0);  // the token that stands for the target: the first one equal to it
    while (rows.compare(first, data.row(i, tokens[i])) != 0) ++first;
    data.scores.set(first, 1);
    data.targets->push_back(first - data.first_row[i]);
  }
}

void set_outputs(TokenData& data, OutputTable table, const std::vector<std::uint64_t>& counts) {
  const std::size_t rows = data.first_row.empty() ? 0 : data.first_row.back();
  // Columns are averaged as scores are.
  std::vector<Scores> columns;
  for (std::size_t u = 0; u < table.width; ++u) {
    data.scores.clear();
    for (std::size_t row = 0; row < rows; ++row) data.scores.push_back(table.values[row * table.width + u]);
    data.multiplicities.clear();
    merge_equal_tokens(data, counts);
    columns.push_back(std::move(data.scores));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t u = 0; u < table.width; ++u) table.values[row * table.width + u] = columns[u][row];
  }
  data.scores.clear();
  for (std::size_t i = 0; i < data.groups(); ++i) {
    for (std::size_t t = 0; t < data.tokens(i); ++t)
      data.scores.push_back(vertex_score(table, i, data.row(i, t)));
  }
  data.outputs = std::make_shared<const OutputTable>(std::move(table));
}

std::vector<TokenClass> equal_tokens(const TokenData& data) {
  std::vector<TokenClass> classes;
  if (data.multiplicities.empty()) return classes;
  const std::vector<RowIndex> first = first_equal_rows(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    std::map<RowIndex, std::vector<std::size_t>> members;  // of representatives that stand for others
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      const RowIndex representative = first[data.row(i, t)];
      if (representative == data.row(i, t)) continue;
      std::vector<std::size_t>& tokens = members[representative];
      if (tokens.empty()) tokens.push_back(representative - data.first_row[i]);
      tokens.push_back(t);
    }
    for (auto& [representative, tokens] : members) classes.push_back({i, std::move(tokens)});
  }
  return classes;
}

}  // namespace attest
