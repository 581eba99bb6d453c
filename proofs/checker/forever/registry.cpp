// The registry of the theorems about all later steps, and how what they share is read.
#include "proofs/checker/forever/absorbing.hpp"
#include "proofs/checker/forever/bounded.hpp"
#include "proofs/checker/forever/local.hpp"
#include "proofs/checker/forever/lock_in.hpp"
#include "proofs/checker/forever/residual.hpp"

namespace attest_check {
namespace {

template <class Kind>
std::unique_ptr<Theorem> make() {
  return std::make_unique<Kind>();
}

// The last is what a certificate is asked for that names none of them.
constexpr const char* names[] = {Absorbing::word, Local::word, Bounded::word, Residual::word, LockIn::word};
constexpr std::unique_ptr<Theorem> (*makers[])() = {make<Absorbing>, make<Local>, make<Bounded>,
                                                    make<Residual>, make<LockIn>};

}  // namespace

std::unique_ptr<Theorem> read_theorem(Reader& in) {
  std::size_t place = 0;
  in("theorem");
  in.one_of(names, place);
  return makers[place]();
}

std::vector<Constraint> read_outside(Reader& in) {
  return in.constraints(in.count("outside"));
}

void read_ranges(Reader& in, const std::vector<RangeList>& lists) {
  const std::size_t count = in.count("ranges");
  const Line ranges = in.line();
  std::size_t read = 0;
  for (std::size_t i = 0; i < in.features().groups(); ++i) {
    if (in.features().different(i) == 1) continue;
    if (++read > count) ranges.bad("every group with more than one different token is listed");
    std::size_t group = 0;
    in.next("group", group);
    if (group != i) in.bad("expected group " + std::to_string(i));
    for (const RangeList& list : lists) in(list.word, list.values.emplace_back());
    in.end();
  }
  if (read != count) ranges.bad("only groups with more than one different token are listed");
}

}  // namespace attest_check
