// Random changes of certificates of every claim kind, each checked in this process; whatever is accepted must
// be well-formed and true, as judged by the exact reference.
//
// Usage: changed_certificates FOLDER... [--changes N] [--seconds S] [--seed K] [--kind KIND] [--rows]
// Takes the cases of the folders that end with exit 0 or 3. Every kind of claim, in every form of its
// evidence, gets N changes (default 1000; less when its share of S seconds is over, or after SIGINT or
// SIGTERM), none of them twice. Exit 1 when a false claim was accepted, or a check ended otherwise than with
// a documented status, or took more than ten seconds.
//
// With --rows the cases are those about problems of rows with senses, which the reference reads but does not
// judge: what is accepted goes to standard output, INSTANCE and the certificate, for rows_mutations.py
// --judge (tests/mutation); the table to standard error.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/fuzz/certificate_changes.hpp"
#include "tests/fuzz/dataset_of.hpp"
#include "tests/fuzz/whole_check.hpp"
#include "tests/mutation/judged.hpp"
#include "tests/oracle/producer.hpp"

namespace {

using attest_check::Exit;
using attest_check::Instance;
using Clock = std::chrono::steady_clock;

constexpr std::size_t subjects_per_kind = 6;
constexpr double slower_by = 4;       // than the quickest of the kind: left out
constexpr double longest_check = 10;  // seconds

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of this process: what a check takes is the same beside other work.
double seconds_of_work() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// One dataset, and the reference's answers about it.
struct Dataset {
  std::string path;
  Instance instance;
  reference::Dataset data;
  reference::Judge judge{data};
};

// A claim of the kind to change, with what it rests on.
struct Subject {
  Dataset* about = nullptr;
  fuzz::ChangeableCertificate certificate;
  std::size_t first = 0, last = 0;  // the lines of that claim
  double seconds = 0;               // that its check takes
};

// The words of a claim line that tell its kind and form: "optimal-enclosure gap", "forever-from-run bounded",
// "norm-optimum power".
std::string kind_of(const std::string& line) {
  std::istringstream words(line);
  std::string word, kind, previous;
  words >> word >> word >> kind;
  for (std::string result = kind; words >> word; previous = word) {
    if (previous == "form" || previous == "theorem") return result.append(" ").append(word);
    if (previous == "norm" && result == "norm-optimum")
      return result + (word == "nuclear" || word == "linf" || word == "l1" ? " " + word : " power");
  }
  return kind;
}

constexpr const char* row_lines[] = {"decoder", "relaxed", "selected-sets"};

// The line that gives a certificate's problem other rows than its selection's; empty when there is none.
std::string row_line(const std::string& certificate) {
  for (const char* const name : row_lines) {
    std::string line = name;
    if (certificate.find("\n" + line + (line == "decoder" ? "\n" : " ")) != std::string::npos) return line;
  }
  return {};
}

// What makes a kind's changes another matter.
std::string matter_of(const Instance& instance, const std::string& certificate) {
  if (const std::string rows = row_line(certificate); !rows.empty()) return " (" + rows + ")";
  return instance.sentences ? " (sentences)" : instance.outputs ? " (outputs)" : "";
}

class Subjects {
 public:
  explicit Subjects(bool rows) : rows_(rows) {}

