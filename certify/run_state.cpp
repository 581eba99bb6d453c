#include "certify/run_state.hpp"

#include <cinttypes>
#include <cstdio>
#include <sstream>

namespace attest {
namespace {

void put_ball(std::string& out, const Ball& ball) {
  char* text = arb_dump_str(ball.raw());
  out += ' ';
  for (const char* c = text; *c != '\0'; ++c) out += *c == ' ' ? ',' : *c;
  flint_free(text);
}

bool take_ball(std::istream& in, Ball& ball) {
  std::string text;
  if (!(in >> text)) return false;
  for (char& c : text) c = c == ',' ? ' ' : c;
  return arb_load_str(ball.raw(), text.c_str()) == 0;
}

void put_double(std::string& out, double value) {
  char text[40];
  std::snprintf(text, sizeof text, " %a", value);
  out += text;
}

bool take_double(std::istream& in, double& value) {
  std::string text;
  if (!(in >> text)) return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0';
}

bool take_word(std::istream& in, const char* word) {
  std::string text;
  return (in >> text) && text == word;
}

void put_constant(std::string& out, const LeastConstant& constant) {
  out += ' ' + std::to_string(constant.from) + ' ' + std::to_string(constant.to);
  put_double(out, constant.lo);
  put_double(out, constant.hi);
}

bool take_constant(std::istream& in, LeastConstant& constant) {
  return (in >> constant.from >> constant.to) && take_double(in, constant.lo) && take_double(in, constant.hi);
}

constexpr std::size_t most_entries = std::size_t{1} << 28;  // of any list in a state file

void put_start(std::string& out, const StartPoint<BallNumber>& start) {
  out += std::to_string(start.step) + ' ' + std::to_string(start.margins.size());
  for (const auto* list : {&start.margins, &start.offsets}) {
    for (const BallNumber& value : *list) put_ball(out, value.ball());
  }
  for (const BallNumber* value : {&start.height, &start.residual, &start.loss_gap}) put_ball(out, value->ball());
  out += "\n";
}

bool take_start(std::istream& in, StartPoint<BallNumber>& start) {
  std::size_t count = 0;
  if (!(in >> start.step >> count) || count > most_entries) return false;
  const auto take = [&](BallNumber& value) {
    Ball ball;
    if (!take_ball(in, ball)) return false;
    value = BallNumber(std::move(ball));
    return true;
  };
  for (auto* list : {&start.margins, &start.offsets}) {
    for (std::size_t c = 0; c < count; ++c) {
      if (!take(list->emplace_back())) return false;
    }
  }
  return take(start.height) && take(start.residual) && take(start.loss_gap);
}

bool take_count(std::istream& in, const char* word, std::size_t& count) {
  return take_word(in, word) && (in >> count) && count <= most_entries;
}

bool take_record(std::istream& in, RunRecord& record) {
  std::string increase;
  if (!take_word(in, "record") || !(in >> record.step >> record.correct_bits >> increase >> record.trace_stride)) return false;
  if (increase != "none") {
    std::uint64_t at = 0;
    if (std::sscanf(increase.c_str(), "%" SCNu64, &at) != 1) return false;
    record.first_loss_increase = at;
  }
  if (record.trace_stride == 0) return false;
  std::size_t count = 0;
  if (!take_word(in, "seen-from") || !(in >> record.directed >> count) || count > most_entries) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(in >> record.seen_from.emplace_back())) return false;
  }
  if (!take_count(in, "checkpoints", count)) return false;
  for (std::size_t k = 0; k < count; ++k) {
    RunPoint point;
    std::size_t groups = 0;
    if (!(in >> point.step >> groups) || groups > most_entries) return false;
    for (Ball* ball : {&point.norm, &point.loss_gap, &point.gradient_norm, &point.along, &point.across,
                       &point.one_minus_corr, &point.max_unselected}) {
      if (!take_ball(in, *ball)) return false;
    }
    for (std::size_t i = 0; i < groups; ++i) {
      if (!take_ball(in, point.unselected.emplace_back())) return false;
    }
    record.checkpoints.push_back(std::move(point));
  }
  if (!take_count(in, "shapes", count)) return false;
  for (std::size_t k = 0; k < count; ++k) {
    RateShape shape;
    std::size_t blocks = 0;
    if (!(in >> shape.name >> blocks) || blocks > 64 || !take_constant(in, shape.whole)) return false;
    shape.blocks.resize(blocks);
    for (LeastConstant& block : shape.blocks) {
      if (!take_constant(in, block)) return false;
    }
    record.shapes.push_back(std::move(shape));
  }
  if (!take_word(in, "path") || !take_constant(in, record.path.whole) || !take_count(in, "blocks", count)) return false;
  for (std::size_t k = 0; k < count; ++k) {
    if (!take_constant(in, record.path.blocks.emplace_back())) return false;
  }
  if (!take_count(in, "steps", count)) return false;
  for (std::size_t k = 0; k < count; ++k) {
    PathStep& step = record.path.steps.emplace_back();
    if (!(in >> step.step) || !take_ball(in, step.theorem) || !take_ball(in, step.needed)) return false;
  }
  if (!take_count(in, "trace", count)) return false;
  for (std::size_t k = 0; k < count; ++k) {
    TraceRow row;
    if (!(in >> row.step)) return false;
    for (double* value : {&row.norm, &row.along, &row.across, &row.one_minus_corr_lo, &row.one_minus_corr_hi,
                          &row.loss_gap, &row.gradient_norm, &row.max_unselected, &row.log2_radius}) {
      if (!take_double(in, *value)) return false;
    }
    record.trace.push_back(row);
  }
  return true;
}

}  // namespace

