// The extension module attest._attest: the use cases on instances in memory. The package around it (attest/)
// makes the public names; what crosses the border is the JSON that the commands print, certificates as text,
// and arrays.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "certify/audits/audit.hpp"
#include "certify/audits/certify.hpp"
#include "certify/audits/checkpoint.hpp"
#include "certify/audits/export.hpp"
#include "certify/audits/info.hpp"
#include "certify/audits/joint.hpp"
#include "certify/audits/joint_run.hpp"
#include "certify/audits/ntp.hpp"
#include "certify/audits/path.hpp"
#include "certify/audits/run.hpp"
#include "certify/audits/selected_sets.hpp"
#include "certify/audits/selections.hpp"
#include "certify/audits/verify.hpp"
#include "certify/instance/read.hpp"
#include "certify/instance/write.hpp"
#include "certify/python/arrays.hpp"
#include "certify/python/matrix.hpp"
#include "certify/python/watch.hpp"
#include "certify/reports/audit.hpp"
#include "certify/reports/certify.hpp"
#include "certify/reports/checkpoint.hpp"
#include "certify/reports/export.hpp"
#include "certify/reports/factored_run.hpp"
#include "certify/reports/info.hpp"
#include "certify/reports/joint.hpp"
#include "certify/reports/joint_run.hpp"
#include "certify/reports/mirror_run.hpp"
#include "certify/reports/ntp.hpp"
#include "certify/reports/path.hpp"
#include "certify/reports/run.hpp"
#include "certify/reports/selected_sets.hpp"
#include "certify/reports/selections.hpp"
#include "certify/reports/verify.hpp"
#include "numerics/numbers/parallel.hpp"
#include "proofs/checker/checker.hpp"

namespace py = pybind11;

namespace attest {
namespace {

// What every call takes beside its own options.
struct Call {
  double time_limit = 0;
  std::size_t memory_limit = 0;
  py::object progress = py::none();
  std::size_t threads = 0;  // at most so many; 0: one for each core
};

[[noreturn]] void raise(const InputError& error) {
  const py::object type = py::module_::import("attest.errors").attr("InputError");
  PyErr_SetObject(type.ptr(), type(error.text(), error.file, error.key, error.index, error.message).ptr());
  throw py::error_already_set();
}

template <class T>
T value_or_raise(Result<T> result) {
  if (const auto* error = std::get_if<InputError>(&result)) raise(*error);
  return std::get<T>(std::move(result));
}

// The answer of `audit`, which runs without the interpreter's lock; nothing, with the reason, when the time
// came before anything was proved.
template <class Audit>
auto answer_of(const Call& call, std::string& reason, Audit audit)
    -> std::optional<std::variant_alternative_t<0, decltype(audit(std::declval<AuditWatch&>()))>> {
  PythonWatch watch(call.time_limit, call.progress);
  std::optional<decltype(audit(watch))> result;
  {
    const py::gil_scoped_release free;
    const ThreadLimit threads(call.threads);
    try {
      result.emplace(audit(watch));
    } catch (const BudgetReached& reached) {
      reason = reached.reason;
    }
  }
  watch.raise_pending();
  if (!result) return std::nullopt;
  return value_or_raise(std::move(*result));
}

// JSON, certificate, and what is there beside them.
py::tuple replied(const std::string& json, const std::string& certificate,
                  const py::object& more = py::none()) {
  return py::make_tuple(json, certificate, more);
}

py::tuple undecided(const std::string& reason) {
  return replied(py::cast<std::string>(py::module_::import("json").attr("dumps")(
                     py::dict(py::arg("verdict") = "undecided", py::arg("reason") = reason))),
                 "");
}

Norm norm_of(const std::string& word) {
  const std::optional<Norm> norm = parse_norm(word);
  if (!norm) raise(bad_option("norm", "there are fro, nuc, l1, linf, and lP with P > 1"));
  return *norm;
}

py::tuple certify_held(const std::shared_ptr<Instance>& instance, const std::string& select,
                       const std::string& form, const std::string& loss, long precision,
                       const std::string& norm, const std::string& gap, const Call& call) {
  CertifyRequest request;
  request.norm.norm = norm_of(norm);
  if (!gap.empty()) {
    const std::optional<Rational> asked = parse_gap(gap);
    if (!asked) raise(bad_option("gap", "not a number above 0 and at most 1"));
    request.norm.gap = *asked;
  }
  request.held = instance;
  request.select = select;
  request.form = form == "exact" ? Form::exact : form == "enclosure" ? Form::enclosure : Form::automatic;
  request.loss = loss;
  request.precision_bits = precision;
  request.memory_limit = call.memory_limit;
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return certify(request, watch); });
  if (!found) return undecided(reason);
  if (found->in_norm && found->in_norm->optimum)
    return replied(json(*found), found->certificate.text, near_solution(*found->in_norm->optimum));
  return replied(json(*found), found->certificate.text,
                 near_solution(found->data, found->selection, found->solution));
}

