#include "serve/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agentnet/error.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

const std::string kFirst = "0123456789abcdef", kSecond = "fedcba9876543210-second";

class TokensTest : public testing::Test {
 protected:
  void write(const std::string& text,
             std::filesystem::perms mode = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write) {
    write_text(path_, text);
    std::filesystem::permissions(path_, mode);
  }
  std::string problem() {
    try {
      const Tokens tokens(path_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "tokens";
};

TEST_F(TokensTest, FindsTheTokenOfARequest) {
  write("# ours\n\n" + kFirst + "\r\n" + kSecond + "  \n");
  const Tokens tokens(path_);
  EXPECT_EQ(tokens.find("Bearer " + kFirst), 0U);
  EXPECT_EQ(tokens.find("bearer " + kSecond), 1U);
  for (const std::string& wrong :
       {std::string(), std::string("Bearer "), "Bearer " + kFirst + "0", "Bearer " + kFirst.substr(1), kFirst,
        "Basic " + kFirst, "Bearer  " + kFirst, "Bearer " + kFirst + " ", std::string("Bearer # ours"),
        "Bearer " + std::string(1000, 'x')}) {
    EXPECT_EQ(tokens.find(wrong), std::nullopt) << wrong;
  }
}

TEST_F(TokensTest, AFileThatGuardsNothingIsRefused) {
  EXPECT_NE(problem(), "") << "there is no file";
  write("# nothing\n\n");
  EXPECT_THAT(problem(), HasSubstr("holds no token"));
  write(kFirst + "\nshort\n");
  EXPECT_THAT(problem(), HasSubstr(":2: a token has at least 16 characters"));
  write(kFirst + " " + kSecond + "\n");
  EXPECT_THAT(problem(), HasSubstr("none of them a space"));
  write(kFirst + "\n", std::filesystem::perms(0644));
  EXPECT_THAT(problem(), HasSubstr("others on this machine may read"));
}

TEST_F(TokensTest, ABadFileLeavesTheOldTokens) {
  write(kFirst + "\n");
  Tokens tokens(path_);
  write("short\n");
  EXPECT_THROW(tokens.reload(), Error);
  EXPECT_EQ(tokens.find("Bearer " + kFirst), 0U);
  write(kSecond + "\n");
  tokens.reload();
  EXPECT_EQ(tokens.find("Bearer " + kFirst), std::nullopt);
  EXPECT_EQ(tokens.find("Bearer " + kSecond), 0U);
}

}  // namespace
}  // namespace agentnet
