#include "support/archives.h"

#include <archive.h>
#include <archive_entry.h>

#include <stdexcept>

namespace agentnet {
namespace {

void check(archive* writer, int result) {
  if (result != ARCHIVE_OK) throw std::runtime_error(archive_error_string(writer));
}

la_ssize_t append(archive*, void* bytes, const void* data, std::size_t size) {
  static_cast<std::string*>(bytes)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

void add_filter(archive* writer, std::string_view ending) {
  if (ending.ends_with(".gz")) check(writer, archive_write_add_filter_gzip(writer));
  if (ending.ends_with(".xz")) check(writer, archive_write_add_filter_xz(writer));
  if (ending.ends_with(".zst")) check(writer, archive_write_add_filter_zstd(writer));
  if (ending.ends_with(".bz2")) check(writer, archive_write_add_filter_bzip2(writer));
}

std::string written(archive* writer, const ArchiveMembers& members) {
  std::string bytes;
  archive_write_set_bytes_in_last_block(writer, 1);
  check(writer, archive_write_open(writer, &bytes, nullptr, append, nullptr));
  for (const auto& [name, content] : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    check(writer, archive_write_header(writer, entry));
    archive_entry_free(entry);
    if (archive_write_data(writer, content.data(), content.size()) < 0) check(writer, ARCHIVE_FATAL);
  }
  check(writer, archive_write_close(writer));
  archive_write_free(writer);
  return bytes;
}

}  // namespace

std::string packed(std::string_view text, std::string_view ending) {
  archive* writer = archive_write_new();
  check(writer, archive_write_set_format_raw(writer));
  add_filter(writer, ending);
  return written(writer, {{"data", std::string(text)}});
}

std::string archive_of(const ArchiveMembers& members, std::string_view ending) {
  archive* writer = archive_write_new();
  if (ending == ".zip") {
    check(writer, archive_write_set_format_zip(writer));
  } else {
    check(writer, archive_write_set_format_ustar(writer));
    add_filter(writer, ending);
  }
  return written(writer, members);
}

}  // namespace agentnet
