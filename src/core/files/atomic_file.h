// Durable replacement of a file: readers see the old content or the new, never a mixture, and
// commit() returns only when the new content would survive a power cut.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace agentnet {

// The system calls that writing needs, each as the C function of the same name (-1 and errno on
// failure). Virtual so that tests can make any single call fail.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual int open(const char* path, int flags, mode_t mode);
  virtual ssize_t write(int fd, const void* data, std::size_t size);
  virtual ssize_t pwrite(int fd, const void* data, std::size_t size, off_t offset);
  virtual ssize_t pread(int fd, void* data, std::size_t size, off_t offset);
  virtual int fsync(int fd);
  virtual int close(int fd);
  virtual int rename(const char* from, const char* to);
  virtual int unlink(const char* path);

  [[nodiscard]] static FileSystem& real();
};

// A temporary file is called like its target, then this, the process, "-" and a counter.
inline constexpr const char* kTemporarySuffix = ".agentnet-tmp-";

// Use: AtomicFile file(path); file.write(...); file.commit();
// Every failure throws Error (kFailure) that names the file and the system's reason. The temporary
// file, in the folder of the target so that the rename stays within one file system, is gone after a
// failed write or commit, and after destruction without a commit; the old file is then untouched.
// (Only if the final sync of the folder fails is the new file already in place, complete, with its
// durability unknown.) A target that is a symbolic link keeps being one: the file behind it is replaced.
// The first one in a folder also removes what killed processes left there. Not for two threads at once.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path, FileSystem& fs = FileSystem::real());
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t size);
  // At a place of the file, which does not move where write() goes on; what is skipped reads as zeros.
  void write_at(std::uint64_t offset, const void* data, std::size_t size);
  // What was written so far. Bytes that are not there are a failure.
  void read_at(std::uint64_t offset, void* data, std::size_t size);
  // Once, at the end; a write or commit after it, or after a failure, throws std::logic_error.
  void commit();

 private:
  void open_temporary();
  void discard() noexcept;
  void sync_folder();
  [[noreturn]] void fail(const char* action, int error);

  FileSystem& fs_;
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int fd_ = -1;
};

// Whether a file has exactly the name of a temporary file.
[[nodiscard]] bool is_temporary_name(const std::string& name);

// Removes the temporary files that killed processes left in a folder: regular files with exactly such a name whose
// process is gone and that nobody has locked, as writers do for those who share the folder but not the list of
// processes. Failures are ignored.
void remove_abandoned_files(const std::filesystem::path& folder);

// The same test for one file or folder that was made by `process`.
[[nodiscard]] bool is_abandoned(const std::filesystem::path& path, pid_t process);

}  // namespace agentnet
