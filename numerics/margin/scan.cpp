#include "numerics/margin/scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kScanPieces = 64;
constexpr double kRoundUp = 1 + 0x1p-30;

// An upper bound of the length. Entries below 2^-500, whose squares may vanish, contribute less than the
// last term.
double length_bound(const Eigen::RowVectorXd& row) {
  return std::sqrt(row.squaredNorm()) * kRoundUp + 0x1p-480 * std::sqrt(static_cast<double>(row.size()));
}

// The margin of row t of a group is the difference of two logits x'(Wz). In any order of summation
//     |fl(x'fl(Wz)) - x'Wz| <= (gamma_d + gamma_e + gamma_d gamma_e) ||x|| ||W||_F ||z|| + underflow
// (Higham, section 3.1; kernel.cpp); (d + e + 20) 2^-52 is nearly twice that and covers the difference.
// Products that underflow lose 2^-1075 each. Another W within the radius moves a margin by radius
// (||x|| + ||x~||) ||z|| at most.
class GroupScan {
 public:
  GroupScan(const TokenData& data, const Selection& selection, const ScanRequest& request)
      : data_(data),
        selection_(selection),
        request_(request),
        token_(static_cast<Index>(data.left_dimension)),
        query_(static_cast<Index>(data.right_dimension)) {
    const auto d = static_cast<double>(data.left_dimension), e = static_cast<double>(data.right_dimension);
    const double norm = std::sqrt(request.w.squaredNorm()) * kRoundUp + 0x1p-480 * std::sqrt(d * e);
    by_length_ = ((d + e + 20) * 0x1p-52 * norm + request.radius) * kRoundUp;
    underflow_ = (d * e + d) * 0x1p-1000;
  }

  void look_at(std::size_t group, std::vector<SeenRow>& open) {
    load(data_.query_factor, group, query_);
    image_.noalias() = request_.w * query_.transpose();
    const double query_length = length_bound(query_);
    const auto [selected, selected_length] = logit(data_.row(group, selection_[group]));
    for (std::size_t t = 0; t < data_.tokens(group); ++t) {
      if (t == selection_[group] || !data_.present(group, t)) continue;
      const auto [other, length] = logit(data_.row(group, t));
      const double margin = selected - other, both = selected_length + length;
      const double error = (by_length_ * both * query_length + underflow_ * (1 + both)) * kRoundUp;
      if (margin - error > 1 + 0x1p-50 * std::fabs(margin)) continue;  // false for what is no number
      open.push_back({{group, t}, std::isnan(margin) ? -std::numeric_limits<double>::infinity() : margin});
    }
  }

 private:
  static void load(const ExactArray& values, std::size_t row, Eigen::RowVectorXd& into) {
    const BinaryArray& numbers = values.binary64();
    const auto width = static_cast<std::size_t>(into.size());
    for (std::size_t j = 0; j < width; ++j) into[static_cast<Index>(j)] = numbers[row * width + j];
  }

  // x'(Wz), and a bound of the length of x.
  std::pair<double, double> logit(std::size_t row) {
    load(data_.token_factor, row, token_);
    return {token_.dot(image_.transpose()), length_bound(token_)};
  }

  const TokenData& data_;
  const Selection& selection_;
  const ScanRequest& request_;
  double by_length_ = 0, underflow_ = 0;
  Eigen::RowVectorXd token_, query_;
  VectorXd image_;  // W z
};

// What the groups [first, last) have in files need not stay in memory until the next pass.
void give_back(const TokenData& data, std::size_t first, std::size_t last) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  data.token_factor.binary64().give_back(data.first_row[first] * d, data.first_row[last] * d);
  data.query_factor.binary64().give_back(first * e, last * e);
}

}  // namespace

bool operator<(const SeenRow& a, const SeenRow& b) {
  return std::tie(a.margin, a.at) < std::tie(b.margin, b.at);
}

std::vector<SeenRow> first_rows(std::vector<SeenRow> rows, std::size_t most) {
  if (rows.size() > most) {
    std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end());
    rows.resize(most);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<SeenRow> open_rows(const TokenData& data, const Selection& selection, std::size_t first,
                               std::size_t last, const ScanRequest& request, const Budget& budget) {
  budget.poll();
  std::vector<std::vector<SeenRow>> of_piece(kScanPieces);
  parallel_for(kScanPieces, [&](std::size_t piece) {
    GroupScan scan(data, selection, request);
    std::vector<SeenRow>& open = of_piece[piece];
    const std::size_t begin = first + piece * (last - first) / kScanPieces;
    const std::size_t end = first + (piece + 1) * (last - first) / kScanPieces;
    for (std::size_t group = begin; group < end; ++group) {
      scan.look_at(group, open);
      if (open.size() > 2 * request.most + 1000) open = first_rows(std::move(open), request.most);
    }
    give_back(data, begin, end);
  });
  std::vector<SeenRow> all;
  for (const std::vector<SeenRow>& open : of_piece) all.insert(all.end(), open.begin(), open.end());
  budget.poll();
  return first_rows(std::move(all), request.most);
}

}  // namespace attest
