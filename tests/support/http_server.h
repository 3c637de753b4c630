// A small HTTP/1.1 server on 127.0.0.1, with switches for what real ones do wrong.
//
//   DownloadServer server;
//   server.set("/set.zip", {.body = bytes});
//   download(server.url() + "/set.zip", ...);
//   EXPECT_THAT(server.requests(), ElementsAre(...));
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace agentnet {

// What the server says for a path.
struct HttpPage {
  std::string body = {};
  bool ranges = true;                         // false: always sends everything
  std::optional<std::size_t> cut_after = {};  // ends the connection after so many bytes of the body ...
  int cut_times = 1'000'000;                  // ... the first times it is asked
  int status = 0;                             // answers with this instead ...
  int status_times = 1'000'000;               // ... the first times it is asked
  std::string redirect = {};                  // sends the client there
  bool say_length = true;                     // false: the end of the connection is the end of the file
};

class DownloadServer {
 public:
  DownloadServer();  // on a port that is free
  ~DownloadServer();
  DownloadServer(const DownloadServer&) = delete;
  DownloadServer& operator=(const DownloadServer&) = delete;

  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:PORT"
  // Replaces the page at `path`; any other path is a 404.
  void set(const std::string& path, HttpPage page);
  // "PATH" or "PATH RANGE" of every request so far: "/set.zip bytes=100-".
  [[nodiscard]] std::vector<std::string> requests() const;

 private:
  void serve();
  void answer(int connection);

  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, HttpPage> pages_;
  std::vector<std::string> requests_;
  std::thread thread_;  // last: starts when everything else is there
};

}  // namespace agentnet