  void add_folder(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> cases;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".case") cases.push_back(entry.path());
    }
    std::sort(cases.begin(), cases.end());
    for (const auto& path : cases) add_case(path);
  }

  // The quickest of every kind, so that a campaign makes as many changes as can be.
  std::map<std::string, std::vector<Subject>> take() {
    for (auto& [kind, subjects] : by_kind_) {
      std::stable_sort(subjects.begin(), subjects.end(),
                       [](const Subject& a, const Subject& b) { return a.seconds < b.seconds; });
      std::size_t kept = 1;
      while (kept < std::min(subjects.size(), subjects_per_kind) &&
             subjects[kept].seconds <= slower_by * subjects[0].seconds)
        ++kept;
      subjects.erase(subjects.begin() + static_cast<std::ptrdiff_t>(kept), subjects.end());
    }
    return std::move(by_kind_);
  }

 private:
  void add_case(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string word, instance, certificate;
    int status = 0;
    file >> word >> instance >> word >> certificate >> word >> status;
    const std::string text = content(path.parent_path() / certificate);
    if ((status != 0 && status != 3) || !text.starts_with("attest-certificate") || text.size() > 12000)
      return;
    if (row_line(text).empty() == rows_) return;
    if (rows_ && text.find("\nsetting next-token ") != std::string::npos)
      return;  // the judge has no sentences
    const std::string instance_path = path.parent_path() / instance;
    auto known = datasets_.find(instance_path);
    if (known == datasets_.end()) {
      Instance read = attest_check::read_instance(instance_path);
      const reference::Dataset data = fuzz::dataset_of(read);
      if (reference::instance_hash(data) != canonical_sha256(read)) {
        std::fprintf(stderr, "%s: the reference has another instance\n", instance_path.c_str());
        std::exit(1);
      }
      known = datasets_
                  .emplace(instance_path,
                           std::make_unique<Dataset>(Dataset{instance_path, std::move(read), data}))
                  .first;
    }
    add_claims(*known->second, text, path);
  }

  // One subject a claim: the certificate's problems, the claims that it rests on, and the claim.
  void add_claims(Dataset& about, const std::string& text, const std::string& name) {
    std::vector<std::vector<std::string>> parts;  // header, problems, claims
    std::vector<std::size_t> claims;              // which parts are claims
    std::istringstream input(text);
    for (std::string line; std::getline(input, line);) {
      if (line.starts_with("claim ")) claims.push_back(parts.size());
      if (parts.empty() || line.starts_with("claim ") || line.starts_with("problem ")) parts.emplace_back();
      if (!line.starts_with("end ")) parts.back().push_back(line);
    }
    for (std::size_t claim = 0; claim < claims.size(); ++claim) {
      if (judged_elsewhere(kind_of(parts[claims[claim]][0]))) continue;
      std::set<std::size_t> needed{claim};
      for (std::size_t k = claim + 1; k-- > 0;) {
        if (needed.contains(k)) needed.merge(cited(parts[claims[k]][0]));
      }
      std::vector<std::string> lines;
      std::size_t problems = 0, first = 0;
      for (std::size_t k = 0; k <= claims[claim]; ++k) {
        const auto found = std::find(claims.begin(), claims.end(), k);
        if (found != claims.end() && !needed.contains(static_cast<std::size_t>(found - claims.begin())))
          continue;
        first = lines.size();
        problems += parts[k][0].starts_with("problem ");
        lines.insert(lines.end(), parts[k].begin(), parts[k].end());
        if (found != claims.end()) lines[first] = renumbered(lines[first], needed);
      }
      std::string cut;
      for (const std::string& line : lines) cut += line + "\n";
      cut += "end problems " + std::to_string(problems) + " claims " + std::to_string(needed.size()) +
             " lines " + std::to_string(lines.size() + 1) + "\n";
      const double start = seconds_of_work();
      const Exit status = fuzz::status_of(about.instance, cut);
      const double seconds = seconds_of_work() - start;
      if (status != Exit::verified && status != Exit::vacuous) {
        std::fprintf(stderr, "%s: claim %zu and what it rests on are not accepted\n", name.c_str(),
                     claim + 1);
        std::exit(1);
      }
      by_kind_[kind_of(lines[first]) + matter_of(about.instance, text)].push_back(
          {&about, fuzz::ChangeableCertificate(cut), first, lines.size(), seconds});
    }
  }

  // Runs of mirror descent, of (K, Q) and of sentences have judges of their own in tests/mutation.
  static bool judged_elsewhere(const std::string& kind) {
    return kind.starts_with("mirror-") || kind.starts_with("factored-") || kind.starts_with("token-");
  }

  // Whether the next word of a claim's line is the number of a claim, given the words before it. (A path
  // inequality counts steps with `from`.)
  static bool names_claim(const std::string& kind, const std::string& word) {
    return word == "claim" || word == "run" || (word == "from" && kind != "path-inequality") ||
           word == "decoder-from" || word == "label-margins" || word == "plain" || word == "support" ||
           word == "joint-run" || word == "nuclear" || word == "forever";
  }

  // The claims, from 0, that a claim's line names: itself among them.
  static std::set<std::size_t> cited(const std::string& line) {
    std::set<std::size_t> result;
    std::istringstream words(line);
    std::string kind = kind_of(line), previous;
    for (std::string word; words >> word; previous = word) {
      if (names_claim(kind, previous) && std::isdigit(word[0])) result.insert(std::stoul(word) - 1);
    }
    return result;
  }

  // The line with the numbers that these claims have among themselves.
  static std::string renumbered(const std::string& line, const std::set<std::size_t>& kept) {
    std::string result, previous;
    std::istringstream words(line);
    const std::string kind = kind_of(line);
    for (std::string word; words >> word;) {
      const bool number = names_claim(kind, previous) && std::isdigit(word[0]);
      previous = word;
      if (number) word = std::to_string(std::distance(kept.begin(), kept.find(std::stoul(word) - 1)) + 1);
      (result += result.empty() ? "" : " ") += word;
    }
    return result;
  }

  bool rows_;
  std::map<std::string, std::unique_ptr<Dataset>> datasets_;
  std::map<std::string, std::vector<Subject>> by_kind_;
};

// What is being checked, for the file that a crash leaves behind.
std::string current;
constexpr const char* left_behind = "changed-certificate.attest";

void leave_behind() {
  std::ofstream(left_behind, std::ios::binary) << current;
}

