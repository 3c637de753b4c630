// Folders that results go to.
#pragma once

#include <filesystem>

namespace agentnet {

// Makes it, and the folders that it lies in; one that is there stays as it is. Throws Error (kFailure).
void make_folder(const std::filesystem::path& folder);

// Keeps a folder to ourselves, for as long as it lives and the process does: whoever wants to hold the same one
// meanwhile, here or in another process, gets an Error (kUsage). Where the file system knows no locks there are none.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace agentnet
