#include "run/tensorboard.h"

#include <array>
#include <bit>
#include <type_traits>

namespace agentnet {
namespace {

// Fields of the messages, and how protobuf stores them.
enum Wire : std::uint32_t { kVarint = 0, kEightBytes = 1, kText = 2, kFourBytes = 5 };
constexpr std::uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;  // of Event
constexpr std::uint32_t kValue = 1;                                                // of Summary
constexpr std::uint32_t kTag = 1, kSimpleValue = 2;                                // of Value

constexpr std::array<std::uint32_t, 256> crc32c_table() {
  constexpr std::uint32_t kReversedPolynomial = 0x82F63B78U;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    table.at(i) = crc;
  }
  return table;
}

template <class Unsigned>
void put_little_endian(std::string& out, Unsigned value) {
  static_assert(std::is_unsigned_v<Unsigned>);
  for (std::size_t byte = 0; byte < sizeof(Unsigned); ++byte)
    out.push_back(static_cast<char>((value >> (8 * byte)) & 0xFF));
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7F) | 0x80));
  out.push_back(static_cast<char>(value));
}

void put_key(std::string& out, std::uint32_t field, Wire wire) { put_varint(out, (field << 3) | wire); }

void put_double(std::string& out, std::uint32_t field, double value) {
  put_key(out, field, kEightBytes);
  put_little_endian(out, std::bit_cast<std::uint64_t>(value));
}

void put_float(std::string& out, std::uint32_t field, float value) {
  put_key(out, field, kFourBytes);
  put_little_endian(out, std::bit_cast<std::uint32_t>(value));
}

// A string, or a message inside a message.
void put_text(std::string& out, std::uint32_t field, std::string_view text) {
  put_key(out, field, kText);
  put_varint(out, text.size());
  out += text;
}

// TFRecord masks its checksums, since the CRC of bytes that contain their own CRC says little.
std::uint32_t masked_crc(std::string_view bytes) {
  constexpr std::uint32_t kMask = 0xA282EAD8U;
  return std::rotr(crc32c(bytes), 15) + kMask;
}

std::string framed(std::string_view data) {
  std::string out;
  put_little_endian(out, static_cast<std::uint64_t>(data.size()));
  put_little_endian(out, masked_crc(out));
  out += data;
  put_little_endian(out, masked_crc(data));
  return out;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc32c_table();
  std::uint32_t crc = ~0U;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable.at((crc ^ static_cast<unsigned char>(c)) & 0xFF);
  return ~crc;
}

std::string tensorboard_header(double wall_time) {
  std::string event;
  put_double(event, kWallTime, wall_time);
  put_text(event, kFileVersion, "brain.Event:2");
  return framed(event);
}

std::string tensorboard_record(std::int64_t step, double wall_time, std::span<const TensorboardScalar> scalars) {
  std::string summary;
  for (const TensorboardScalar& scalar : scalars) {
    std::string value;
    put_text(value, kTag, scalar.tag);
    put_float(value, kSimpleValue, scalar.value);
    put_text(summary, kValue, value);
  }
  std::string event;
  put_double(event, kWallTime, wall_time);
  put_key(event, kStep, kVarint);
  put_varint(event, static_cast<std::uint64_t>(step));
  put_text(event, kSummary, summary);
  return framed(event);
}

}  // namespace agentnet