void on_crash(int signal) {
  leave_behind();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A campaign that is interrupted says what it has.
volatile std::sig_atomic_t interrupted = 0;

struct Tally {
  std::size_t tried = 0, malformed = 0, rejected = 0, large = 0, accepted = 0, wrong = 0;
  double longest = 0;
};

class Campaign {
 public:
  Campaign(std::size_t changes, double seconds, std::uint64_t seed, bool rows)
      : changes_(changes), seconds_(seconds), seed_(seed), rows_(rows) {}

  Tally run(const std::string& kind, std::vector<Subject>& subjects) {
    Tally tally;
    std::unordered_set<std::size_t> seen;
    const Clock::time_point start = Clock::now();
    for (std::uint64_t k = 0;
         tally.tried < changes_ && k < 16 * changes_ && seconds_since(start) < seconds_ && interrupted == 0;
         ++k) {
      Subject& subject = subjects[k % subjects.size()];
      current = subject.certificate.changed(seed_ + k, subject.first, subject.last);
      if (fuzz::takes_long(current)) continue;
      if (!seen.insert(std::hash<std::string>()(current) + k % subjects.size()).second) continue;
      ++tally.tried;
      one(kind, subject, tally);
    }
    return tally;
  }

 private:
  void one(const std::string& kind, Subject& subject, Tally& tally) {
    const double start = seconds_of_work();
    std::string wrong;
    try {
      const Exit status = fuzz::status_of(subject.about->instance, current);
      tally.malformed += status == Exit::malformed || status == Exit::mismatch;
      tally.rejected += status == Exit::rejected;
      tally.large += status == Exit::resource;
      const double seconds = seconds_of_work() - start;
      tally.longest = std::max(tally.longest, seconds);
      if (seconds > longest_check) wrong = "takes " + std::to_string(seconds) + " s";
      if (status == Exit::verified || status == Exit::vacuous) {
        // The answers about runs that were changed are not needed again.
        if (++tally.accepted % 500 == 0) subject.about->judge = reference::Judge(subject.about->data);
        if (wrong.empty())
          wrong = rows_ ? given_to_judge(subject) : mutation::objection(subject.about->judge, current);
      }
    } catch (const std::exception& error) {
      wrong = std::string("the check ends with an exception: ") + error.what();
    } catch (...) {
      wrong = "the check ends with an exception";
    }
    if (wrong.empty()) return;
    ++tally.wrong;
    std::fprintf(rows_ ? stderr : stdout, "%s: %s (%s)\n", kind.c_str(), wrong.c_str(), left_behind);
    leave_behind();
  }

  // Why an accepted certificate about problems of rows is none by the grammar.
  static std::string given_to_judge(const Subject& subject) {
    try {
      reference::parse_certificate(current);
    } catch (const reference::Malformed& error) {
      return std::string("malformed: ") + error.what();
    }
    std::printf("%s\n%s", subject.about->path.c_str(), current.c_str());
    return {};
  }

  std::size_t changes_;
  double seconds_;
  std::uint64_t seed_;
  bool rows_;
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t changes = 1000;
  double seconds = 1e9;
  std::uint64_t seed = 1;
  std::string only;
  bool rows = false;
  std::vector<std::string> folders;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const char* value = k + 1 < argc ? argv[k + 1] : "";
    if (!argument.starts_with("--")) {
      folders.push_back(argument);
      continue;
    }
    if (argument == "--rows") {
      rows = true;
      continue;
    }
    ++k;
    if (argument == "--changes") changes = std::strtoul(value, nullptr, 10);
    if (argument == "--seconds") seconds = std::strtod(value, nullptr);
    if (argument == "--seed") seed = std::strtoul(value, nullptr, 10);
    if (argument == "--kind") only = value;
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, on_crash);
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = 1; });
  Subjects all(rows);
  for (const std::string& folder : folders) all.add_folder(folder);
  auto by_kind = all.take();
  Campaign campaign(changes, seconds / static_cast<double>(std::max<std::size_t>(by_kind.size(), 1)), seed,
                    rows);
  std::FILE* const table = rows ? stderr : stdout;
  std::size_t wrong = 0;
  std::fprintf(table, "%-40s %10s %10s %10s %10s %10s %8s\n", "kind", "changes", "malformed", "rejected",
               "too large", "accepted", "longest");
  for (auto& [kind, subjects] : by_kind) {
    if ((!only.empty() && kind != only) || interrupted != 0) continue;
    const Tally tally = campaign.run(kind, subjects);
    std::fprintf(table, "%-40s %10zu %10zu %10zu %10zu %10zu %7.2fs\n", kind.c_str(), tally.tried,
                 tally.malformed, tally.rejected, tally.large, tally.accepted, tally.longest);
    std::fflush(table);
    wrong += tally.wrong;
  }
  return wrong == 0 ? 0 : 1;
}