std::string write_run_state(const std::string& identity, const FixedFormat& format, const Trajectory::State& state,
                            const RunRecord& record, const std::vector<StartPoint<BallNumber>>& starts) {
  std::string out = "attest-run-state 3\n" + identity + "\n";
  out += "format " + std::to_string(format.limbs) + ' ' + std::to_string(format.fraction_bits) + "\n";
  char* radius = mag_dump_str(state.radius);
  std::string radius_text = radius;
  flint_free(radius);
  for (char& c : radius_text) c = c == ' ' ? ',' : c;
  out += "state " + std::to_string(state.step) + ' ' + radius_text + ' ' + std::to_string(state.coordinates.size()) + "\n";
  for (const Limb limb : state.coordinates) {
    char text[20];
    std::snprintf(text, sizeof text, "%" PRIx64 "\n", limb);
    out += text;
  }
  out += "record " + std::to_string(record.step) + ' ' + std::to_string(record.correct_bits) + ' ' +
         (record.first_loss_increase ? std::to_string(*record.first_loss_increase) : "none") + ' ' +
         std::to_string(record.trace_stride) + "\n";
  out += "seen-from " + std::to_string(record.directed) + ' ' + std::to_string(record.seen_from.size());
  for (const std::size_t token : record.seen_from) out += ' ' + std::to_string(token);
  out += "\ncheckpoints " + std::to_string(record.checkpoints.size()) + "\n";
  for (const RunPoint& point : record.checkpoints) {
    out += std::to_string(point.step) + ' ' + std::to_string(point.unselected.size());
    for (const Ball* ball : {&point.norm, &point.loss_gap, &point.gradient_norm, &point.along, &point.across,
                             &point.one_minus_corr, &point.max_unselected}) {
      put_ball(out, *ball);
    }
    for (const Ball& rest : point.unselected) put_ball(out, rest);
    out += "\n";
  }
  out += "shapes " + std::to_string(record.shapes.size()) + "\n";
  for (const RateShape& shape : record.shapes) {
    out += shape.name + ' ' + std::to_string(shape.blocks.size());
    put_constant(out, shape.whole);
    for (const LeastConstant& block : shape.blocks) put_constant(out, block);
    out += "\n";
  }
  out += "path";
  put_constant(out, record.path.whole);
  out += " blocks " + std::to_string(record.path.blocks.size());
  for (const LeastConstant& block : record.path.blocks) put_constant(out, block);
  out += " steps " + std::to_string(record.path.steps.size()) + "\n";
  for (const PathStep& step : record.path.steps) {
    out += std::to_string(step.step);
    put_ball(out, step.theorem);
    put_ball(out, step.needed);
    out += "\n";
  }
  out += "trace " + std::to_string(record.trace.size()) + "\n";
  for (const TraceRow& row : record.trace) {
    out += std::to_string(row.step);
    for (const double value : {row.norm, row.along, row.across, row.one_minus_corr_lo, row.one_minus_corr_hi,
                               row.loss_gap, row.gradient_norm, row.max_unselected, row.log2_radius}) {
      put_double(out, value);
    }
    out += "\n";
  }
  out += "starts " + std::to_string(starts.size()) + "\n";
  for (const StartPoint<BallNumber>& start : starts) put_start(out, start);
  return out + "end\n";
}

std::variant<RunStateFile, std::string> read_run_state(std::string_view text, const std::string& identity) {
  std::istringstream in{std::string(text)};
  std::string line;
  if (!std::getline(in, line) || line != "attest-run-state 3") return "not a state file of this version";
  if (!std::getline(in, line) || line != identity) return "the state is of another instance or another run";
  RunStateFile file;
  SavedRun& saved = file.run;
  std::string radius;
  std::size_t count = 0;
  const std::string damaged = "the state file is damaged";
  if (!take_word(in, "format") || !(in >> saved.format.limbs >> saved.format.fraction_bits)) return damaged;
  if (saved.format.limbs == 0 || saved.format.limbs > max_fixed_limbs || saved.format.fraction_bits < 0 ||
      saved.format.integer_bits() < 1) {
    return damaged;
  }
  if (!take_word(in, "state") || !(in >> saved.state.step >> radius >> count) || count > most_entries) return damaged;
  for (char& c : radius) c = c == ',' ? ' ' : c;
  if (mag_load_str(saved.state.radius, radius.c_str()) != 0) return damaged;
  saved.state.coordinates.reserve(count);
  in >> std::hex;
  for (std::size_t k = 0; k < count; ++k) {
    Limb limb = 0;
    if (!(in >> limb)) return damaged;
    saved.state.coordinates.push_back(limb);
  }
  in >> std::dec;
  if (!take_record(in, saved.record) || !take_count(in, "starts", count)) return damaged;
  for (std::size_t k = 0; k < count; ++k) {
    if (!take_start(in, file.starts.emplace_back())) return damaged;
  }
  if (!take_word(in, "end")) return damaged;
  return file;
}

}  // namespace attest
