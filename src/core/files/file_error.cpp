#include "core/files/file_error.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

const char* hint_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space, or write to another disk";
    case EFBIG:
      return "the file would be larger than ulimit -f or the file system allows: raise the limit, or write elsewhere";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "check that the folder exists";
    default:
      return "check the disk and the path, then try again";
  }
}

}  // namespace

void throw_write_error(const std::filesystem::path& path, const char* action, int error) {
  throw Error(ErrorKind::kFailure,
              "cannot write " + printable(path.native()) + ": failed to " + action + ": " +
                  std::system_category().message(error),
              hint_for(error));
}

}  // namespace agentnet
