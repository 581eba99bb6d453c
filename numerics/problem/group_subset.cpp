#include "numerics/problem/group_subset.hpp"

#include <utility>

namespace attest {
namespace {

// Gathers stretches of an array of exact numbers.
class Gathered {
 public:
  explicit Gathered(const ExactArray& from) : from_(from) {}

  void add(std::size_t begin, std::size_t count) {
    for (std::size_t k = begin; k < begin + count; ++k) {
      if (from_.is_binary64()) {
        doubles_.push_back(from_.binary64()[k]);
      } else {
        rationals_.push_back(from_.exact(k));
      }
    }
  }
  ExactArray take() && {
    return from_.is_binary64() ? ExactArray::from_binary64(std::move(doubles_))
                               : ExactArray::from_rationals(std::move(rationals_));
  }

 private:
  const ExactArray& from_;
  std::vector<double> doubles_;
  std::vector<Rational> rationals_;
};

}  // namespace

GroupSubset group_subset(const TokenData& data, const Selection& selection,
                         const std::vector<std::size_t>& groups, SubsetQueries queries) {
  GroupSubset subset;
  subset.groups = groups;
  TokenData& part = subset.data;
  part.left_dimension = data.left_dimension;
  part.first_row.push_back(0);
  Gathered tokens(data.token_factor), factors(data.query_factor);
  for (const std::size_t i : groups) {
    part.first_row.push_back(part.first_row.back() + data.tokens(i));
    tokens.add(data.first_row[i] * data.left_dimension, data.tokens(i) * data.left_dimension);
    if (queries == SubsetQueries::kept) factors.add(i * data.right_dimension, data.right_dimension);
    part.scores.insert(part.scores.end(), data.scores.begin() + std::ptrdiff_t(data.first_row[i]),
                       data.scores.begin() + std::ptrdiff_t(data.first_row[i + 1]));
    if (!data.multiplicities.empty())
      part.multiplicities.insert(part.multiplicities.end(),
                                 data.multiplicities.begin() + std::ptrdiff_t(data.first_row[i]),
                                 data.multiplicities.begin() + std::ptrdiff_t(data.first_row[i + 1]));
    subset.selection.push_back(selection[i]);
  }
  part.token_factor = std::move(tokens).take();
  if (queries == SubsetQueries::kept) {
    part.right_dimension = data.right_dimension;
    part.query_factor = std::move(factors).take();
  } else {
    part.right_dimension = 1;
    part.query_factor = ExactArray::from_binary64(std::vector<double>(groups.size(), 1.0));
  }
  return subset;
}

}  // namespace attest
