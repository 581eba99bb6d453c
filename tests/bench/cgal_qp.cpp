// cgal_qp FILE: the margin problem's dual solved exactly by CGAL's quadratic programming solver.
//
// FILE holds the number of constraints m, the dimensions d and e, then for each constraint its d numbers dx
// and e numbers z, as hexadecimal floats. The dual is minimise (1/2) l'Gl - sum l over l >= 0 with the exact
// Gram matrix G = (dx.dx~)(z.z~), given in Gmpzf, CGAL's exact floating-point type. Prints the seconds of the
// solver call and the squared norm of w*.
#include <CGAL/Gmpzf.h>
#include <CGAL/QP_functions.h>
#include <CGAL/QP_models.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Exact = CGAL::Gmpzf;
using Program = CGAL::Quadratic_program<Exact>;

int main(int argc, char** argv) {
  std::FILE* file = argc == 2 ? std::fopen(argv[1], "r") : nullptr;
  std::size_t m = 0, d = 0, e = 0;
  if (!file || std::fscanf(file, "%zu %zu %zu", &m, &d, &e) != 3) return 2;
  std::vector<std::vector<Exact>> left(m), right(m);
  const auto read = [&](std::vector<Exact>& row, std::size_t size) {
    for (std::size_t j = 0; j < size; ++j) {
      double value = 0;
      if (std::fscanf(file, "%la", &value) != 1) std::exit(2);
      row.emplace_back(value);
    }
  };
  for (std::size_t c = 0; c < m; ++c) {
    read(left[c], d);
    read(right[c], e);
  }
  const auto dot = [](const std::vector<Exact>& a, const std::vector<Exact>& b) {
    Exact sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
  };
  Program program(CGAL::SMALLER, true, 0, false, 0);  // l >= 0, no other rows
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      program.set_d(static_cast<int>(i), static_cast<int>(j),
                    dot(left[i], left[j]) * dot(right[i], right[j]));
    program.set_c(static_cast<int>(i), -1);
  }
  const auto start = std::chrono::steady_clock::now();
  const auto solution = CGAL::solve_nonnegative_quadratic_program(program, Exact());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!solution.is_optimal()) return 1;
  std::printf("%.6f %.17g\n", seconds, -2 * CGAL::to_double(solution.objective_value()));
  return 0;
}
