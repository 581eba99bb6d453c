#include "certify/certificates/norm_optimum.hpp"

namespace attest {
void write_matrix(CertificateText& text, const std::string& name, const WrittenMatrix& matrix) {
  text.line("matrix " + name + ' ' + std::to_string(matrix.rows) + ' ' + std::to_string(matrix.columns) +
            " over " + matrix.denominator.str());
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    std::string line;
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      if (column > 0) line.push_back(' ');
      line += matrix.numerator[row * matrix.columns + column].str();
    }
    text.line(line);
  }
}

std::size_t write_norm_claims(CertificateText& text, std::size_t problem, const Norm& norm,
                              const NormOptimum& optimum) {
  const std::string name = "norm " + norm.word;
  std::string words =
      name + " value " + certificate_number(optimum.value.lo) + ' ' + certificate_number(optimum.value.hi);
  const bool factored = norm.kind == NormKind::nuclear;
  if (factored) words += " rank-at-most " + std::to_string(optimum.factor_columns());
  if (optimum.distance) words += " distance " + certificate_number(*optimum.distance);
  const std::size_t claim = text.claim("norm-optimum", problem, words);
  write_matrix(text, factored ? "left" : "primal", optimum.left);
  if (factored) write_matrix(text, "right", optimum.right);
  text.vector("multipliers", optimum.multipliers);
  std::string dual = "dual-norm " + certificate_number(optimum.dual_bound);
  if (factored || norm.kind == NormKind::power) dual += " bits " + std::to_string(optimum.bits);
  text.line(dual);
  const std::string from = name + " from " + std::to_string(claim);
  if (optimum.support_within) {
    text.claim("norm-support-within", problem,
               from + " size " + std::to_string(optimum.support_within->size()));
    text.constraint_list(*optimum.support_within);
  }
  if (optimum.locally_optimal) text.claim("norm-locally-optimal", problem, from);
  return claim;
}

void write_near_rank_claim(CertificateText& text, std::size_t problem, const Norm& norm, std::size_t optimum,
                           const NearRankEvidence& shown) {
  text.claim("norm-near-rank", problem,
             "norm " + norm.word + " from " + std::to_string(optimum) + " rank " +
                 std::to_string(shown.left.columns) + " distance " + certificate_number(shown.distance));
  write_matrix(text, "left", shown.left);
  write_matrix(text, "right", shown.right);
  text.line("dual-norm " + certificate_number(shown.dual_bound) + " bits " + std::to_string(shown.bits) +
            " slope " + certificate_number(shown.slope) + " step " + certificate_number(shown.step));
}

void write_face_claim(CertificateText& text, std::size_t problem, const Norm& norm, std::size_t optimum,
                      const FaceEvidence& shown) {
  text.claim("norm-face", problem,
             "norm " + norm.word + " from " + std::to_string(optimum) + " dimension " +
                 std::to_string(shown.others.size()) + ' ' + std::to_string(shown.entries.size()) + " size " +
                 std::to_string(shown.tight.size()));
  text.constraint_list(shown.tight);
  text.line("modulus " + std::to_string(shown.modulus));
  for (const std::size_t entry : shown.entries)
    text.line(std::to_string(entry / shown.columns) + ' ' + std::to_string(entry % shown.columns));
  for (const WrittenMatrix& other : shown.others) write_matrix(text, "other", other);
}

void write_solution_claim(CertificateText& text, std::size_t problem, const Norm& norm,
                          const NuclearSolution& solution) {
  text.claim("norm-solution", problem,
             "norm " + norm.word + " rank " + std::to_string(solution.rank()) + " distance " +
                 certificate_number(solution.distance));
  write_matrix(text, "left", solution.left);
  write_matrix(text, "right", solution.right);
  write_matrix(text, "inverse", solution.inverse);
  text.vector("multipliers", solution.multipliers);
  text.line("radius " + certificate_number(solution.radius) + " factors " +
            certificate_number(solution.factors) + " rows " + certificate_number(solution.rows) +
            " residual " + certificate_number(solution.residual) + " inverse " +
            certificate_number(solution.inverse_norm));
  text.line("lambda-min " + certificate_number(solution.smallest) + " columns " +
            certificate_number(solution.columns) + " dual-norm " + certificate_number(solution.dual_bound) +
            " slope " + certificate_number(solution.slope) + " bits " + std::to_string(solution.bits));
}

}  // namespace attest
