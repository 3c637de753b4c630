#include "data/io/input.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <utility>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/io/archives/damaged.h"
#include "data/io/archives/unpack.h"

namespace agentnet {
namespace {

constexpr std::size_t kTarHeader = 512;
constexpr std::size_t kPeek = 4096;
constexpr std::size_t kMostMembers = 1000000;

// One member of an archive, or the content of a compressed file.
class MemberStream final : public ByteStream {
 public:
  explicit MemberStream(std::unique_ptr<Unpacker> reader) : reader_(std::move(reader)) {}
  std::size_t read(char* out, std::size_t size) override { return reader_->read(out, size); }

 private:
  std::unique_ptr<Unpacker> reader_;
};

// The same of a reader that somebody else goes on with.
class BorrowedStream final : public ByteStream {
 public:
  explicit BorrowedStream(Unpacker& reader) : reader_(reader) {}
  std::size_t read(char* out, std::size_t size) override { return reader_.read(out, size); }

 private:
  Unpacker& reader_;
};

bool is_compressed(std::string_view head) {
  using namespace std::string_view_literals;
  return head.starts_with("\x1f\x8b"sv) ||
         head.starts_with(
             "\xfd"
             "7zXZ\0"sv) ||
         head.starts_with("\x28\xb5\x2f\xfd"sv) || head.starts_with("BZh"sv);
}

bool is_zip(std::string_view head) {
  using namespace std::string_view_literals;
  return head.starts_with("PK\3\4"sv) || head.starts_with("PK\5\6"sv);
}

bool is_tar(std::string_view head) { return head.size() >= kTarHeader && head.substr(257).starts_with("ustar"); }

// Unpacks the stream if it is compressed.
std::unique_ptr<PeekStream> unpacked_stream(std::unique_ptr<ByteStream> inner, const std::string& place,
                                            const std::shared_ptr<Unpacking>& unpacking) {
  auto stream = std::make_unique<PeekStream>(std::move(inner));
  if (!is_compressed(stream->head())) return stream;
  auto reader = unpack(std::move(stream), place, Packing::kFile, unpacking);
  if (!reader->next()) return std::make_unique<PeekStream>(std::make_unique<TextStream>(""));  // a packed empty file
  return std::make_unique<PeekStream>(std::make_unique<MemberStream>(std::move(reader)));
}

// A tar file ends in blocks of zeros. libarchive does not miss them, and takes a file that was cut between two members
// for a whole one.
void check_end_of_tar(const std::filesystem::path& path, const std::string& place) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, kTarHeader> last{};
  file.seekg(-static_cast<std::streamoff>(kTarHeader), std::ios::end);
  file.read(last.data(), kTarHeader);
  const bool zeros = std::all_of(last.begin(), last.end(), [](char c) { return c == 0; });
  if (!file || !zeros) fail_damaged(place, "its end is missing");
}

std::unique_ptr<Unpacker> open_archive(std::shared_ptr<const OpenFile> file, const std::string& place,
                                       const std::shared_ptr<Unpacking>& unpacking) {
  return unpack(std::make_unique<FileStream>(std::move(file), unpacking), place, Packing::kArchive, unpacking);
}

// All of a member if it has at most `limit` bytes, else nothing. There may be a million small ones: `buffer` is shared.
std::shared_ptr<std::string> small_text(Unpacker& reader, std::size_t limit, std::vector<char>& buffer) {
  auto text = std::make_shared<std::string>();
  while (const std::size_t got = reader.read(buffer.data(), buffer.size())) {
    if (got > limit - text->size()) return nullptr;
    text->append(buffer.data(), got);
  }
  return text;
}

}  // namespace

std::string_view Input::head() const {
  if (in_memory_ && members_.size() == 1) return std::string_view(*members_[0].text).substr(0, kPeek);
  return head_;
}

