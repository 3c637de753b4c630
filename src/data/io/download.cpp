#include "data/io/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <exception>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>

#include "agentnet/error.h"
#include "agentnet/version.h"

namespace agentnet {

namespace {

// A file that grows at its end, locked against a second download of it.
class PartFile {
 public:
  explicit PartFile(const std::filesystem::path& path)
      : path_(path), fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail("cannot open", errno);
    struct stat status {};
    try {
      if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) fail("cannot lock", errno);
        throw Error(ErrorKind::kFailure, fmt::format("{} is being downloaded already", path_.string()),
                    "wait for the other program to finish");
      }
      if (::fstat(fd_, &status) != 0) fail("cannot read", errno);
    } catch (...) {
      ::close(fd_);
      throw;
    }
    size_ = kept_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~PartFile() {
    if (size_ == 0) ::unlink(path_.c_str());  // nothing to go on from
    ::close(fd_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Bytes that were there when the file was opened, and still are.
  [[nodiscard]] std::uint64_t kept() const { return kept_; }

  void append(const char* data, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t written = ::pwrite(fd_, data, bytes, static_cast<off_t>(size_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("cannot write", errno);
      data += written;
      bytes -= static_cast<std::size_t>(written);
      size_ += static_cast<std::uint64_t>(written);
    }
  }
  void clear() {
    if (::ftruncate(fd_, 0) != 0) fail("cannot write", errno);
    size_ = kept_ = 0;
  }
  void sync() {
    if (::fsync(fd_) != 0) fail("cannot write", errno);
  }

 private:
  [[noreturn]] void fail(const char* action, int error) const {
    throw Error(ErrorKind::kFailure,
                fmt::format("{} {}: {}", action, path_.string(), std::generic_category().message(error)),
                "is there room on the disk, and may you write there?");
  }

  std::filesystem::path path_;
  int fd_;
  std::uint64_t size_ = 0, kept_ = 0;
};

struct CurlDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

std::unique_ptr<CURL, CurlDeleter> new_handle() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  std::unique_ptr<CURL, CurlDeleter> handle(ready == CURLE_OK ? curl_easy_init() : nullptr);
  if (handle == nullptr) throw Error(ErrorKind::kFailure, "cannot start libcurl", "is its installation complete?");
  return handle;
}

// What came of one try.
struct Outcome {
  enum Kind { kDone, kNotFound, kTryAgain, kGiveUp } kind;
  std::string reason = {};
};

// One request for the rest of a file.
class Transfer {
 public:
  Transfer(const std::string& url, PartFile& file, const DownloadOptions& options, const DownloadEvents& events)
      : file_(file), events_(events), offset_(file.size()), handle_(new_handle()) {
    set(CURLOPT_URL, url.c_str());
    const char* const protocols = options.insecure ? "http,https" : "https";  // for redirections, too
    set(CURLOPT_PROTOCOLS_STR, protocols);
    set(CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 5L);
    set(CURLOPT_USERAGENT, user_agent_.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, 30L);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);  // bytes per second, for
    set(CURLOPT_LOW_SPEED_TIME, 60L);  // seconds
    if (!options.environment_proxy) set(CURLOPT_PROXY, "");
    // Not CURLOPT_RESUME_FROM, which fails if the server sends everything instead.
    if (offset_ > 0) set(CURLOPT_RANGE, fmt::format("{}-", offset_).c_str());
    set(CURLOPT_ERRORBUFFER, message_);
    set(CURLOPT_WRITEFUNCTION, on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
  }

  Outcome run() {
    const CURLcode code = curl_easy_perform(handle_.get());
    if (error_) std::rethrow_exception(error_);
    if (code == CURLE_ABORTED_BY_CALLBACK) {
      throw Error(ErrorKind::kInterrupted, fmt::format("the download was stopped after {} bytes", file_.size()),
                  "the same command goes on from there");
    }
    if (code == CURLE_OK) return judge(status());
    const std::string reason = message_[0] != 0 ? message_ : curl_easy_strerror(code);
    return {transient(code) ? Outcome::kTryAgain : Outcome::kGiveUp, reason};
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(handle_.get(), option, value) != CURLE_OK) {
      throw Error(ErrorKind::kFailure, fmt::format("libcurl does not know its option {}", static_cast<int>(option)),
                  "is it older than 7.85?");
    }
  }

  [[nodiscard]] long status() const {
    long code = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  static bool transient(CURLcode code) {
    switch (code) {
      case CURLE_COULDNT_CONNECT:
      case CURLE_PARTIAL_FILE:
      case CURLE_OPERATION_TIMEDOUT:
      case CURLE_GOT_NOTHING:
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
      case CURLE_HTTP2:
      case CURLE_HTTP2_STREAM:
      case CURLE_SSL_CONNECT_ERROR:
        return true;
      default:
        return false;
    }
  }

  Outcome judge(long code) {
    if (code == 200 || code == 206) {
      start_body();  // in case there was none
      if (total_ == 0 || file_.size() == total_) return {Outcome::kDone};
      return {Outcome::kTryAgain, fmt::format("{} of {} bytes arrived", file_.size(), total_)};
    }
    if (code == 404 || code == 410) return {Outcome::kNotFound};
    if (code == 416 && range_total_ == offset_) return {Outcome::kDone};  // nothing was missing
    if (code == 416 && offset_ > 0) {
      file_.clear();
      return {Outcome::kTryAgain, "what was there is no beginning of the file"};
    }
    const std::string reason = fmt::format("the server answers {}", code);
    return {code == 408 || code == 429 || code >= 500 ? Outcome::kTryAgain : Outcome::kGiveUp, reason};
  }

  // Decides where the body goes, once its first byte or its end is there.
  void start_body() {
    if (started_) return;
    started_ = true;
    const long code = status();
    keep_body_ = code == 200 || code == 206;
    if (!keep_body_) return;
    const bool resumed = code == 206 && range_start_ == offset_;
    if (code == 206 && !resumed && range_start_ != 0) {
      file_.clear();
      throw Error(ErrorKind::kFailure, "the server sends another part of the file than it was asked for",
                  "the same command starts again from the beginning");
    }
    if (offset_ > 0 && !resumed) {
      file_.clear();
      if (events_.note) events_.note("the server cannot go on in the middle of a file: starting again");
    }
    curl_off_t length = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length > 0) total_ = file_.size() + static_cast<std::uint64_t>(length);
  }

  // Exceptions must not cross C code: they wait in error_.
  template <class Run>
  std::size_t guarded(std::size_t result, Run run) {
    try {
      run();
      return result;
    } catch (...) {
      error_ = std::current_exception();
      return 0;
    }
  }

  static std::size_t on_body(char* data, std::size_t, std::size_t bytes, void* self_pointer) {
    auto& self = *static_cast<Transfer*>(self_pointer);
    return self.guarded(bytes, [&] {
      self.start_body();
      if (self.keep_body_) self.file_.append(data, bytes);
    });
  }

  // Content-Range: bytes FIRST-LAST/TOTAL, or bytes */TOTAL.
  static std::size_t on_header(char* data, std::size_t, std::size_t bytes, void* self_pointer) {
    auto& self = *static_cast<Transfer*>(self_pointer);
    std::string_view line(data, bytes);
    constexpr std::string_view kName = "content-range:";
    if (line.starts_with("HTTP/")) self.range_start_ = self.range_total_ = std::nullopt;  // another answer begins
    const bool named = line.size() > kName.size() &&
                       std::equal(kName.begin(), kName.end(), line.begin(),
                                  [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
    if (!named) return bytes;
    const auto number_after = [&](char mark) -> std::optional<std::uint64_t> {
      const std::size_t at = line.rfind(mark);
      std::uint64_t value = 0;
      if (at == std::string_view::npos) return std::nullopt;
      const auto result = std::from_chars(line.data() + at + 1, line.data() + line.size(), value);
      return result.ec == std::errc() ? std::optional(value) : std::nullopt;
    };
    self.range_total_ = number_after('/');
    self.range_start_ = number_after(' ');
    return bytes;
  }

  static int on_progress(void* self_pointer, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& self = *static_cast<Transfer*>(self_pointer);
    bool stop = false;
    self.guarded(0, [&] {
      stop = self.events_.stop && self.events_.stop();
      if (self.keep_body_ && self.events_.progress) self.events_.progress(self.file_.size(), self.total_);
    });
    return stop || self.error_ ? 1 : 0;
  }

  PartFile& file_;
  const DownloadEvents& events_;
  const std::uint64_t offset_;
  const std::string user_agent_ = fmt::format("agentnet/{}", kVersion);
  char message_[CURL_ERROR_SIZE] = {};
  std::optional<std::uint64_t> range_start_, range_total_;
  std::uint64_t total_ = 0;  // of the whole file; 0: the server does not say
  bool started_ = false, keep_body_ = false;
  std::exception_ptr error_;
  std::unique_ptr<CURL, CurlDeleter> handle_;  // last: goes first, while what its callbacks use is there
};

// False if asked to stop meanwhile.
bool wait(std::chrono::milliseconds time, const DownloadEvents& events) {
  constexpr std::chrono::milliseconds kSlice{50};
  for (auto left = time; left.count() > 0; left -= kSlice) {
    if (events.stop && events.stop()) return false;
    std::this_thread::sleep_for(std::min(left, kSlice));
  }
  return true;
}

}  // namespace

bool can_download() { return true; }

std::optional<Downloaded> download(const std::string& url, const std::filesystem::path& path,
                                   const DownloadOptions& options, const DownloadEvents& events) {
  PartFile file(path);
  std::uint64_t most = file.size();
  auto pause = options.pause;
  for (int failures = 0;;) {
    const Outcome outcome = Transfer(url, file, options, events).run();
    if (outcome.kind == Outcome::kDone) {
      file.sync();
      return Downloaded{file.size(), file.kept()};
    }
    if (outcome.kind == Outcome::kNotFound) return std::nullopt;
    failures = file.size() > most ? 1 : failures + 1;
    if (file.size() > most) pause = options.pause;
    most = std::max(most, file.size());
    if (outcome.kind == Outcome::kGiveUp || failures >= options.tries) {
      throw Error(ErrorKind::kFailure, fmt::format("cannot download {}: {}", url, outcome.reason),
                  file.size() > 0
                      ? fmt::format("the same command goes on from the {} bytes that are there", file.size())
                      : "check the address and the network");
    }
    if (events.note) {
      events.note(fmt::format("{}; trying again ({} of {})", outcome.reason, failures + 1, options.tries));
    }
    if (!wait(pause, events)) {
      throw Error(ErrorKind::kInterrupted, fmt::format("the download was stopped after {} bytes", file.size()),
                  "the same command goes on from there");
    }
    pause *= 2;
  }
}

}  // namespace agentnet
