// Text that came out of files must not command the reader's terminal: an escape sequence in the name of a class could
// hide lines, move the cursor or set the clipboard. Everything that people read goes through one of these streams.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace agentnet {

// Passes on what is written, with control characters and bytes that are not UTF-8 as \xNN (core/text.h). Newlines and
// tabs stay. Of a character that comes in pieces the beginning is kept back until the rest arrives, or until flush().
class SafeTextBuffer : public std::streambuf {
 public:
  explicit SafeTextBuffer(std::ostream& target) : target_(target) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  std::ostream& target_;
  std::string held_;  // the beginning of a character
};

class SafeStream : public std::ostream {
 public:
  explicit SafeStream(std::ostream& target) : std::ostream(nullptr), buffer_(target) { rdbuf(&buffer_); }
  ~SafeStream() override { flush(); }

 private:
  SafeTextBuffer buffer_;
};

}  // namespace agentnet
