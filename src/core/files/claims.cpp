#include "core/files/claims.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/files/folder.h"

namespace agentnet {
namespace {

constexpr std::size_t kLongestFile = 512;

// Seconds, of a clock that goes on while the machine sleeps.
double now() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// What tells this kernel from every other one and from itself before the last start.
std::string this_machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

// "MACHINE NONCE BEATS": what a claim's file holds. The last is of a fixed length, so that a heartbeat overwrites it.
std::string content_of(const std::string& holder, std::uint64_t beats) {
  return fmt::format("{} {:020}\n", holder, beats);
}

std::string read_content(const std::filesystem::path& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(kLongestFile, '\0');
  const ssize_t got = file.is_open() ? ::pread(file.get(), text.data(), text.size(), 0) : 0;
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

// The number behind "NAME."; nothing for another file.
std::optional<std::uint64_t> generation_of(const std::string& file, std::string_view name) {
  if (file.size() <= name.size() + 1 || !file.starts_with(name) || file[name.size()] != '.') return std::nullopt;
  const char* first = file.data() + name.size() + 1;
  const char* last = file.data() + file.size();
  std::uint64_t generation = 0;
  const auto [end, error] = std::from_chars(first, last, generation);
  if (error != std::errc() || end != last) return std::nullopt;
  return generation;
}

}  // namespace

struct Claim::State {
  std::string name, holder;
  std::uint64_t generation = 0;
  std::filesystem::path path;
  int descriptor = -1;  // holds the lock that says that this process lives
  std::uint64_t beats = 0;
  std::atomic<bool> lost = false;
  std::atomic<double> last_beat = 0;
  double lease = 0;
};

class ClaimFolder::Inside {
 public:
  Inside(std::filesystem::path folder, ClaimOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {
    if (options_.machine.empty()) options_.machine = this_machine();
    if (options_.machine.empty()) options_.machine = "unknown";
  }

  ~Inside() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    if (heart_.joinable()) heart_.join();
  }

  std::shared_ptr<Claim::State> claim(const std::string& name) {
    const std::lock_guard one_at_a_time(claiming_);
    make_folder(folder_);
    const std::optional<std::uint64_t> held = newest(name);
    if (held && !is_dead(name, *held)) return nullptr;
    std::shared_ptr<Claim::State> state = make(name, held ? *held + 1 : 0);
    if (state == nullptr) return nullptr;
    // Whoever looked before a takeover and made its file after it has an older one.
    if (newest(name) != state->generation) {
      drop(*state);
      return nullptr;
    }
    if (held) ::unlink(file_of(name, *held).c_str());
    watched_.erase(name);
    const std::lock_guard lock(mutex_);
    mine_.push_back(state);
    if (!heart_.joinable()) heart_ = std::thread([this] { beat(); });
    return state;
  }

  void give_back(const std::shared_ptr<Claim::State>& state) {
    {
      const std::lock_guard lock(mutex_);
      std::erase(mine_, state);
    }
    drop(*state);
    ::rmdir(folder_.c_str());  // which it does when there is no claim any more
  }

  void remove_dead() const {
    std::error_code error;
    std::filesystem::directory_iterator at(folder_, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
      if (is_unlocked_here(at->path())) ::unlink(at->path().c_str());
    }
    ::rmdir(folder_.c_str());
  }

 private:
  struct Watched {
    std::string content;
    double since = 0;
  };

  [[nodiscard]] std::filesystem::path file_of(const std::string& name, std::uint64_t generation) const {
    return folder_ / fmt::format("{}.{}", name, generation);
  }

  [[nodiscard]] std::optional<std::uint64_t> newest(const std::string& name) const {
    std::optional<std::uint64_t> best;
    std::error_code error;
    std::filesystem::directory_iterator at(folder_, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
      if (const auto found = generation_of(at->path().filename().string(), name)) best = std::max(best, found);
    }
    return best;
  }

  // Whether the file is of a process of this machine that does not hold it any more.
  [[nodiscard]] bool is_unlocked_here(const std::filesystem::path& path) const {
    if (!read_content(path).starts_with(options_.machine + " ")) return false;
    const File file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    return file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
  }

  [[nodiscard]] bool is_dead(const std::string& name, std::uint64_t generation) {
    const std::filesystem::path path = file_of(name, generation);
    if (is_unlocked_here(path)) return true;
    const std::string content = read_content(path);
    Watched& watched = watched_[name];
    if (watched.since == 0 || watched.content != content) {
      watched = {content, now()};
      return false;
    }
    return now() - watched.since > options_.lease_seconds;
  }