// `sets` and `ratios`: paths.
py::tuple certify_sets_held(const std::shared_ptr<Instance>& instance, const std::string& sets,
                            const std::string& ratios, const std::string& form, long precision,
                            const Call& call) {
  SelectedSetsRequest request;
  request.held = instance;
  request.sets = sets;
  request.ratios = ratios;
  request.form = form == "exact" ? Form::exact : form == "enclosure" ? Form::enclosure : Form::automatic;
  request.precision_bits = precision;
  request.memory_limit = call.memory_limit;
  std::string reason;
  const auto found =
      answer_of(call, reason, [&](AuditWatch& watch) { return certify_selected_sets(request, watch); });
  if (!found) return undecided(reason);
  return replied(json(*found), found->certificate.text,
                 near_solution(found->data, found->first, found->solution));
}

// `path`: the joint regularisation path, too, of training with `loss`.
py::tuple certify_joint_held(const std::shared_ptr<Instance>& instance, const std::string& select,
                             const std::string& form, long precision, bool path, const std::string& loss,
                             const Call& call) {
  JointRequest request;
  request.held = instance;
  request.select = select;
  request.path = path;
  request.loss = loss;
  request.form = form == "exact" ? Form::exact : form == "enclosure" ? Form::enclosure : Form::automatic;
  request.precision_bits = precision;
  request.memory_limit = call.memory_limit;
  std::string reason;
  const auto found =
      answer_of(call, reason, [&](AuditWatch& watch) { return certify_joint(request, watch); });
  if (!found) return undecided(reason);
  return replied(json(*found), found->certificate.text,
                 near_solutions(found->problems, found->data, found->selection));
}

py::tuple path_held(const std::shared_ptr<Instance>& instance, const std::string& loss,
                    const std::string& norm, const Call& call) {
  PathRequest request;
  request.held = instance;
  request.loss = loss;
  request.norm.norm = norm_of(norm);
  request.memory_limit = call.memory_limit;
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return path(request, watch); });
  if (!found) return undecided(reason);
  if (found->in_norm && found->in_norm->optimum)
    return replied(json(*found), found->certificate.text, near_solution(*found->in_norm->optimum));
  return replied(json(*found), found->certificate.text,
                 near_solution(found->data, found->selection, found->solution));
}

// The only line of these pictures is the bound for later steps.
py::dict drawn_arrays(const FollowedPictures& pictures) {
  const std::vector<ChartLine>& lines = pictures.plot.lines;
  return trace_arrays(pictures.trace, pictures.columns, lines.empty() ? ChartLine() : lines.front());
}

py::tuple run_held(const std::shared_ptr<Instance>& instance, RunRequest request, const Call& call) {
  request.held = instance;
  request.memory_limit = call.memory_limit;
  std::string reason;
  if (trains_factors(request)) {
    const auto found =
        answer_of(call, reason, [&](AuditWatch& watch) { return factored_run(request, watch); });
    if (!found) return undecided(reason);
    return replied(json(*found), found->certificate.text, drawn_arrays(found->pictures));
  }
  if (is_mirror_descent(request.optimizer)) {
    const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return mirror_run(request, watch); });
    if (!found) return undecided(reason);
    return replied(json(*found), found->certificate.text, drawn_arrays(found->pictures));
  }
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return run(request, watch); });
  if (!found) return undecided(reason);
  return replied(
      json(*found), found->certificate,
      trace_arrays(found->outcome ? found->outcome->record.trace : found->computed->trace, {}, found->later));
}

// `decoder` maps optimizer, step, schedule and init to words; empty ones are as for the attention.
py::tuple run_joint_held(const std::shared_ptr<Instance>& instance, const RunRequest& request,
                         const std::map<std::string, std::string>& decoder, const Call& call) {
  JointRunRequest joint{request, decoder.at("optimizer"), decoder.at("step"), decoder.at("schedule"),
                        decoder.at("init")};
  joint.run.held = instance;
  joint.run.memory_limit = call.memory_limit;
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return joint_run(joint, watch); });
  if (!found) return undecided(reason);
  return replied(json(*found), found->certificate.text, trace_arrays(found->pictures.trace));
}

// `weights` maps W, or K and Q, and v to what raw_array takes.
py::tuple checkpoint_held(const std::shared_ptr<Instance>& instance, const py::dict& weights,
                          const std::string& optimizer, const std::string& step, const std::string& loss,
                          const Call& call) {
  CheckpointRequest request;
  request.held = instance;
  request.optimizer = optimizer;
  request.step = step;
  request.loss = loss;
  request.memory_limit = call.memory_limit;
  for (const auto& [name, value] : weights) {
    const auto key = py::cast<std::string>(name);
    WeightSource& source = key == "W"   ? request.weights
                           : key == "K" ? request.keys
                           : key == "Q" ? request.queries
                                        : request.decoder;
    try {
      source.held = std::make_shared<RawArray>(raw_array(key, value));
    } catch (const InputFailure& failure) {
      raise(failure.error);
    }
  }
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return checkpoint(request, watch); });
  if (!found) return undecided(reason);
  return replied(json(*found), found->certificate.text);
}