std::string_view without_compression(std::string_view name) {
  for (const std::string_view ending : {".gz", ".xz", ".zst", ".bz2"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

Input Input::open(const std::filesystem::path& path, UnpackLimit limit) {
  Input input;
  input.limit_ = limit;
  input.name_ = path.string();
  input.path_ = path;
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::kData, fmt::format("there is no file or folder {}", in_quotes(path.string())),
                "check the path; built-in sets are called synthetic:NAME");
  }
  // Its second reader would wait for ever, or find nothing.
  if (std::filesystem::is_fifo(status) || std::filesystem::is_socket(status)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} is a pipe, and is read more than once", path.string()),
                "save it to a file first");
  }
  if (std::filesystem::is_directory(status)) {
    input.list_folder();
  } else {
    const auto unpacking = std::make_shared<Unpacking>(limit, input.name_);
    input.file_ = std::make_shared<OpenFile>(path);
    auto packed = std::make_unique<PeekStream>(std::make_unique<FileStream>(input.file_, unpacking));
    if (is_tar(packed->head())) check_end_of_tar(path, input.name_);
    const bool compressed = is_compressed(packed->head());
    auto stream = unpacked_stream(std::move(packed), input.name_, unpacking);
    input.archive_ = is_zip(stream->head()) || is_tar(stream->head());
    input.plain_ = !compressed && !input.archive_;
    if (input.archive_) {
      input.list_archive();
    } else {
      input.members_ = {{path.filename().string()}};
      input.head_ = stream->head();
      if (compressed) input.begun_ = std::make_shared<std::unique_ptr<ByteStream>>(std::move(stream));
    }
  }
  input.sort_members();
  return input;
}

Input Input::from_text(std::string name, std::string text) {
  Input input;
  input.in_memory_ = true;
  input.name_ = name;
  input.members_ = {{std::move(name), std::make_shared<std::string>(std::move(text))}};
  input.sort_members();
  return input;
}

Input Input::from_texts(std::string name, std::vector<std::pair<std::string, std::string>> members) {
  Input input;
  input.in_memory_ = input.folder_ = true;
  input.name_ = std::move(name);
  for (auto& [stored, text] : members) {
    input.add_member(std::move(stored), std::make_shared<std::string>(std::move(text)));
  }
  input.sort_members();
  return input;
}

// macOS puts a second, hidden file beside every file of a zip.
void Input::add_member(std::string stored, std::shared_ptr<const std::string> text) {
  const std::size_t slash = stored.rfind('/');
  const std::string_view file = std::string_view(stored).substr(slash == std::string::npos ? 0 : slash + 1);
  if (file.starts_with("._")) return;
  if (members_.size() == kMostMembers) {
    throw Error(ErrorKind::kData, fmt::format("{} holds more than {} files", name_, kMostMembers),
                "name the file or folder that is meant");
  }
  members_.push_back({std::move(stored), std::move(text), members_.size()});
}

void Input::list_folder() {
  folder_ = true;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(path_, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (!entry->is_regular_file(error)) continue;
    add_member(entry->path().lexically_relative(path_).generic_string());
  }
  if (error) {
    throw Error(ErrorKind::kFailure, fmt::format("cannot list the folder {}: {}", name_, error.message()),
                "check its permissions");
  }
}

void Input::list_archive() {
  constexpr std::size_t kKept = std::size_t{1} << 26;
  folder_ = true;
  const auto unpacking = std::make_shared<Unpacking>(limit_, name_);
  const auto reader = open_archive(file_, name_, unpacking);
  kept_ = true;
  std::size_t left = kKept;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (auto member = reader->next()) {
    std::shared_ptr<const std::string> text = kept_ ? small_text(*reader, left, buffer) : nullptr;
    if (text == nullptr) {
      kept_ = false;
    } else {
      left -= text->size();
    }
    add_member(*std::move(member), std::move(text));
  }
  if (!kept_) {
    for (Member& member : members_) member.text.reset();
  }
  packed_bytes_ = unpacking->packed();
  unpacked_bytes_ = unpacking->unpacked();
}

void Input::sort_members() {
  // Of members of the same name, the first that is stored is the one that there is.
  std::stable_sort(members_.begin(), members_.end(),
                   [](const Member& a, const Member& b) { return a.stored < b.stored; });
  names_.clear();
  for (const Member& member : members_) names_.emplace_back(without_compression(member.stored));
  numbers_ = NameIndex(names_);
}

const std::string& Input::only_member() const {
  if (names_.size() == 1) return names_[0];
  throw Error(ErrorKind::kData,
              names_.empty() ? fmt::format("{} holds no files", name_)
                             : fmt::format("{} holds {} files, but this format is a single one", name_, names_.size()),
              names_.empty() ? "check the path" : fmt::format("name one of them, such as {}", place(names_[0])));
}

