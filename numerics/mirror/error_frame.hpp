// The error of an iterated point as a box in coordinates that turn with the iteration (R. Lohner, Enclosing
// the solutions of ordinary initial and boundary value problems, 1987): e = B r, |r_k| <= bound_k, B nearly
// orthogonal.
//
// A radius alone would take every step's expansion, whatever direction the error has; a box in the frame of
// a QR factorisation meets a triangular matrix, and grows as fast as errors do.
#pragma once

#include <Eigen/Dense>

namespace attest {

class ErrorFrame {
 public:
  // No error, of so many coordinates.
  explicit ErrorFrame(Eigen::Index size);

  bool is_zero() const { return bound_.isZero(0); }
  // Upper bounds of |e_k|.
  Eigen::VectorXd coordinates() const;

  // e' = (J + E) e + noise for the given J, some ||E||_F <= slack, and |noise_k| <= noise[k]. False when the
  // frame cannot be shown to be one.
  //
  // With P = J B, column order by length, P = Q R in doubles and B' = Q as computed: r' = Q^-1 e', and
  // ||Q^-1 - Q'|| <= 2 k for ||I - Q'Q|| <= k <= 1/4, so |r'| <= |Q'P| r + |Q'| noise + what rounding, E and
  // k come to, which is at most the number below times ||r|| in every coordinate.
  bool step(const Eigen::MatrixXd& jacobian, double slack, const Eigen::VectorXd& noise);

  // These bounds of |e_k| instead.
  void set(const Eigen::VectorXd& bound);

  // log2 of the growth of ||bound|| by all steps so far.
  double growth_bits() const { return growth_bits_; }

 private:
  Eigen::MatrixXd basis_;
  Eigen::VectorXd bound_;
  double growth_bits_ = 0;
};

}  // namespace attest