std::shared_ptr<Trajectory> trajectory_of(const std::vector<std::uint64_t>& steps,
                                          const py::array_t<double, py::array::c_style>& weights,
                                          const std::map<std::string, std::string>& stated) {
  auto trajectory = std::make_shared<Trajectory>();
  trajectory->steps = steps;
  trajectory->rows = static_cast<std::size_t>(weights.shape(1));
  trajectory->columns = static_cast<std::size_t>(weights.shape(2));
  trajectory->weights.assign(weights.data(), weights.data() + weights.size());
  trajectory->stated = stated;
  return trajectory;
}

// Files in, files out: `files` maps file, embeddings, collocation, shift and prefix to paths, empty for none.
py::tuple ntp_files(const std::map<std::string, std::string>& files, const std::string& tokens,
                    const std::string& step, const Call& call) {
  NtpRequest request;
  request.file = files.at("file");
  request.embeddings = files.at("embeddings");
  request.collocation = files.at("collocation");
  request.shift = files.at("shift");
  request.prefix = files.at("prefix");
  request.tokens = tokens == "bytes" ? TokenKind::bytes : tokens == "ids" ? TokenKind::ids : TokenKind::words;
  request.step = step;
  request.memory_limit = call.memory_limit;
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return ntp(request, watch); });
  if (!found) return undecided(reason);
  return replied(json(*found), "");
}

// The text that the command prints.
std::string export_files(const std::string& instance, const std::string& certificate,
                         const std::string& output, const Call& call) {
  ExportRequest request;
  request.instance = instance;
  request.certificate = certificate;
  request.output = output;
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return export_coq(request, watch); });
  if (!found) return reason;
  return found->decided() ? text(*found) : complaint(*found);
}

py::tuple verify_held(const std::shared_ptr<Instance>& instance, const std::string& select,
                      const std::string& loss, std::optional<std::size_t> budget,
                      std::optional<std::uint64_t> run_steps, const std::string& gd_step,
                      const std::string& ngd_step, const Call& call) {
  VerifyRequest request;
  request.held = instance;
  request.select = select;
  request.loss = loss;
  request.budget = budget;
  request.run_steps = run_steps;
  request.descent_step = gd_step;
  request.normalised_step = ngd_step;
  request.memory_limit = call.memory_limit;
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return verify(request, watch); });
  return replied(found ? json(*found) : "[]", "");
}

py::tuple selections_held(const std::shared_ptr<Instance>& instance, std::optional<std::size_t> budget,
                          const Call& call) {
  SelectionsRequest request;
  request.held = instance;
  request.budget = budget;
  request.memory_limit = call.memory_limit;
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return selections(request, watch); });
  if (!found) return undecided(reason);
  return replied(json(*found), found->certificate.text);
}

py::tuple audit_held(const std::shared_ptr<Instance>& instance, long precision, const Call& call) {
  AuditRequest request;
  request.held = instance;
  request.sequences = true;
  request.precision_bits = precision;
  request.memory_limit = call.memory_limit;
  std::string reason;
  const auto found = answer_of(call, reason, [&](AuditWatch& watch) { return audit(request, watch); });
  if (!found) return undecided(reason);
  const auto& entry = found->instances.at(0).found;
  const auto* audited = std::get_if<AuditedInstance>(&entry);
  if (audited == nullptr) return replied(json(audit_parts(*found, true)), "");
  const CertifyAnswer& certified = audited->certified;
  return replied(json(audit_parts(*found, true)), certified.certificate.text,
                 near_solution(certified.data, certified.selection, certified.solution));
}

std::string info_held(const std::shared_ptr<Instance>& instance) {
  InfoRequest request;
  request.held = instance;
  std::string reason;
  const auto found = answer_of(Call{}, reason, [&](AuditWatch& watch) { return info(request, watch); });
  return json(*found);
}

std::shared_ptr<Instance> read_held(const std::string& path, std::size_t memory_limit) {
  Result<Instance> result = [&] {
    const py::gil_scoped_release free;
    return read_instance(path, ReadLimits{memory_limit});
  }();
  return std::make_shared<Instance>(value_or_raise(std::move(result)));
}

std::shared_ptr<Instance> assembled(const py::dict& arrays) {
  try {
    return std::make_shared<Instance>(instance_of(arrays));
  } catch (const InputFailure& failure) {
    raise(failure.error);
  }
}

