// Folders given to a reader as if they were on disk, and what came of them. read_text.h does the same for single files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/read_text.h"

namespace agentnet {

using Members = std::vector<std::pair<std::string, std::string>>;  // name, text

inline Dataset read_members_as(Reader reader, const Members& members, const DataOptions& options = {}) {
  return reader(Input::from_texts("set", members), options);
}

// The same members with one of them replaced or, where there is none of its name, added.
inline Members with(Members members, const std::string& name, const std::string& text) {
  for (auto& [member, content] : members) {
    if (member == name) {
      content = text;
      return members;
    }
  }
  members.emplace_back(name, text);
  return members;
}

inline Members without(Members members, const std::string& name) {
  std::erase_if(members, [&](const auto& member) { return member.first == name; });
  return members;
}

// The error as "message | hint", marked with its kind unless that is kData.
inline std::string error_text(const Error& error) {
  const char* kind = error.kind() == ErrorKind::kData       ? ""
                     : error.kind() == ErrorKind::kUsage    ? "usage: "
                     : error.kind() == ErrorKind::kMismatch ? "mismatch: "
                                                            : "failure: ";
  return kind + std::string(error.what()) + " | " + error.hint();
}

// What calling f throws, as error_text() gives it; "accepted" if nothing.
template <class F>
std::string error_from(const F& f) {
  try {
    f();
    return "accepted";
  } catch (const Error& error) {
    return error_text(error);
  }
}

inline std::string error_of_members(Reader reader, const Members& members, const DataOptions& options = {}) {
  return error_from([&] { static_cast<void>(read_members_as(reader, members, options)); });
}

}  // namespace agentnet
