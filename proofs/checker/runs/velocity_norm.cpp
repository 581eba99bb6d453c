// The norm of a gradient in T1's form: see velocity_norm.hpp.
#include "proofs/checker/runs/velocity_norm.hpp"

#include <algorithm>

namespace attest_check {

RunGroups::RunGroups(const Features& of) : features(of) {
  for (std::size_t i = 0; i < features.groups(); ++i) {
    if (features.different(i) == 1) continue;
    active.push_back(i);
    query_square.push_back(features.queries().dot(i, features.queries(), i));
  }
  kept_.resize(active.size());
}

const std::vector<Interval>& RunGroups::reach(std::size_t a, std::size_t s) const {
  Kept& kept = kept_[a];
  const std::size_t i = active[a], tokens = features.tokens_of(i);
  if (kept.from == s && kept.reach.size() == tokens) return kept.reach;
  kept = {s, std::vector<Interval>(tokens)};
  for (std::size_t t = 0; t < tokens; ++t) {
    if (t == s) continue;
    const Integer square = features.tokens().distance_squared(features.row(i, s), features.row(i, t));
    kept.reach[t] = square_root(Interval::ratio(square * query_square[a], features.product_denominator(), 64))
                        .upper_end();
  }
  return kept.reach;
}

namespace {

constexpr std::size_t most_paired = 1000;  // groups whose queries are multiplied each with each

// sum_b |z_a.z_b| <= sum_j |z_aj| sum_b |z_bj|, the largest of these.
Integer row_bound(const RunGroups& groups) {
  const ScaledMatrix& queries = groups.features.queries();
  std::vector<Integer> column(queries.columns());
  for (const std::size_t b : groups.active) {
    for (std::size_t j = 0; j < column.size(); ++j) add_magnitude(column[j], queries.entry(b, j));
  }
  Integer largest;
  for (const std::size_t a : groups.active) {
    Integer total;
    for (std::size_t j = 0; j < column.size(); ++j) total += abs(queries.entry(a, j)) * column[j];
    largest = std::max(largest, total);
  }
  return largest;
}

}  // namespace

QueryImages::QueryImages(const RunGroups& groups) : groups_(groups) {
  const ScaledMatrix& queries = groups.features.queries();
  const std::size_t count = groups.active.size();
  // Beside a product of words one with z_a.z_b takes about five times as long.
  const bool kept = count <= most_paired &&
                    (queries.unit() ? 1 : 5) * count <= (queries.unit() ? 2 : 1) * queries.columns();
  for (std::size_t a = 0; a < count && count <= most_paired; ++a) {
    Integer total;
    if (kept) gram_.emplace_back();
    for (std::size_t b = 0; b < count; ++b) {
      Integer product = queries.dot(groups.active[a], queries, groups.active[b]);
      total += abs(product);
      if (kept && b <= a) gram_.back().push_back(std::move(product));
    }
    largest_row_ = std::max(largest_row_, total);
  }
  if (count > most_paired) largest_row_ = row_bound(groups);
  if (kept || queries.unit()) return;
  const auto entry = [&](std::size_t a, std::size_t b) { return queries.entry(groups_.active[a], b); };
  queries_ = WordTable(count, queries.columns(), entry);
  transposed_ =
      WordTable(queries.columns(), count, [&](std::size_t b, std::size_t a) { return entry(a, b); });
}

void QueryImages::operator()(const std::vector<Integer>& row, std::vector<Integer>& image, Room& room) const {
  const ScaledMatrix& queries = groups_.features.queries();
  const std::size_t count = groups_.active.size();
  image.resize(count);
  if (!gram_.empty()) {
    for (std::size_t a = 0; a < count; ++a) {
      image[a] = 0;
      for (std::size_t b = 0; b < count; ++b)
        add_product(image[a], a < b ? gram_[b][a] : gram_[a][b], row[b]);
    }
    return;
  }
  if (!queries.unit()) {
    room.sum.resize(queries.columns());
    room.digits.assign(row);
    queries_.sums(room.sum, room.digits);
    room.digits.assign(room.sum);
    transposed_.sums(image, room.digits);
    return;
  }
  room.sum.assign(queries.columns(), 0);
  for (std::size_t b = 0; b < count; ++b) {
    if (row[b] != 0) queries.add_multiple(row[b], groups_.active[b], room.sum.data());
  }
  for (std::size_t a = 0; a < count; ++a) image[a] = queries.dot(groups_.active[a], room.sum);
}

// Lemma R12 (gradient). The weights are rounded to integers over one power of two; the norm of the rounded
// combination is exact but for one square root, and by the triangle inequality the rounding changes it by at
// most sum |change| ||a_ref - a_t||.
Interval velocity_norm(const RunGroups& groups, const QueryImages& images,
                       const std::vector<std::size_t>& reference,
                       const std::vector<std::vector<Interval>>& omega, unsigned bits) {
  const Features& features = groups.features;
  const std::size_t count = groups.active.size(), left = features.left_dimension();
  Interval largest(0);
  for (const auto& group : omega) {
    for (const Interval& x : group) largest = maximum(largest, absolute(x).rounded(64));
  }
  if (largest.upper() == 0) return Interval(0);
  const long scale = static_cast<long>(bits) - largest.top();
  Interval slack;
  std::vector<std::vector<Integer>> combination(count, std::vector<Integer>(left));
  for (std::size_t a = 0; a < count; ++a) {
    const std::size_t i = groups.active[a];
    const std::vector<Interval>& reach = groups.reach(a, reference[a]);
    Integer total;
    for (std::size_t t = 0; t < omega[a].size(); ++t) {
      if (t == reference[a]) continue;
      const Integer lo = omega[a][t].floor_at(scale), hi = omega[a][t].ceil_at(scale);
      slack += reach[t] * Interval::between(0, hi - lo, -scale, 64);
      features.tokens().add_multiple(-lo, features.row(i, t), combination[a].data());
      total += lo;
    }
    features.tokens().add_multiple(total, features.row(i, reference[a]), combination[a].data());
  }
  Integer squared;
  QueryImages::Room room;
  std::vector<Integer> row(count), image;
  for (std::size_t k = 0; k < left; ++k) {
    for (std::size_t a = 0; a < count; ++a) row[a] = combination[a][k];
    images(row, image, room);
    for (std::size_t a = 0; a < count; ++a) add_product(squared, image[a], row[a]);
  }
  const Interval norm = square_root(Interval::ratio(squared, features.product_denominator(), bits)) *
                        Interval::between(1, 1, -scale, bits);
  return maximum(Interval::hull(norm - slack, norm + slack), Interval(0));
}

}  // namespace attest_check
