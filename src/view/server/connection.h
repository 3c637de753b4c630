// One connection of the server: waiting with an end to it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace agentnet {

class Connection {
 public:
  // Takes the socket over and closes it in the end. `give_up` is asked several times a second while the other side lets
  // us wait: true ends the connection.
  Connection(int socket, std::function<bool()> give_up);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  enum class Head { kWhole, kTooLong, kGone };
  // Reads up to and with the empty line after the headers; what comes behind it is thrown away. kGone: the other side
  // left or took too long.
  [[nodiscard]] Head read_head(std::size_t most, std::string& head);
  // False: the other side left or took too long.
  bool write(std::string_view bytes);
  // Says that no more comes, and waits a moment for the other side to hear it: closing at once, with bytes unread,
  // would throw away what it has not read yet.
  void finish();

 private:
  bool wait_for(short event);

  int socket_;
  std::function<bool()> give_up_;
};

// The place behind the empty line that ends the headers; npos if it is not there yet.
[[nodiscard]] std::size_t end_of_head(std::string_view bytes);

}  // namespace agentnet
