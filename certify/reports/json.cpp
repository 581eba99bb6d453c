#include "certify/reports/json.hpp"

#include "certify/numbers/decimal.hpp"

namespace attest {

Json json_enclosure(const std::optional<Interval>& x, int digits) {
  if (!x) return nullptr;
  return {{"lo", plain_decimal_down(x->lo, digits)}, {"hi", plain_decimal_up(x->hi, digits)}};
}

Json json_enclosure(const Ball& x, int digits) {
  return json_enclosure(interval_of(x), digits);
}

Json json_claims(const std::vector<WrittenClaim>& claims) {
  Json list = Json::array();
  for (const WrittenClaim& claim : claims) list.push_back({{"kind", claim.kind}, {"level", claim.level}});
  return list;
}

Json json_file(const CertificateFile& file) {
  return file.path.empty() ? Json(nullptr) : Json(file.path);
}

std::string written(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attest
