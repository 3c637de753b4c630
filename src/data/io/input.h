// What the user points at: a file, a folder or an archive, plain or compressed, as a list of named members.
//
// A file is opened once, and an archive of up to 64 MB of content is unpacked once, when it is listed.
//
// Compression is recognised by the first bytes, not by the name: .gz, .xz, .zst and .bz2 around a file, .zip and .tar.*
// around several; a compressed member of an archive is unpacked as well. A member's name has no ending that only names
// its compression: raw/edge.csv.gz is the member raw/edge.csv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/io/byte_stream.h"
#include "data/io/name_index.h"

namespace agentnet {

// Not for two threads at once.
class Input {
 public:
  // Lists the members. Throws Error: kData if there is nothing of this name, or if it is a damaged archive; kUsage for
  // a pipe, which gives its bytes once. What unpacks beyond the limit throws Error (kData), here or when it is read.
  [[nodiscard]] static Input open(const std::filesystem::path& path, UnpackLimit limit = {});
  // Members that lie in memory, not unpacked: for tests and fuzzing. One file, or a folder of several (name, text).
  [[nodiscard]] static Input from_text(std::string name, std::string text);
  [[nodiscard]] static Input from_texts(std::string name, std::vector<std::pair<std::string, std::string>> members);

  // As the user named it.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_folder() const { return folder_; }  // or an archive
  // A file that is neither compressed nor an archive: it can be mapped.
  [[nodiscard]] bool is_plain_file() const { return plain_; }
  // Sorted; a single file is its own only member.
  [[nodiscard]] const std::vector<std::string>& members() const { return names_; }
  // For formats that are one file: throws Error (kData) if there are several, or none.
  [[nodiscard]] const std::string& only_member() const;
  [[nodiscard]] bool has(std::string_view member) const { return find(member).has_value(); }
  // The only member that ends so, in any folder; nothing if there is none. Several throw Error (kData).
  [[nodiscard]] std::optional<std::string> member_ending_in(std::string_view ending) const;

  // The first bytes of a single file, unpacked, at most 4096; empty for several members.
  [[nodiscard]] std::string_view head() const;

  // Each call starts at the beginning of the member. Throws Error (kData) if there is none of this name.
  [[nodiscard]] std::unique_ptr<ByteStream> stream(std::string_view member) const;
  [[nodiscard]] std::unique_ptr<ByteStream> stream() const { return stream(only_member()); }
  // Calls f(member, stream) for every member, in the order in which they are stored: a stream() for each would read a
  // large archive from its beginning as often as it has members.
  void for_each(const std::function<void(const std::string& member, ByteStream& stream)>& f) const;
  // An archive's members for which wanted(member) holds, in memory, read in one go; anything else is left as it is.
  // Throws Error (kData) if these are more than `limit` bytes together.
  [[nodiscard]] Input unpacked(const std::function<bool(const std::string& member)>& wanted, std::size_t limit) const;
  // Where messages place an error in this member: "set.zip/raw/edge.csv.gz".
  [[nodiscard]] std::string place(std::string_view member) const;

 private:
  struct Member {
    std::string stored;  // the name in the folder or archive, with all its endings
    // Of from_texts(), and of the members of an archive that is not too large.
    std::shared_ptr<const std::string> text = {};
    std::size_t number = 0;  // in the order in which they are stored
  };
  [[nodiscard]] std::optional<std::size_t> find(std::string_view member) const { return numbers_.find(member); }
  void list_folder();
  void list_archive();
  void add_member(std::string stored, std::shared_ptr<const std::string> text = {});
  [[nodiscard]] std::unique_ptr<ByteStream> kept_stream(std::size_t number) const;
  void sort_members();

  std::shared_ptr<const OpenFile> file_;  // of a single file or archive
  std::string head_;                      // of a single file, unpacked
  // What unpacks a single file, for the first who asks for it: its head took some of the packed bytes.
  std::shared_ptr<std::unique_ptr<ByteStream>> begun_;
  std::string name_;
  std::filesystem::path path_;
  UnpackLimit limit_;
  bool folder_ = false, archive_ = false, in_memory_ = false, plain_ = false;
  bool kept_ = false;  // an archive whose members were all unpacked when they were listed
  std::uint64_t packed_bytes_ = 0, unpacked_bytes_ = 0;  // of such an archive
  std::vector<std::string> names_;
  NameIndex numbers_;            // of names_
  std::vector<Member> members_;  // in the order of names_
};

// "name" without .gz, .xz, .zst, .bz2.
[[nodiscard]] std::string_view without_compression(std::string_view name);

}  // namespace agentnet