std::optional<std::string> Input::member_ending_in(std::string_view ending) const {
  std::optional<std::string> found;
  for (const std::string& name : names_) {
    if (!name.ends_with(ending)) continue;
    if (found) {
      throw Error(ErrorKind::kData, fmt::format("{} holds both {} and {}", name_, printable(*found), printable(name)),
                  "keep the files of one set in one folder");
    }
    found = name;
  }
  return found;
}

std::string Input::place(std::string_view member) const {
  const auto found = find(member);
  const std::string stored = found ? members_[*found].stored : std::string(member);
  return folder_ ? name_ + (name_.ends_with('/') ? "" : "/") + printable(stored) : name_;
}

std::unique_ptr<ByteStream> Input::stream(std::string_view member) const {
  const auto found = find(member);
  if (!found) {
    throw Error(ErrorKind::kData, fmt::format("{} has no file {}", name_, in_quotes(member)), "check the folder");
  }
  const Member& chosen = members_[*found];
  if (in_memory_) return std::make_unique<TextStream>(*chosen.text);
  if (kept_) return kept_stream(*found);
  if (begun_ != nullptr && *begun_ != nullptr) return std::move(*begun_);
  const std::string where = place(member);
  const auto unpacking = std::make_shared<Unpacking>(limit_, where);
  if (!archive_) {
    const auto file = folder_ ? std::make_shared<const OpenFile>(path_ / chosen.stored) : file_;
    return unpacked_stream(std::make_unique<FileStream>(file, unpacking), where, unpacking);
  }
  auto reader = open_archive(file_, name_, unpacking);
  while (const auto name = reader->next()) {
    if (*name != chosen.stored) continue;
    return unpacked_stream(std::make_unique<MemberStream>(std::move(reader)), where, unpacking);
  }
  fail_damaged(name_, "a member has gone");
}

// A member that was unpacked before; what it unpacks to in turn counts against the archive as a whole.
std::unique_ptr<ByteStream> Input::kept_stream(std::size_t number) const {
  const std::string where = place(names_[number]);
  const auto unpacking = std::make_shared<Unpacking>(limit_, where);
  unpacking->read(packed_bytes_);
  unpacking->unpack(unpacked_bytes_);
  return unpacked_stream(std::make_unique<KeptTextStream>(members_[number].text), where, unpacking);
}

void Input::for_each(const std::function<void(const std::string& member, ByteStream& stream)>& f) const {
  if (!archive_) {
    for (const std::string& name : names_) f(name, *stream(name));
    return;
  }
  if (kept_) {
    std::vector<std::size_t> as_stored(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) as_stored[members_[i].number] = i;
    for (const std::size_t i : as_stored) {
      if (find(names_[i]) == i) f(names_[i], *kept_stream(i));  // stream() hands out no other
    }
    return;
  }
  const auto unpacking = std::make_shared<Unpacking>(limit_, name_);
  const auto reader = open_archive(file_, name_, unpacking);
  std::vector<bool> seen(members_.size());
  while (const auto stored = reader->next()) {
    const auto by_name = [](const Member& member, const std::string& name) { return member.stored < name; };
    const auto found = std::lower_bound(members_.begin(), members_.end(), *stored, by_name);
    if (found == members_.end() || found->stored != *stored) continue;
    const auto number = static_cast<std::size_t>(found - members_.begin());
    if (seen[number] || find(names_[number]) != number) continue;  // stream() would never hand it out
    seen[number] = true;
    f(names_[number], *unpacked_stream(std::make_unique<BorrowedStream>(*reader), place(names_[number]), unpacking));
  }
}

Input Input::unpacked(const std::function<bool(const std::string& member)>& wanted, std::size_t limit) const {
  if (!archive_) return *this;
  std::vector<std::pair<std::string, std::string>> members;
  for_each([&](const std::string& member, ByteStream& stream) {
    if (!wanted(member)) return;
    std::string text = read_all(stream, place(member), limit);
    limit -= std::min(limit, text.size());
    members.emplace_back(members_[find(member).value()].stored, std::move(text));
  });
  return from_texts(name_, std::move(members));
}

}  // namespace agentnet