void write_held(const std::shared_ptr<Instance>& instance, const std::string& path, bool force) {
  OutputFiles files(force, nullptr);
  if (const auto error = declare_instance(files, path)) raise(*error);
  if (const auto error = files.check()) raise(*error);
  if (const auto error = write_instance(*instance, path, files)) raise(*error);
}

// The lines that attest-check prints, without their leading "v ". Throws attest.CheckFailure.
py::tuple check_files(const std::string& instance, const std::string& certificate,
                      const std::vector<std::string>& required) {
  try {
    const attest_check::Verdict verdict = [&] {
      const py::gil_scoped_release free;
      return attest_check::check(instance, certificate, required);
    }();
    py::list lines;
    for (const auto& claim : verdict.claims) lines.append(claim.line);
    return py::make_tuple(lines, verdict.vacuous);
  } catch (const attest_check::Failure& failure) {
    const py::object type = py::module_::import("attest.errors").attr("CheckFailure");
    PyErr_SetObject(type.ptr(), type(failure.what(), static_cast<int>(failure.status())).ptr());
    throw py::error_already_set();
  }
}

}  // namespace
}  // namespace attest

PYBIND11_MODULE(_attest, module) {
  using namespace attest;
  module.doc() = "Use cases of attest on instances in memory; see the package attest.";
  module.attr("version") = ATTEST_VERSION;
  py::list rules;
  for (const UpdateRule* rule : update_rules()) rules.append(rule->word());
  module.attr("rules") = rules;

  py::class_<Call>(module, "Call")
      .def(
          py::init([](double time_limit, std::size_t memory_limit, py::object progress, std::size_t threads) {
            return Call{time_limit, memory_limit, std::move(progress), threads};
          }),
          py::arg("time_limit"), py::arg("memory_limit"), py::arg("progress"), py::arg("threads") = 0)
      .def_readonly("threads", &Call::threads);

  py::class_<RunRequest>(module, "RunRequest")
      .def(py::init<>())
      .def_readwrite("optimizer", &RunRequest::optimizer)
      .def_readwrite("schedule", &RunRequest::schedule)
      .def_readwrite("step", &RunRequest::step)
      .def_readwrite("momentum", &RunRequest::momentum)
      .def_readwrite("potential", &RunRequest::potential)
      .def_readwrite("against", &RunRequest::against)
      .def_readwrite("parameterization", &RunRequest::parameterization)
      .def_readwrite("rank", &RunRequest::rank)
      .def_readwrite("init_scale", &RunRequest::init_scale)
      .def("factors",
           [](RunRequest& request, const py::object& left, const py::object& right) {
             try {
               request.left_start.held = std::make_shared<RawArray>(raw_array("K0", left));
               request.right_start.held = std::make_shared<RawArray>(raw_array("Q0", right));
             } catch (const InputFailure& failure) {
               raise(failure.error);
             }
           })
      .def_readwrite("loss", &RunRequest::loss)
      .def_readwrite("init", &RunRequest::init)
      .def_readwrite("precision", &RunRequest::precision)
      .def_readwrite("arithmetic", &RunRequest::arithmetic)
      .def_readwrite("steps", &RunRequest::steps)
      .def_readwrite("bits", &RunRequest::bits)
      .def_readwrite("until_forever", &RunRequest::until_forever)
      .def_readwrite("certified", &RunRequest::certified)
      .def_readwrite("share", &RunRequest::share)
      .def_readwrite("selected_sets", &RunRequest::sets)
      .def_readwrite("ratios", &RunRequest::ratios)
      .def("compare", [](RunRequest& request, const std::shared_ptr<Trajectory>& trajectory) {
        request.trajectory = trajectory;
      });

  py::class_<Trajectory, std::shared_ptr<Trajectory>>(module, "Trajectory").def_static("of", &trajectory_of);

  py::class_<Instance, std::shared_ptr<Instance>>(module, "Instance")
      .def_static("of", &assembled)
      .def_static("read", &read_held)
      .def("write", &write_held)
      .def("info", &info_held)
      .def_property_readonly("sha256", [](const Instance& instance) { return canonical_sha256(instance); })
      .def_property_readonly("binary64", &holds_binary64)
      .def_property_readonly("lengths", &token_counts)
      .def("problem", &problem_arrays);

  module.def("certify", &certify_held);
  module.def("certify_joint", &certify_joint_held);
  module.def("certify_sets", &certify_sets_held);
  module.def("run", &run_held);
  module.def("run_joint", &run_joint_held);
  module.def("audit", &audit_held);
  module.def("path", &path_held);
  module.def("ntp", &ntp_files);
  module.def("checkpoint", &checkpoint_held);
  module.def("export_coq", &export_files);
  module.def("verify", &verify_held);
  module.def("selections", &selections_held);
  module.def("check", &check_files);
}
