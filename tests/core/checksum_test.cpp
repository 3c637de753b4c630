#include "core/files/checksum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace agentnet {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Checksum, MatchesTheXxhsumProgram) {
  // printf 'agentnet' | xxhsum -H3 and -H2
  EXPECT_EQ(xxh3_64_hex(bytes_of("agentnet")), "efaa085dc10b9ac7");
  EXPECT_EQ(xxh3_128_hex(bytes_of("agentnet")), "1866b7e882d151150b279b2721bea747");
  // The specification's values for no input.
  EXPECT_EQ(xxh3_64_hex({}), "2d06800538d394c2");
  EXPECT_EQ(xxh3_128_hex({}), "99aa06d3014798d86001c324468d497f");
}

RC_GTEST_PROP(Checksum, DoesNotDependOnHowTheBytesAreCut, (const std::vector<std::uint8_t>& data, std::size_t cut)) {
  const auto bytes = std::as_bytes(std::span(data));
  const std::size_t first = data.empty() ? 0 : cut % data.size();
  Checksum checksum;
  checksum.update(bytes.first(first));
  checksum.update({});
  checksum.update(bytes.subspan(first));
  RC_ASSERT(checksum.hex() == xxh3_128_hex(bytes));
}

TEST(Checksum, CanBeReadOnTheWayAndMoved) {
  Checksum checksum;
  checksum.update(bytes_of("agent"));
  EXPECT_EQ(checksum.hex(), xxh3_128_hex(bytes_of("agent")));
  Checksum moved = std::move(checksum);
  moved.update(bytes_of("net"));
  EXPECT_EQ(moved.hex(), xxh3_128_hex(bytes_of("agentnet")));
}

TEST(Checksum, SeesASingleFlippedBit) {
  std::vector<std::byte> bytes(1000);
  const std::string before = xxh3_128_hex(bytes);
  bytes[500] ^= std::byte{1};
  EXPECT_NE(xxh3_128_hex(bytes), before);
}

TEST(Checksum64, IsThatOfTheWholeHoweverItIsCut) {
  for (const std::size_t cut : {0U, 1U, 5U, 8U}) {
    Checksum64 checksum;
    checksum.update(bytes_of("agentnet").first(cut));
    Checksum64 moved = std::move(checksum);
    moved.update(bytes_of("agentnet").subspan(cut));
    EXPECT_EQ(moved.value(), xxh3_64(bytes_of("agentnet")));
  }
}

}  // namespace
}  // namespace agentnet