  // Null if somebody else was first.
  std::shared_ptr<Claim::State> make(const std::string& name, std::uint64_t generation) {
    static std::atomic<std::uint64_t> counter = 0;
    auto state = std::make_shared<Claim::State>();
    const std::string nonce = fmt::format("{}-{}-{:x}", ::getpid(), counter++, static_cast<std::uint64_t>(1e9 * now()));
    state->name = name;
    state->holder = options_.machine + " " + nonce;
    state->generation = generation;
    state->path = file_of(name, generation);
    state->lease = options_.lease_seconds;
    const std::filesystem::path temporary = folder_ / fmt::format(".{}-{}", name, nonce);
    int file = -1;
    for (int attempt = 0; file < 0; ++attempt) {
      file = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (file >= 0) break;
      if (errno != ENOENT || attempt == 10) fail(temporary, errno);
      make_folder(folder_);  // somebody gave the last claim back, and the folder with it
    }
    state->descriptor = file;
    ::flock(file, LOCK_EX | LOCK_NB);  // where there are no locks, heartbeats are all that there is
    const std::string content = content_of(state->holder, 0);
    const bool written =
        ::pwrite(file, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()) && ::fsync(file) == 0;
    const int error = errno;
    // NFS may make the link and lose the answer: the number of links says what happened.
    struct stat status {};
    const bool linked = written && (::link(temporary.c_str(), state->path.c_str()) == 0 ||
                                    (::stat(temporary.c_str(), &status) == 0 && status.st_nlink == 2));
    const int link_error = errno;
    ::unlink(temporary.c_str());
    state->last_beat = now();
    if (linked) return state;
    ::close(file);
    if (!written) fail(temporary, error);
    if (link_error != EEXIST && link_error != 0 && !std::filesystem::exists(state->path)) fail(state->path, link_error);
    return nullptr;
  }

  [[noreturn]] static void fail(const std::filesystem::path& path, int error) {
    throw Error(ErrorKind::kFailure, fmt::format("cannot claim work with {}: {}", path.string(), std::strerror(error)),
                "the folder must be writable, on a file system with links");
  }

  [[nodiscard]] bool is_still_mine(const Claim::State& state) const {
    return read_content(state.path).starts_with(state.holder + " ") && newest(state.name) == state.generation;
  }

  void drop(Claim::State& state) {
    if (state.descriptor < 0) return;
    if (read_content(state.path).starts_with(state.holder + " ")) ::unlink(state.path.c_str());
    ::close(std::exchange(state.descriptor, -1));
  }

  void beat() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
      wake_.wait_for(lock, std::chrono::duration<double>(options_.beat_seconds));
      if (ending_) return;
      for (const std::shared_ptr<Claim::State>& state : mine_) beat(*state);
    }
  }

  // Into the file that this process made, whatever its name leads to by now.
  void beat(Claim::State& state) const {
    if (state.lost) return;
    const std::string content = content_of(state.holder, ++state.beats);
    const bool written =
        ::pwrite(state.descriptor, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()) &&
        ::fsync(state.descriptor) == 0;
    if (!is_still_mine(state)) {
      state.lost = true;
    } else if (written) {
      state.last_beat = now();
    }
  }

  const std::filesystem::path folder_;
  ClaimOptions options_;
  std::mutex claiming_;
  std::map<std::string, Watched> watched_;  // guarded by claiming_

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Claim::State>> mine_;
  std::thread heart_;
  bool ending_ = false;
};

Claim::Claim(ClaimFolder& folder, std::shared_ptr<State> state) : folder_(folder), state_(std::move(state)) {}
Claim::~Claim() { folder_.inside_->give_back(state_); }

// A process that could not write heartbeats for half a lease, for whatever reason, does not know who watches.
bool Claim::held() const { return !state_->lost && now() - state_->last_beat < state_->lease / 2; }

ClaimFolder::ClaimFolder(std::filesystem::path folder, ClaimOptions options)
    : inside_(std::make_unique<Inside>(std::move(folder), std::move(options))) {}
ClaimFolder::~ClaimFolder() = default;

std::unique_ptr<Claim> ClaimFolder::claim(std::string_view name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!plain) throw std::invalid_argument("ClaimFolder: a name of letters, digits, '-' and '_'");
  auto state = inside_->claim(std::string(name));
  return state != nullptr ? std::unique_ptr<Claim>(new Claim(*this, std::move(state))) : nullptr;
}

void ClaimFolder::remove_dead() { inside_->remove_dead(); }

bool is_at_work_in(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) return false;
  try {
    const FolderLock lock(folder);
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace agentnet
