#include "numerics/forever/group_images.hpp"

#include "numerics/forever/ball_number.hpp"

namespace attest {
namespace {

constexpr long image_bits = BallNumber::bits + 64;

Rational token_entry(const RunGeometry& geometry, std::size_t group, std::size_t token, std::size_t j) {
  const TokenData& data = *geometry.data;
  return data.token_factor.exact(data.row(geometry.groups[group].original, token) * geometry.dimension + j);
}

}  // namespace

GroupImages::GroupImages(const RunGeometry& geometry, const std::vector<Rational>& coordinates,
                         const Budget& budget)
    : geometry_(&geometry), images_(geometry.groups.size() * geometry.dimension) {
  const std::size_t d = geometry.dimension;
  const TokenData& data = *geometry.data;
  std::vector<Ball> rounded;
  for (const Rational& u : coordinates) rounded.emplace_back(u, image_bits);
  if (!geometry.products.kept()) {
    enclose_by_sums(rounded, budget);
    return;
  }
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    budget.poll();
    for (std::size_t k = 0; k < geometry.groups.size(); ++k) {
      const Ball product(exact_dot(data.query_factor, geometry.groups[i].original, data.query_factor,
                                   geometry.groups[k].original, geometry.query_dimension),
                         image_bits);
      for (std::size_t j = 0; j < d; ++j)
        add_product(images_[i * d + j], rounded[k * d + j], product, image_bits);
    }
  }
}

// (sum_k u_k z_k') z_i, the sum first.
void GroupImages::enclose_by_sums(const std::vector<Ball>& coordinates, const Budget& budget) {
  const std::size_t d = geometry_->dimension, e = geometry_->query_dimension;
  std::vector<Ball> sums(d * e);
  const auto query = [&](std::size_t i, std::size_t k) {
    return Ball(geometry_->data->query_factor.exact(geometry_->groups[i].original * e + k), image_bits);
  };
  for (std::size_t i = 0; i < geometry_->groups.size(); ++i) {
    budget.poll();
    for (std::size_t k = 0; k < e; ++k) {
      const Ball entry = query(i, k);
      for (std::size_t j = 0; j < d; ++j)
        add_product(sums[j * e + k], coordinates[i * d + j], entry, image_bits);
    }
  }
  for (std::size_t i = 0; i < geometry_->groups.size(); ++i) {
    budget.poll();
    for (std::size_t k = 0; k < e; ++k) {
      const Ball entry = query(i, k);
      for (std::size_t j = 0; j < d; ++j) add_product(images_[i * d + j], sums[j * e + k], entry, image_bits);
    }
  }
}

GroupImages::GroupImages(const RunGeometry& geometry, const ExactArray& entries, const Budget& budget)
    : geometry_(&geometry), images_(geometry.groups.size() * geometry.dimension) {
  const std::size_t d = geometry.dimension, e = geometry.query_dimension;
  const TokenData& data = *geometry.data;
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    budget.poll();
    for (std::size_t j = 0; j < d; ++j) {
      images_[i * d + j] =
          Ball(exact_dot(entries, j, data.query_factor, geometry.groups[i].original, e), image_bits);
    }
  }
}

Ball GroupImages::margin(std::size_t group, std::size_t selected, std::size_t token) const {
  Ball sum;
  const std::size_t d = geometry_->dimension;
  for (std::size_t j = 0; j < d; ++j) {
    const Rational difference =
        token_entry(*geometry_, group, selected, j) - token_entry(*geometry_, group, token, j);
    add_product(sum, Ball(difference, image_bits), images_[group * d + j], image_bits);
  }
  return sum;
}

Ball GroupImages::inner_product(const std::vector<Rational>& coordinates) const {
  Ball sum;
  for (std::size_t k = 0; k < images_.size(); ++k)
    add_product(sum, Ball(coordinates[k], image_bits), images_[k], image_bits);
  return sum;
}

Rational squared_constraint_norm(const RunGeometry& geometry, std::size_t group, std::size_t selected,
                                 std::size_t token) {
  Rational sum = 0;
  for (std::size_t j = 0; j < geometry.dimension; ++j) {
    const Rational difference =
        token_entry(geometry, group, selected, j) - token_entry(geometry, group, token, j);
    sum += difference * difference;
  }
  const std::size_t i = geometry.groups[group].original;
  return sum *
         exact_dot(geometry.data->query_factor, i, geometry.data->query_factor, i, geometry.query_dimension);
}

}  // namespace attest
