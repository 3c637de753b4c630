#include "options/piped_data.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <system_error>
#include <vector>

#include "agentnet/error.h"
#include "core/print.h"
#include "data/huge/scratch_file.h"
#include "data/molecules/molecule.h"

namespace agentnet {
namespace {

constexpr const char* kStandardInput = "/dev/stdin";

// The descriptor that is meant.
std::optional<int> descriptor_named(const std::string& source) {
  if (source == "-" || source == kStandardInput) return STDIN_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!source.starts_with(folder)) continue;
    int number = -1;
    const char* const end = source.data() + source.size();
    const auto [rest, problem] = std::from_chars(source.data() + folder.size(), end, number);
    if (problem == std::errc() && rest == end && number >= 0) return number;
  }
  return std::nullopt;
}

bool is_pipe(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

bool can_be_opened(int descriptor) {
  const int again = ::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_RDONLY | O_CLOEXEC);
  if (again >= 0) ::close(again);
  return again >= 0;
}

// Whether opening it again would give other bytes, or none. A terminal, too, is read once; and of a file somebody may
// have read the beginning, or may have opened it for us.
bool gives_once(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return false;  // it is not open: whoever opens it says so
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || ::isatty(descriptor) == 1) return true;
  return S_ISREG(status.st_mode) && (::lseek(descriptor, 0, SEEK_CUR) > 0 || !can_be_opened(descriptor));
}

// The next bytes of a descriptor; none at its end.
std::size_t read_block(int descriptor, std::vector<char>& block, const std::string& name) {
  for (;;) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    throw Error(ErrorKind::kFailure, fmt::format("cannot read {}: {}", name, std::generic_category().message(errno)),
                "save it to a file first");
  }
}

// f() with errors about our file turned into what they mean to a user who has named none.
template <class F>
auto keeping(const std::string& name, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{} is a pipe and needs a temporary file: {}", name, error.what()),
                "set TMPDIR to a folder with room for it, or save it to a file first");
  }
}

std::filesystem::path temporary_name() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) throw Error(ErrorKind::kFailure, fmt::format("TMPDIR is no folder: {}", error.message()));
  return folder / "agentnet";
}

// All that is still to come from the descriptor becomes a file, and the descriptor leads to it.
void turn_into_file(int descriptor, const std::string& name) {
  const auto file = keeping(name, [] { return std::make_unique<ScratchFile>(temporary_name()); });
  std::vector<char> block(std::size_t{1} << 18);
  while (const std::size_t size = read_block(descriptor, block, name)) {
    keeping(name, [&] { file->append(block.data(), size); });
  }
  if (::dup2(file->descriptor(), descriptor) < 0) {
    throw Error(ErrorKind::kFailure, fmt::format("cannot keep {}: {}", name, std::generic_category().message(errno)),
                "save it to a file first");
  }
}

// A SMILES string instead of the name of a file.
bool is_typed_molecule(const std::string& source) {
  constexpr std::size_t kLongest = 1000;
  std::error_code ignored;
  return !source.empty() && source.size() <= kLongest && can_read_smiles() && source.find(':') == std::string::npos &&
         !std::filesystem::exists(source, ignored) && std::holds_alternative<Molecule>(molecule_from_smiles(source));
}

// A build that reads no molecules cannot tell a SMILES string from the name of a file that is not there.
void note_what_cannot_be_read(const std::string& source, const Console& console) {
  std::error_code ignored;
  if (can_read_smiles() || source.find_first_of(":.") != std::string::npos) return;
  if (std::filesystem::exists(source, ignored)) return;
  print_to(console.err, "note: if {} is a molecule, this agentnet cannot read it: it was built without RDKit\n",
           source);
}

// A table of one row, which is gone when the program ends.
std::string file_of_molecule(const std::string& smiles, const Console& console) {
  const auto file = keeping(smiles, [] { return std::make_unique<ScratchFile>(temporary_name()); });
  const std::string text = "smiles\n" + smiles + "\n";
  keeping(smiles, [&] { file->append(text.data(), text.size()); });
  const int kept = ::fcntl(file->descriptor(), F_DUPFD_CLOEXEC, 0);  // stays open for the rest of the program
  if (kept < 0) throw Error(ErrorKind::kFailure, "cannot keep the molecule: too many files are open", "close some");
  print_to(console.err, "note: there is no file {}: it is read as a molecule\n", smiles);
  return fmt::format("/dev/fd/{}", kept);
}

}  // namespace

std::string reopenable(const std::string& source, const Console& console) {
  if (const auto descriptor = descriptor_named(source)) {
    std::string name = source == "-" ? kStandardInput : source;
    if (gives_once(*descriptor)) turn_into_file(*descriptor, name);
    return name;
  }
  if (is_typed_molecule(source)) return file_of_molecule(source, console);
  note_what_cannot_be_read(source, console);
  if (!is_pipe(source)) return source;
  const int opened = ::open(source.c_str(), O_RDONLY | O_CLOEXEC);  // stays open for the rest of the program
  if (opened < 0) return source;                                    // whoever opens it next says why
  turn_into_file(opened, source);
  std::string name = fmt::format("/dev/fd/{}", opened);
  print_to(console.err, "note: {} is a pipe; what came out of it is called {} here\n", source, name);
  return name;
}

void require_lasting(const std::string& source) {
  if (!descriptor_named(source) && !is_pipe(source)) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} is gone when it is to be read again, as --resume does",
                          source == "-" ? "standard input" : source),
              "save the data to a file first");
}

}  // namespace agentnet
