#include "numerics/margin/prescan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "numerics/margin/fingerprint.hpp"

namespace attest {
namespace {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;

int sign_of_difference(const ExactArray& values, std::size_t a, std::size_t b) {
  if (values.is_binary64()) {
    const double x = values.binary64()[a], y = values.binary64()[b];
    return x < y ? -1 : static_cast<int>(x > y);
  }
  const Rational x = values.exact(a), y = values.exact(b);
  return x < y ? -1 : static_cast<int>(x > y);
}

// Where a row dx_c z_i' starts: its first entries that are not zero, with their signs.
struct Lead {
  std::size_t token_column = 0, query_column = 0;
  int sign = 0;  // of the product of the two entries; 0: the row is zero
};

class Prescan {
 public:
  Prescan(const TokenData& data, const std::vector<MarginRow>& rows, const Budget& budget)
      : data_(data),
        d_(data.left_dimension),
        e_(data.right_dimension),
        rows_(rows),
        budget_(budget),
        taken_(data.groups(), false) {}

  MarginPrescan run() {
    find_zero_queries();
    find_zero_rows();
    sort_by_direction();
    pair_within_groups();
    pair_across_groups();
    return std::move(result_);
  }

 private:
  // A row that is not zero, in the class of the rows parallel to it.
  struct Directed {
    std::uint64_t token = 0, query = 0;
    int sign = 0;
    std::size_t row = 0;
    bool parallel_class(const Directed& other) const { return token == other.token && query == other.query; }
  };

  // Column of the first entry of z_i that is not zero, or e.
  std::size_t first_query_column(std::size_t group) const {
    std::size_t j = 0;
    while (j < e_ && query_sign(group, j) == 0) ++j;
    return j;
  }
  int query_sign(std::size_t group, std::size_t j) const {
    const ExactArray& queries = data_.query_factor;
    if (queries.is_binary64()) {
      const double entry = queries.binary64()[group * e_ + j];
      return entry < 0 ? -1 : static_cast<int>(entry > 0);
    }
    const Rational entry = queries.exact(group * e_ + j);
    return entry < 0 ? -1 : static_cast<int>(entry > 0);
  }

  void find_zero_queries() {
    query_column_.resize(data_.groups());
    for (std::size_t i = 0; i < data_.groups(); ++i) query_column_[i] = first_query_column(i);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::size_t group = rows_[k].group;
      if (query_column_[group] != e_ || (k > 0 && rows_[k - 1].group == group)) continue;
      result_.zero_queries.push_back(group);
    }
  }

  Lead lead(const MarginRow& row) const {
    Lead found;
    found.query_column = query_column_[row.group];
    if (found.query_column == e_) return found;
    const std::size_t plus = data_.row(row.group, row.winner) * d_;
    const std::size_t minus = data_.row(row.group, row.loser) * d_;
    for (; found.token_column < d_; ++found.token_column) {
      const int sign =
          sign_of_difference(data_.token_factor, plus + found.token_column, minus + found.token_column);
      if (sign == 0) continue;
      found.sign = sign * query_sign(row.group, found.query_column);
      return found;
    }
    return found;
  }

  void find_zero_rows() {
    lead_.reserve(rows_.size());
    for (const MarginRow& row : rows_) {
      lead_.push_back(lead(row));
      if (lead_.back().sign != 0 || row.sense != Sense::at_least_one) continue;
      result_.zero_rows.push_back(row.constraint());
      if (taken_[row.group]) continue;
      ConstraintVector farkas;
      farkas.constraint = {row.constraint()};
      farkas.numerator = {Integer(1)};
      take(std::move(farkas));
    }
  }

  void sort_by_direction() {
    budget_.poll();
    budget_.reserve(static_cast<double>(rows_.size()) * sizeof(Directed) +
                        static_cast<double>(data_.first_row.back() + data_.groups()) * sizeof(Fingerprint),
                    "scan for opposite rows");
    const std::vector<Fingerprint> token = fingerprints(data_.token_factor, d_);
    budget_.poll();
    const std::vector<Fingerprint> query = fingerprints(data_.query_factor, e_);
    std::vector<std::optional<Residue>> query_direction;
    for (const Fingerprint& one : query) query_direction.push_back(one.direction());
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const MarginRow& row = rows_[k];
      if (lead_[k].sign == 0 || taken_[row.group]) continue;
      const Fingerprint difference =
          token[data_.row(row.group, row.winner)] - token[data_.row(row.group, row.loser)];
      const std::optional<Residue> direction = difference.direction();
      if (!direction || !query_direction[row.group]) continue;
      directed_.push_back({direction->value, query_direction[row.group]->value, lead_[k].sign, k});
    }
    budget_.poll();
    std::sort(directed_.begin(), directed_.end(), [](const Directed& a, const Directed& b) {
      return std::tie(a.token, a.query, a.row) < std::tie(b.token, b.query, b.row);
    });
  }

  // Calls use(begin, end) for every class of rows that are probably parallel.
  template <class Use>
  void for_each_class(const Use& use) {
    for (std::size_t begin = 0, end = 0; begin < directed_.size(); begin = end) {
      while (end < directed_.size() && directed_[end].parallel_class(directed_[begin])) ++end;
      if (end - begin > 1) use(begin, end);
    }
    budget_.poll();
  }

