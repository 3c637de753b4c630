#include "graph/set_file_writer.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "graph/set_file.h"

namespace agentnet {
namespace {

std::uint64_t header_bytes(std::size_t sections) {
  return sizeof(SetHeader) + sections * sizeof(SetSection) + sizeof(std::uint64_t);
}

}  // namespace

SetFileWriter::SetFileWriter(const std::filesystem::path& path, FileSystem& fs, std::size_t most_sections)
    : file_(path, fs), most_sections_(most_sections), end_(section_aligned(header_bytes(most_sections))) {}

SetFileWriter::Section SetFileWriter::open(std::string_view name) {
  if (name.size() >= kSectionName) {
    throw std::invalid_argument("the section name " + std::string(name) + " is too long");
  }
  end_growing();
  if (sections_.size() == most_sections_) throw std::logic_error("SetFileWriter: the header has no more room");
  Open& section = sections_.emplace_back();
  std::ranges::copy(name, section.entry.name.begin());
  section.entry.offset = end_;
  return sections_.size() - 1;
}

SetFileWriter::Section SetFileWriter::reserve(std::string_view name, std::uint64_t bytes) {
  const Section number = open(name);
  sections_[number].entry.bytes = bytes;
  sections_[number].reserved = true;
  end_ += section_aligned(bytes);
  return number;
}

SetFileWriter::Section SetFileWriter::begin(std::string_view name) {
  const Section number = open(name);
  growing_ = true;
  return number;
}

void SetFileWriter::add(std::string_view name, std::span<const std::byte> bytes) {
  write(reserve(name, bytes.size()), bytes);
}

void SetFileWriter::write(Section section, std::span<const std::byte> bytes) {
  Open& to = sections_[section];
  const bool grows = growing_ && section + 1 == sections_.size();
  if (!grows && bytes.size() > to.entry.bytes - to.written) {
    throw std::logic_error("SetFileWriter: more than section " + std::string(to.entry.name.data()) + " can hold");
  }
  file_.write_at(to.entry.offset + to.written, bytes.data(), bytes.size());
  to.checksum.update(bytes);
  to.written += bytes.size();
  if (!grows && to.written == to.entry.bytes) pad(to);
}

void SetFileWriter::read(Section section, std::uint64_t at, std::span<std::byte> out) {
  file_.read_at(sections_[section].entry.offset + at, out.data(), out.size());
}

// Up to the next page: the last one of a file is as long as the others.
void SetFileWriter::pad(const Open& section) {
  static constexpr std::array<std::byte, kSetAlignment> kZeros{};
  const std::uint64_t rest = section_aligned(section.written) - section.written;
  file_.write_at(section.entry.offset + section.written, kZeros.data(), rest);
}

void SetFileWriter::end_growing() {
  if (!growing_) return;
  Open& last = sections_.back();
  last.entry.bytes = last.written;
  end_ += section_aligned(last.written);
  pad(last);
  growing_ = false;
}

void SetFileWriter::finish(const SetWidths& widths) {
  end_growing();
  SetHeader header{};
  std::ranges::copy(kSetMagic, header.magic.begin());
  header.version = kSetVersion;
  header.sections = static_cast<std::uint32_t>(sections_.size());
  header.file_size = end_;
  const auto width = [](int w) { return static_cast<std::uint32_t>(w); };
  header.widths = {width(widths.node_dense), width(widths.node_categories), width(widths.edge_dense),
                   width(widths.edge_categories), width(widths.targets)};
  std::vector<std::byte> head;
  const auto append = [&head](const auto& object) {
    const auto bytes = std::as_bytes(std::span(&object, 1));
    head.insert(head.end(), bytes.begin(), bytes.end());
  };
  append(header);
  for (Open& section : sections_) {
    if (section.written != section.entry.bytes) {
      throw std::logic_error("SetFileWriter: section " + std::string(section.entry.name.data()) + " is not full");
    }
    section.entry.checksum = section.checksum.value();
    append(section.entry);
  }
  append(xxh3_64(head));
  head.resize(section_aligned(header_bytes(most_sections_)));
  file_.write_at(0, head.data(), head.size());
  file_.commit();
}

}  // namespace agentnet
