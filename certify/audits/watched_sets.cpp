#include "certify/audits/watched_sets.hpp"

#include <algorithm>
#include <utility>

#include "certify/audits/sets_file.hpp"

namespace attest {

WatchedSets::WatchedSets(const RunGeometry& geometry, SelectedSets sets, const MarginOptions& options,
                         const Budget& budget)
    : equations_(*geometry.data, sets, budget) {
  seen_.sets = std::move(sets);
  seen_.solution = solve_margin_rows(*geometry.data, margin_rows(*geometry.data, seen_.sets), options);
}

Result<std::unique_ptr<WatchedSets>> WatchedSets::read(const RunRequest& request, const std::string& sets,
                                                       const Instance& instance, const RunGeometry& geometry,
                                                       const Budget& budget) {
  const TokenData& data = *geometry.data;
  if (request.arithmetic != "validated") return bad_option("--selected-sets", "needs validated arithmetic");
  if (request.resume) return bad_option("--selected-sets", "needs the whole run: leave --resume out");
  if (data.offsets) return bad_option("--selected-sets", "not with logits that have offsets");
  Result<SetsFile> read = read_sets(sets, instance, data);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  SetsFile& file = std::get<SetsFile>(read);
  MarginOptions options;
  options.precision_bits = std::max(192L, request.bits + 64);
  options.memory_limit_bytes = request.memory_limit;
  options.outer = &budget;
  std::unique_ptr<WatchedSets> watched(new WatchedSets(geometry, std::move(file.sets), options, budget));
  std::optional<std::vector<Ball>> values;
  if (!request.ratios.empty()) {
    auto ratios = read_ratios(request.ratios, data, file.listed, watched->equations_);
    if (auto* error = std::get_if<InputError>(&ratios)) return std::move(*error);
    const auto& given = std::get<std::vector<Rational>>(ratios);
    watched->seen_.finite = solve_finite_part(watched->equations_, given, options.precision_bits);
    values = logarithms(given, options.precision_bits);
  }
  const bool contradicted = watched->seen_.finite && watched->seen_.finite->contradiction;
  const MarginSolution none;  // without W_fin there is no combination to compare with
  watched->observer_.emplace(geometry, watched->seen_.sets, watched->equations_,
                             contradicted ? none : watched->seen_.solution, std::move(values));
  return watched;
}

}  // namespace attest