  bool asks(const Directed& row) const { return rows_[row.row].sense == Sense::at_least_one; }
  bool is_equality(const Directed& row) const { return rows_[row.row].sense == Sense::equal_to_zero; }
  // Can no W satisfy both, if they are parallel?
  bool contradict(const Directed& a, const Directed& b) const {
    return (asks(a) || asks(b)) && (a.sign != b.sign || is_equality(a) || is_equality(b));
  }

  // Rows of a group stand together in a class: each is held against the last one of every kind before it.
  void pair_within_groups() {
    for_each_class([&](std::size_t begin, std::size_t end) {
      std::array<const Directed*, 6> last{};  // by sense and sign
      for (std::size_t k = begin; k < end; ++k) {
        const Directed& row = directed_[k];
        if (k > begin && rows_[row.row].group != rows_[directed_[k - 1].row].group) last.fill(nullptr);
        for (const Directed* before : last) {
          if (before != nullptr && contradict(*before, row)) try_pair(*before, row);
        }
        last[2 * static_cast<std::size_t>(rows_[row.row].sense) + (row.sign > 0 ? 1 : 0)] = &row;
      }
    });
  }

  void pair_across_groups() {
    for_each_class([&](std::size_t begin, std::size_t end) {
      for (const int sign : {1, -1}) {
        const auto one = [&](const Directed& row) { return asks(row) && row.sign == sign; };
        const auto other = [&](const Directed& row) { return row.sign != sign || is_equality(row); };
        const auto advance = [&](std::size_t& at, const auto& wanted) {
          while (at < end && (!wanted(directed_[at]) || taken_[rows_[directed_[at].row].group])) ++at;
          return at < end;
        };
        std::size_t a = begin, b = begin;
        while (advance(a, one) && advance(b, other)) {
          // Rows that only share a fingerprint are passed by.
          if (!try_pair(directed_[a], directed_[b])) ++a, ++b;
        }
      }
    });
  }

  // Of two rows that contradict each other if they are parallel.
  bool try_pair(const Directed& a, const Directed& b) {
    if (taken_[rows_[a.row].group] || taken_[rows_[b.row].group]) return false;
    const std::size_t first = std::min(a.row, b.row), second = std::max(a.row, b.row);
    const std::optional<Rational> ratio = exact_ratio(first, second);
    if (!ratio) return false;
    // Delta_second = ratio Delta_first: weights -ratio and 1, or 1 where only the first row asks for >= 1.
    const int sign = rows_[second].sense == Sense::equal_to_zero && *ratio > 0 ? -1 : 1;
    ConstraintVector farkas;
    farkas.constraint = {rows_[first].constraint(), rows_[second].constraint()};
    farkas.numerator = {-sign * numerator(*ratio), sign * denominator(*ratio)};
    take(std::move(farkas));
    return true;
  }

  // k with Delta_second = k Delta_first, if there is one.
  std::optional<Rational> exact_ratio(std::size_t first, std::size_t second) const {
    const Lead &a = lead_[first], &b = lead_[second];
    if (a.token_column != b.token_column || a.query_column != b.query_column) return std::nullopt;
    const auto token = [&](std::size_t k, std::size_t j) {
      return data_.token_factor.exact(data_.row(rows_[k].group, rows_[k].winner) * d_ + j) -
             data_.token_factor.exact(data_.row(rows_[k].group, rows_[k].loser) * d_ + j);
    };
    const auto query = [&](std::size_t k, std::size_t j) {
      return data_.query_factor.exact(rows_[k].group * e_ + j);
    };
    const Rational tokens = token(second, a.token_column) / token(first, a.token_column);
    for (std::size_t j = a.token_column; j < d_; ++j) {
      if (token(second, j) != tokens * token(first, j)) return std::nullopt;
    }
    const Rational queries = query(second, a.query_column) / query(first, a.query_column);
    for (std::size_t j = a.query_column; j < e_; ++j) {
      if (query(second, j) != queries * query(first, j)) return std::nullopt;
    }
    return tokens * queries;
  }

  void take(ConstraintVector farkas) {
    result_.conflicts.push_back(make_conflict(std::move(farkas)));
    for (const std::size_t group : result_.conflicts.back().groups) taken_[group] = true;
  }

  const TokenData& data_;
  const std::size_t d_, e_;
  const std::vector<MarginRow>& rows_;
  const Budget& budget_;
  std::vector<bool> taken_;  // groups that a conflict found lies in
  std::vector<std::size_t> query_column_;
  std::vector<Lead> lead_;
  std::vector<Directed> directed_;
  MarginPrescan result_;
};

}  // namespace

Conflict make_conflict(ConstraintVector farkas) {
  Conflict conflict;
  for (const Constraint& c : farkas.constraint) {
    if (conflict.groups.empty() || conflict.groups.back() != c.group) conflict.groups.push_back(c.group);
  }
  conflict.farkas = std::move(farkas);
  return conflict;
}

MarginPrescan prescan_margin_problem(const TokenData& data, const Selection& selection,
                                     const Budget& budget) {
  return prescan_margin_rows(data, margin_rows(data, selection), budget);
}

MarginPrescan prescan_margin_rows(const TokenData& data, const std::vector<MarginRow>& rows,
                                  const Budget& budget) {
  if (rows.empty()) return {};
  return Prescan(data, rows, budget).run();
}

}  // namespace attest
