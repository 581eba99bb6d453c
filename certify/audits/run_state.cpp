// The fields of a state file, listed once: `visit` names them in their order, a StateWriter or a StateReader
// does the rest. Words stand where a list begins, so that a damaged file is noticed early.
#include "certify/audits/run_state.hpp"

#include <cinttypes>
#include <cstdio>
#include <sstream>

#include "certify/process/file_bytes.hpp"

namespace attest {
namespace {

constexpr const char* first_line = "attest-run-state 5";
constexpr std::size_t most_entries = std::size_t{1} << 28;  // of any list

class StateWriter {
 public:
  void word(const char* text) { (out_ += '\n') += text; }
  void operator()(std::uint64_t value) { (out_ += ' ') += std::to_string(value); }
  void operator()(long value) { (out_ += ' ') += std::to_string(value); }
  void operator()(int value) { (out_ += ' ') += std::to_string(value); }
  void operator()(bool value) { out_ += value ? " 1" : " 0"; }
  void operator()(double value) { print(" %a", value); }
  void operator()(const std::string& name) { (out_ += ' ') += name; }
  void operator()(const Ball& value) { take(arb_dump_str(value.raw())); }
  void operator()(const BallNumber& value) { (*this)(value.ball()); }
  void operator()(const std::optional<std::uint64_t>& value) {
    (out_ += ' ') += value ? std::to_string(*value) : "none";
  }
  void limb(Limb value) { print(" %" PRIx64, value); }

  template <typename T, typename Each>
  void list(const std::vector<T>& entries, Each each) {
    (*this)(static_cast<std::uint64_t>(entries.size()));
    for (const T& entry : entries) each(entry);
  }

  std::string take_text() { return std::move(out_); }

 private:
  template <typename T>
  void print(const char* format, T value) {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    out_ += text;
  }

  // FLINT's own text of a number, its spaces replaced.
  void take(char* text) {
    out_ += ' ';
    for (const char* c = text; *c != '\0'; ++c) out_ += *c == ' ' ? ',' : *c;
    flint_free(text);
  }

  std::string out_;
};

struct Damaged {};

class StateReader {
 public:
  explicit StateReader(std::string text) : in_(std::move(text)) {}

  bool line_is(const std::string& expected) {
    std::string line;
    return std::getline(in_, line) && line == expected;
  }
  void word(const char* text) { require(next() == text); }
  void operator()(std::uint64_t& value) { require(static_cast<bool>(in_ >> value)); }
  void operator()(long& value) { require(static_cast<bool>(in_ >> value)); }
  void operator()(int& value) { require(static_cast<bool>(in_ >> value)); }
  void operator()(bool& value) { require(static_cast<bool>(in_ >> value)); }
  void operator()(double& value) {
    const std::string text = next();
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    require(end != text.c_str() && *end == '\0');
  }
  void operator()(std::string& name) { name = next(); }
  void operator()(Ball& value) { require(arb_load_str(value.raw(), with_spaces().c_str()) == 0); }
  void operator()(BallNumber& value) {
    Ball ball;
    (*this)(ball);
    value = BallNumber(std::move(ball));
  }
  void operator()(std::optional<std::uint64_t>& value) {
    const std::string text = next();
    if (text == "none") return value.reset();
    std::uint64_t number = 0;
    require(std::sscanf(text.c_str(), "%" SCNu64, &number) == 1);
    value = number;
  }
  void limb(Limb& value) {
    in_ >> std::hex;
    require(static_cast<bool>(in_ >> value));
    in_ >> std::dec;
  }

  template <typename T, typename Each>
  void list(std::vector<T>& entries, Each each) {
    std::uint64_t count = 0;
    (*this)(count);
    require(count <= most_entries);
    entries.clear();
    for (std::uint64_t k = 0; k < count; ++k) each(entries.emplace_back());
  }

 private:
  static void require(bool holds) {
    if (!holds) throw Damaged{};
  }

  std::string next() {
    std::string text;
    require(static_cast<bool>(in_ >> text));
    return text;
  }

  std::string with_spaces() {
    std::string text = next();
    for (char& c : text) c = c == ',' ? ' ' : c;
    return text;
  }

