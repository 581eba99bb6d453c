#include "numerics/problem/scores.hpp"

#include <utility>

namespace attest {

Scores::Scores(RowProducts products, std::vector<bool> negated)
    : computed_(std::make_shared<const Computed>(Computed{std::move(products), std::move(negated)})) {}

void Scores::keep_all() {
  if (!computed_) return;
  const Scores before = std::exchange(*this, Scores());
  entries_.reserve(before.size());
  for (const Rational& value : before) entries_.push_back(entry_of(value));
}

Scores::Entry Scores::entry_of(const Rational& value) {
  const auto* raw = value.backend().data();
  Entry entry;
  entry.sign = mpq_sgn(raw);
  if (entry.sign == 0) return entry;
  const mp_bitcnt_t below = mpz_scan1(mpq_denref(raw), 0), factor = mpz_scan1(mpq_numref(raw), 0);
  const bool dyadic = mpz_sizeinbase(mpq_denref(raw), 2) == below + 1;
  const std::size_t bits = mpz_sizeinbase(mpq_numref(raw), 2) - factor;
  constexpr mp_bitcnt_t most_shift = mp_bitcnt_t{1} << 30;
  if (!dyadic || bits > 64 * entry.magnitude.size() || below > most_shift || factor > most_shift) {
    entry.sign = kept_apart;
    entry.magnitude[0] = others_.size();
    others_.push_back(value);
    return entry;
  }
  Integer odd;
  mpz_tdiv_q_2exp(odd.backend().data(), mpq_numref(raw), factor);
  mpz_export(entry.magnitude.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, odd.backend().data());
  entry.exponent = static_cast<std::int32_t>(factor) - static_cast<std::int32_t>(below);
  return entry;
}

void Scores::assign(std::size_t count, const Rational& value) {
  clear();
  entries_.assign(count, entry_of(value));
}

void Scores::push_back(const Rational& value) {
  keep_all();
  entries_.push_back(entry_of(value));
}

void Scores::set(std::size_t index, const Rational& value) {
  keep_all();
  entries_[index] = entry_of(value);
}

Rational Scores::operator[](std::size_t index) const {
  if (computed_) {
    Rational value = computed_->products.exact(index);
    if (computed_->negated[index]) mpq_neg(value.backend().data(), value.backend().data());
    return value;
  }
  const Entry& entry = entries_[index];
  if (entry.sign == kept_apart) return others_[entry.magnitude[0]];
  Rational value;
  auto* raw = value.backend().data();
  mpz_import(mpq_numref(raw), entry.magnitude.size(), -1, sizeof(std::uint64_t), 0, 0,
             entry.magnitude.data());
  if (entry.sign < 0) mpz_neg(mpq_numref(raw), mpq_numref(raw));
  if (entry.exponent >= 0) {
    mpq_mul_2exp(raw, raw, static_cast<mp_bitcnt_t>(entry.exponent));
  } else {
    mpq_div_2exp(raw, raw, static_cast<mp_bitcnt_t>(-entry.exponent));
  }
  return value;
}

int Scores::compare(std::size_t a, std::size_t b) const {
  if (computed_) {
    const auto [x, x_error] = computed_->products.nearly(a);
    const auto [y, y_error] = computed_->products.nearly(b);
    const double difference = (computed_->negated[a] ? -x : x) - (computed_->negated[b] ? -y : y);
    const double error = (x_error + y_error) * (1 + 0x1p-40);
    if (difference > error) return 1;
    if (difference < -error) return -1;
  } else if (entries_[a].sign != kept_apart && entries_[a] == entries_[b]) {
    return 0;
  }
  return (*this)[a].compare((*this)[b]);
}

bool operator==(const Scores& a, const Scores& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != b[k]) return false;
  }
  return true;
}

}  // namespace attest
