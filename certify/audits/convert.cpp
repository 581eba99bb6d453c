#include "certify/audits/convert.hpp"

#include "certify/audits/input.hpp"
#include "certify/instance/write.hpp"

namespace attest {

std::optional<InputError> convert(const ConvertRequest& request, AuditWatch& watch) {
  OutputFiles files(request.force, watch.signals());
  files.input(request.in);
  if (auto error = declare_instance(files, request.out)) return error;
  if (auto error = files.check()) return error;
  const Result<Instance> instance = read_input(request.in, nullptr, request.memory_limit, watch);
  if (const auto* error = std::get_if<InputError>(&instance)) return *error;
  return write_instance(std::get<Instance>(instance), request.out, files);
}

}  // namespace attest
