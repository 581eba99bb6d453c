// Several processes check one certificate: what one says alone, they say together. Threads stand for them
// here, each with the job of its own that a process has.
#include <doctest/doctest.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "proofs/checker/base/job.hpp"
#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;
using namespace attest_check;

namespace {

// Where the threads of a job meet.
class Meeting {
 public:
  explicit Meeting(std::size_t size) : own_(size) {}
  std::size_t size() const { return own_.size(); }

  std::vector<std::string> gather(std::size_t rank, std::string text) {
    std::unique_lock lock(mutex_);
    own_[rank] = std::move(text);
    const std::size_t round = round_;
    if (++arrived_ == own_.size()) {
      all_ = own_;
      arrived_ = 0;
      ++round_;
      everybody_.notify_all();
    }
    everybody_.wait(lock, [&] { return round_ != round; });
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable everybody_;
  std::vector<std::string> own_, all_;
  std::size_t arrived_ = 0, round_ = 0;
};

class ThreadJob : public Job {
 public:
  ThreadJob(Meeting& meeting, std::size_t rank) : meeting_(meeting), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return meeting_.size(); }
  std::vector<std::string> gather(std::string own) override { return meeting_.gather(rank_, std::move(own)); }

 private:
  Meeting& meeting_;
  std::size_t rank_;
};

// What this process ends with: its status and all it would say.
std::string outcome(const std::string& instance, const std::string& certificate) {
  const auto end = [](const Failure& failure) {
    return std::to_string(static_cast<int>(failure.status())) + " " + failure.what();
  };
  try {
    std::string said;
    for (const VerifiedClaim& claim : check(instance, certificate, {}).claims) said += claim.line + "\n";
    agree();
    return said;
  } catch (const Failure& failure) {
    return end(agree_on(failure));
  } catch (const std::bad_alloc&) {
    return end(agree_on({Exit::resource, "out of memory"}));
  }
}

// Process k reads instances[k].
std::vector<std::string> together(const std::vector<std::string>& instances, const std::string& certificate) {
  Meeting meeting(instances.size());
  std::vector<std::string> said(instances.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < instances.size(); ++rank) {
    threads.emplace_back([&, rank] {
      ThreadJob job(meeting, rank);
      const JobOfThread several(job);
      said[rank] = outcome(instances[rank], certificate);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return said;
}

void same_as_one(const std::string& instance, const std::string& certificate) {
  CAPTURE(instance);
  CAPTURE(certificate);
  const std::string one = outcome(instance, certificate);
  for (const std::size_t size : {2, 3}) {
    for (const std::string& said : together(std::vector(size, instance), certificate)) CHECK(said == one);
  }
}

// A folder with X.npy of `rows` groups of tokens (r, 0) and (0, 0), but token 0 of group `moved` is (r, 1);
// cross-attention with z = 1.
class Folder {
 public:
  Folder(std::size_t groups, std::size_t moved) : path_(std::filesystem::temp_directory_path() / name()) {
    std::filesystem::create_directories(path_);
    std::vector<double> x;
    for (std::size_t i = 0; i < groups; ++i)
      for (const double entry : {1.0 + static_cast<double>(i % 7), i == moved ? 1.0 : 0.0, 0.0, 0.0})
        x.push_back(entry);
    write("X", std::to_string(groups) + ", 2, 2", x);
    write("z", std::to_string(groups) + ", 1", std::vector<double>(groups, 1));
    write("Y", std::to_string(groups) + ",", std::vector<double>(groups, 1));
    write("v", "2,", {1, 0});
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_; }

 private:
  static std::string name() {
    static int number = 0;
    return "attest-job-" + std::to_string(getpid()) + "-" + std::to_string(number++);
  }
  void write(const std::string& key, const std::string& shape, const std::vector<double>& values) const {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    std::ofstream file(path_ / (key + ".npy"), std::ios::binary);
    file << "\x93NUMPY\x01" << '\0' << 'v' << '\0' << header << '\n';
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(double)));
  }
  std::filesystem::path path_;
};

// W* = (1, 0): token (0, 0) is the only tight one of 7 different ones.
std::string optimal_certificate(const std::string& instance, std::size_t groups) {
  std::string selection = "selection " + std::to_string(groups);
  for (std::size_t i = 0; i < groups; ++i) selection += " 0";
  std::vector<std::string> lines = {"attest-certificate 1",
                                    "producer hand 1",
                                    "instance sha256 " + canonical_sha256(read_instance(instance)),
                                    "problem 1",
                                    "setting cross-attention",
                                    "norm euclidean",
                                    "loss none",
                                    selection,
                                    "claim 1 optimal problem 1 norm-squared 1",
                                    "vector multipliers 1 over 1",
                                    "0 1 1",
                                    "claim 2 globally-optimal problem 1",
                                    "end problems 1 claims 2 lines 13"};
  return join(lines);
}

}  // namespace

TEST_CASE("processes share what is counted, in order and without a gap") {
  for (const std::size_t size : {1, 2, 3, 7}) {
    for (const std::size_t count : {0, 1, 2, 3, 6, 7, 100}) {
      Meeting meeting(size);
      std::size_t end = 0;
      for (std::size_t rank = 0; rank < size; ++rank) {
        ThreadJob job(meeting, rank);
        const JobOfThread several(job);
        CHECK(share_of(count).begin == end);
        end = share_of(count).end;
      }
      CHECK(end == count);
    }
  }
}

TEST_CASE("several processes say what one says, of every case of the corpus" * doctest::test_suite("long")) {
  const std::filesystem::path corpus = CORPUS;
  std::size_t cases = 0;
  for (const char* folder : {"correct", "incorrect"}) {
    for (const auto& entry : std::filesystem::directory_iterator(corpus / folder)) {
      if (entry.path().extension() != ".case") continue;
      std::ifstream file(entry.path());
      std::string word, instance, certificate;
      file >> word >> instance >> word >> certificate;
      same_as_one(corpus / folder / instance, corpus / folder / certificate);
      ++cases;
    }
  }
  CHECK(cases > 500);
}

TEST_CASE("arrays in files are read by shares") {
  const Folder folder(20000, 20000);
  const TemporaryFile right(optimal_certificate(folder.path(), 20000));
  CHECK(outcome(folder.path(), right.path()).starts_with("claim 1 optimal"));
  same_as_one(folder.path(), right.path());
  // The row that the last process refuses.
  const Folder refused(20000, 19999);
  std::string text = optimal_certificate(refused.path(), 20000);
  text.replace(text.find("0 1 1\n"), 6, "7 1 1\n");
  const TemporaryFile wrong(text);
  same_as_one(refused.path(), wrong.path());
}

TEST_CASE("processes that see different files verify nothing") {
  const Folder folder(20000, 20000), first(20000, 0), last(20000, 19000);
  const TemporaryFile certificate(optimal_certificate(folder.path(), 20000));
  // Each reads its share of the file that the certificate is for, so the hash is right; but the last one
  // takes the constraint of group 0 from another one.
  for (const std::string& said : together({folder.path(), first.path()}, certificate.path()))
    CHECK(said.starts_with("2 a file has changed while it was read, or the processes"));
  for (const std::string& said : together({folder.path(), last.path()}, certificate.path()))
    CHECK(said.starts_with("4 the certificate is for another instance"));
}
