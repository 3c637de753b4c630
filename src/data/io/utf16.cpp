#include "data/io/utf16.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "agentnet/error.h"

namespace agentnet {
namespace {

constexpr std::string_view kLittle = "\xFF\xFE", kBig = "\xFE\xFF";

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      byte(0xE0 | (code >> 12));
    } else {
      byte(0xF0 | (code >> 18));
      byte(0x80 | ((code >> 12) & 0x3F));
    }
    byte(0x80 | ((code >> 6) & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

// Bytes in, text out; the two halves of a pair may come in different pieces.
class Decoder {
 public:
  explicit Decoder(bool big) : big_(big) {}

  // False, at the first damage, which is at byte bytes().
  [[nodiscard]] bool take(std::string_view bytes, std::string& out) {
    for (const char c : bytes) {
      ++bytes_;
      const auto byte = static_cast<std::uint8_t>(c);
      if (!half_unit_) {
        half_unit_ = byte;
        continue;
      }
      const std::uint32_t first = *std::exchange(half_unit_, std::nullopt);
      const std::uint32_t unit = big_ ? (first << 8) | byte : first | (std::uint32_t{byte} << 8);
      if (!take_unit(unit, out)) return false;
    }
    return true;
  }
  [[nodiscard]] bool complete() const { return !half_unit_ && !high_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  bool take_unit(std::uint32_t unit, std::string& out) {
    const bool high = unit >= 0xD800 && unit < 0xDC00, low = unit >= 0xDC00 && unit < 0xE000;
    if (high_) {
      if (!low) return false;
      append_utf8(out, 0x10000 + ((*std::exchange(high_, std::nullopt) - 0xD800) << 10) + (unit - 0xDC00));
    } else if (high) {
      high_ = unit;
    } else if (low) {
      return false;
    } else {
      append_utf8(out, unit);
    }
    return true;
  }

  bool big_;
  std::optional<std::uint8_t> half_unit_;
  std::optional<std::uint32_t> high_;  // of a surrogate pair
  std::uint64_t bytes_ = 0;
};

// Bytes that were read to look at them, then the rest.
class Utf8Stream final : public ByteStream {
 public:
  Utf8Stream(std::unique_ptr<ByteStream> stream, std::string place)
      : stream_(std::move(stream)), place_(std::move(place)) {}

  [[nodiscard]] std::size_t read(char* out, std::size_t size) override {
    if (!begun_) begin();
    if (!decoder_ && at_ == ready_.size()) return stream_->read(out, size);  // nothing to change: no second copy
    while (at_ == ready_.size() && !ended_) refill();
    const std::size_t count = std::min(size, ready_.size() - at_);
    std::copy_n(ready_.data() + at_, count, out);
    at_ += count;
    return count;
  }

 private:
  void begin() {
    begun_ = true;
    while (ready_.size() < 2 && !ended_) {
      std::array<char, 2> bytes{};
      const std::size_t got = stream_->read(bytes.data(), 2 - ready_.size());
      ready_.append(bytes.data(), got);
      ended_ = got == 0;
    }
    if (ready_ != kLittle && ready_ != kBig) return;
    decoder_.emplace(ready_ == kBig);
    ready_.clear();
  }

  void refill() {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    ready_.clear();
    at_ = 0;
    std::string block(kBlock, 0);
    block.resize(stream_->read(block.data(), kBlock));
    ended_ = block.empty();
    if (!decoder_) {
      ready_ = std::move(block);
      return;
    }
    if (decoder_->take(block, ready_) && (!ended_ || decoder_->complete())) return;
    throw Error(ErrorKind::kData,
                fmt::format("{}: byte {} is not UTF-16, as the file's first two bytes say it is", place_,
                            decoder_->bytes() + 2),
                "save the file as UTF-8");
  }

  std::unique_ptr<ByteStream> stream_;
  std::string place_;
  std::string ready_;  // to be handed out from at_ on
  std::size_t at_ = 0;
  bool begun_ = false, ended_ = false;
  std::optional<Decoder> decoder_;
};

}  // namespace

std::unique_ptr<ByteStream> as_utf8(std::unique_ptr<ByteStream> stream, std::string place) {
  return std::make_unique<Utf8Stream>(std::move(stream), std::move(place));
}

std::string head_as_utf8(std::string_view head) {
  const bool big = head.starts_with(kBig);
  if (!big && !head.starts_with(kLittle)) return std::string(head);
  std::string text;
  static_cast<void>(Decoder(big).take(head.substr(2), text));
  return text;
}

}  // namespace agentnet
