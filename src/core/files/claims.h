// Pieces of work that processes share through a folder, on one machine or many: each piece is done by whoever claims it
// first, and by another one if that process dies.
//
//   ClaimFolder claims("run/claims");
//   if (auto claim = claims.claim("fold-3")) {      // null: another process is at it
//     if (!is_done("fold-3")) work("fold-3", [&] { return !claim->held(); });
//   }                                               // given back here
//
// A claim on NAME is a file NAME.G, made by link(2), which one of several processes can do, over NFS as well. G counts
// how often the piece was taken over. Its holder writes a growing number into it, a heartbeat. A claim is taken over by
// making NAME.(G + 1), when
//   - its holder ran on this machine and is gone: then the lock on the file is free; or
//   - somebody has watched it for as long as a lease, by the clock of the watcher alone, and saw no heartbeat. Clocks
//   of
//     several machines are never compared, so they may be wrong.
// A holder that was stopped for longer than that finds out before its next step: held() is false, and it must end
// without writing. What is done is not known here: look once more after claiming.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace agentnet {

struct ClaimOptions {
  double beat_seconds = 5;
  double lease_seconds = 60;  // several heartbeats: a machine may be busy
  std::string machine;        // empty: this one, as its kernel names this boot
};

class ClaimFolder;

// Gives the piece back when it is destroyed.
class Claim {
 public:
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // False from the moment on when another process may have taken it over. May be called from several threads.
  [[nodiscard]] bool held() const;

 private:
  friend class ClaimFolder;
  struct State;
  Claim(ClaimFolder& folder, std::shared_ptr<State> state);
  ClaimFolder& folder_;
  std::shared_ptr<State> state_;
};

// May be used by several threads at once; must outlive its claims.
class ClaimFolder {
 public:
  // The folder is made by the first claim.
  explicit ClaimFolder(std::filesystem::path folder, ClaimOptions options = {});
  ~ClaimFolder();
  ClaimFolder(const ClaimFolder&) = delete;
  ClaimFolder& operator=(const ClaimFolder&) = delete;

  // Null if somebody has it. `name` has letters, digits, '-' and '_' (std::invalid_argument). Throws Error (kFailure)
  // if the folder cannot be written.
  [[nodiscard]] std::unique_ptr<Claim> claim(std::string_view name);

  // To be called when all work is done: removes what killed processes of this machine left, and the folder with it if
  // that was all. Before, it would make others believe that nobody had claimed what is being taken over.
  void remove_dead();

 private:
  friend class Claim;
  class Inside;
  std::unique_ptr<Inside> inside_;
};

// Whether somebody has a FolderLock on this folder, as far as the file system knows locks: a process that lost its
// claim and has not noticed may still be at work there.
[[nodiscard]] bool is_at_work_in(const std::filesystem::path& folder);

}  // namespace agentnet