  std::istringstream in_;
};

// `auto&` below: the writer's values are const, the reader's are not.

void visit_constant(auto& io, auto& constant) {
  io(constant.from);
  io(constant.to);
  io(constant.lo);
  io(constant.hi);
}

void visit_point(auto& io, auto& point) {
  io(point.step);
  for (auto* ball : {&point.norm, &point.loss_gap, &point.gradient_norm, &point.along, &point.across,
                     &point.one_minus_corr, &point.max_unselected}) {
    io(*ball);
  }
  io.list(point.unselected, [&](auto& rest) { io(rest); });
}

void visit_row(auto& io, auto& row) {
  io(row.step);
  for (auto* value : {&row.norm, &row.along, &row.across, &row.one_minus_corr_lo, &row.one_minus_corr_hi,
                      &row.loss_gap, &row.gradient_norm, &row.max_unselected, &row.log2_radius}) {
    io(*value);
  }
}

void visit_record(auto& io, auto& record) {
  const auto constants = [&](auto& list) {
    io.list(list, [&](auto& constant) { visit_constant(io, constant); });
  };
  io.word("record");
  io(record.step);
  io(record.correct_bits);
  io(record.first_loss_increase);
  io(record.trace_stride);
  io.word("seen-from");
  io(record.directed);
  io.list(record.seen_from, [&](auto& token) { io(token); });
  io.word("checkpoints");
  io.list(record.checkpoints, [&](auto& point) { visit_point(io, point); });
  io.word("shapes");
  io.list(record.shapes, [&](auto& shape) {
    io(shape.name);
    visit_constant(io, shape.whole);
    constants(shape.blocks);
  });
  io.word("path");
  visit_constant(io, record.path.whole);
  constants(record.path.blocks);
  io.list(record.path.steps, [&](auto& step) {
    io(step.step);
    io(step.theorem);
    io(step.needed);
  });
  io.word("trace");
  io.list(record.trace, [&](auto& row) { visit_row(io, row); });
}

void visit_start(auto& io, auto& start) {
  io(start.step);
  for (auto* values : {&start.margins, &start.offsets}) io.list(*values, [&](auto& value) { io(value); });
  for (auto* value : {&start.height, &start.residual, &start.loss_gap}) io(*value);
}

void visit(auto& io, auto& format, auto& state, auto& record, auto& starts) {
  io.word("format");
  io(format.limbs);
  io(format.fraction_bits);
  io.word("state");
  io(state.step);
  io.list(state.errors, [&](auto& error) { io(error); });
  io.list(state.coordinates, [&](auto& limb) { io.limb(limb); });
  visit_record(io, record);
  io.word("starts");
  io.list(starts, [&](auto& start) { visit_start(io, start); });
  io.word("end");
}

}  // namespace

std::string write_run_state(const std::string& identity, const FixedFormat& format,
                            const Iteration::State& state, const RunRecord& record,
                            const std::vector<StartPoint<BallNumber>>& starts) {
  StateWriter out;
  visit(out, format, state, record, starts);
  return first_line + ("\n" + identity) + out.take_text() + "\n";
}

std::variant<RunStateFile, std::string> read_run_state(std::string_view text, const std::string& identity) {
  StateReader in{std::string(text)};
  if (!in.line_is(first_line)) return "not a state file of this version";
  if (!in.line_is(identity)) return "the state is of another instance or another run";
  RunStateFile file;
  try {
    visit(in, file.run.format, file.run.state, file.run.record, file.starts);
  } catch (const Damaged&) {
    return "the state file is damaged";
  }
  const FixedFormat& format = file.run.format;
  const bool usable = format.limbs > 0 && format.limbs <= max_fixed_limbs && format.fraction_bits >= 0 &&
                      format.integer_bits() >= 1 && file.run.record.trace_stride > 0;
  if (!usable) return "the state file is damaged";
  for (const StartPoint<BallNumber>& start : file.starts) {
    if (start.margins.size() != start.offsets.size()) return "the state file is damaged";
  }
  return file;
}

Result<RunStateFile> load_run_state(const RunRequest& request, const std::string& identity) {
  const std::string path = request.state_path();
  const auto error = [&](const std::string& message) {
    return InputError{InputError::Kind::malformed, path, {}, {}, message};
  };
  std::string text;
  try {
    text = read_file(path, ReadLimits{request.memory_limit});
  } catch (const InputFailure& failure) {
    InputError unread = failure.error;
    unread.file = path;
    return unread;
  }
  auto read = read_run_state(text, identity);
  if (const auto* reason = std::get_if<std::string>(&read)) return error(*reason);
  RunStateFile& saved = std::get<RunStateFile>(read);
  if (saved.run.record.step > request.steps) {
    return error("the state is of step " + std::to_string(saved.run.record.step) +
                 ", past the last step asked for");
  }
  return std::move(saved);
}

}  // namespace attest
