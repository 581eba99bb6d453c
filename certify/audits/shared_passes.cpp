#include "certify/audits/shared_passes.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "certify/instance/share.hpp"

namespace attest {
namespace {

// The processes of a job run the same program on machines of one kind: numbers travel as they lie.
template <class Value>
void append(std::string& text, std::span<const Value> values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (!values.empty()) text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

template <class Value>
std::vector<Value> values_in(const std::string& text, std::size_t from) {
  std::vector<Value> values((text.size() - from) / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), text.data() + from, values.size() * sizeof(Value));
  return values;
}

// The first letter of a message. Questions: a problem, by its selection; a pass. Answers: rows; what went
// wrong.
constexpr char problem = 'p', pass = 's', end = 'e', rows = 'r', failure = 'f';

struct PassSizes {
  double radius = 0;
  std::uint64_t most = 0, d = 0, e = 0;
};

std::string message(const ScanRequest& request) {
  std::string text(1, pass);
  const PassSizes sizes{request.radius, request.most, static_cast<std::uint64_t>(request.w.rows()),
                        static_cast<std::uint64_t>(request.w.cols())};
  append<PassSizes>(text, {&sizes, 1});
  append<double>(text, {request.w.data(), static_cast<std::size_t>(request.w.size())});
  return text;
}

ScanRequest scan_request(const std::string& text) {
  PassSizes sizes;
  std::memcpy(&sizes, text.data() + 1, sizeof sizes);
  const std::vector<double> entries = values_in<double>(text, 1 + sizeof sizes);
  ScanRequest request;
  request.radius = sizes.radius;
  request.most = sizes.most;
  request.w = Eigen::Map<const RowMatrix>(entries.data(), static_cast<Eigen::Index>(sizes.d),
                                          static_cast<Eigen::Index>(sizes.e));
  return request;
}

// Those of all processes; what one of them says went wrong ends the computation.
class JobScan final : public MarginScan {
 public:
  JobScan(Ranks& ranks, const TokenData& data, const Selection& selection)
      : ranks_(ranks), data_(data), selection_(selection) {}

  std::vector<SeenRow> open_rows(const ScanRequest& request, const Budget& budget) override {
    if (!std::exchange(told_, true)) {
      std::string text(1, problem);
      append<std::size_t>(text, selection_);
      ranks_.from_first(std::move(text));
    }
    ranks_.from_first(message(request));
    const Part part{0, ranks_.size()};
    std::vector<SeenRow> all =
        attest::open_rows(data_, selection_, 0, part.end(data_.groups()), request, Budget());
    const std::vector<std::string> answers = ranks_.gather({});
    for (std::size_t rank = 1; rank < answers.size(); ++rank) {
      if (answers[rank][0] == failure)
        throw BudgetReached{answers[rank].substr(1) + " (process " + std::to_string(rank) + ")"};
      for (const SeenRow& row : values_in<SeenRow>(answers[rank], 1)) all.push_back(row);
    }
    budget.poll();
    return first_rows(std::move(all), request.most);
  }

 private:
  Ranks& ranks_;
  const TokenData& data_;
  const Selection& selection_;
  bool told_ = false;
};

// A process's part of a problem.
class PartOfProblem {
 public:
  // Throws InputFailure.
  PartOfProblem(const std::string& path, std::size_t memory_limit, const Selection& whole, Part part) {
    ReadLimits limits;
    limits.memory_bytes = memory_limit;
    Result<InstanceShare> share = read_share(path, part, limits);
    if (auto* error = std::get_if<InputError>(&share)) throw InputFailure{std::move(*error)};
    const InstanceShare& found = std::get<InstanceShare>(share);
    data_ = token_data(found.instance);
    first_ = part.begin(whole.size());
    const std::size_t count = part.end(whole.size()) - first_;
    if (data_.groups() == whole.size()) {
      begin_ = first_;
      selection_ = whole;
    } else {
      selection_.assign(whole.begin() + static_cast<std::ptrdiff_t>(first_),
                        whole.begin() + static_cast<std::ptrdiff_t>(first_ + count));
    }
    end_ = begin_ + count;
    if (data_.groups() < end_ || !fits()) fail_input("is another file than the first process's");
  }

  std::vector<SeenRow> open_rows(const ScanRequest& request) const {
    std::vector<SeenRow> seen = attest::open_rows(data_, selection_, begin_, end_, request, Budget());
    for (SeenRow& row : seen) row.at.group += first_ - begin_;
    return seen;
  }

 private:
  bool fits() const {
    for (std::size_t i = begin_; i < end_; ++i) {
      if (selection_[i] >= data_.tokens(i)) return false;
    }
    return true;
  }

  TokenData data_;
  Selection selection_;                          // of data_
  std::size_t first_ = 0, begin_ = 0, end_ = 0;  // of the part's groups, in the whole problem; in data_
};

}  // namespace

SharedPasses::~SharedPasses() {
  ranks_.from_first(std::string(1, end));
  ranks_.leave();
}

std::unique_ptr<MarginScan> SharedPasses::over(const TokenData& data, const Selection& selection) {
  return std::make_unique<JobScan>(ranks_, data, selection);
}

void serve_passes(const std::string& path, std::size_t memory_limit, Ranks& ranks) {
  std::optional<PartOfProblem> part;
  std::string wrong;
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (const InputFailure& input) {
      wrong = "input: " + input.error.text();
    } catch (const std::bad_alloc&) {
      wrong = "memory: more is needed than --memory-limit allows";
    }
  };
  for (;;) {
    const std::string asked = ranks.from_first({});
    if (asked[0] == end) return;
    if (asked[0] == problem) {
      wrong.clear();
      guarded([&] {
        part.emplace(path, memory_limit, values_in<std::size_t>(asked, 1), Part{ranks.rank(), ranks.size()});
      });
      continue;
    }
    std::string answer(1, rows);
    if (wrong.empty()) guarded([&] { append<SeenRow>(answer, part->open_rows(scan_request(asked))); });
    ranks.gather(wrong.empty() ? std::move(answer) : failure + wrong);
  }
}

}  // namespace attest
