// A socket that listens.
#pragma once

#include <cstdint>
#include <string>

namespace agentnet {

class Listener {
 public:
  // `host` is a name or an address; port 0: any that is free. Throws Error: kUsage for a host that is none of this
  // machine's, kFailure if it cannot listen there.
  Listener(const std::string& host, std::uint16_t port);
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void close();

  [[nodiscard]] int socket() const { return socket_; }  // -1 after close()
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bool loopback() const { return loopback_; }              // only this machine can connect
  [[nodiscard]] const std::string& address() const { return address_; }  // "http://127.0.0.1:8000/"

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
  bool loopback_ = false;
  std::string address_;
};

// Whether only this machine can connect to a server on this host; throws as the constructor does.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace agentnet
