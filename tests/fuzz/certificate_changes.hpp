// Random changes of a certificate's words and lines: most of them keep its grammar, so that they reach the
// checks of the claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

class ChangeableCertificate {
 public:
  explicit ChangeableCertificate(const std::string& text);

  std::size_t lines() const { return lines_.size(); }

  // The certificate after one to four changes, mostly of lines [first, last): words replaced by what fits
  // their place, by words from elsewhere, dropped, repeated or exchanged; lines dropped, repeated or
  // exchanged; entries of vectors dropped or repeated. The totals of its end line are mostly made right. The
  // seed decides everything.
  std::string changed(std::uint64_t seed, std::size_t first, std::size_t last) const;
  std::string changed(std::uint64_t seed) const { return changed(seed, 0, lines()); }

 private:
  std::vector<std::vector<std::string>> lines_;  // words
};

}  // namespace fuzz
