// DATA that comes through a pipe. The library opens what it reads several times (which format is it? does it fit the
// model?), but a pipe gives its bytes once: they are taken into a file without a name first.
#pragma once

#include <string>

#include "commands.h"

namespace agentnet {

// What can be opened as often as one likes in place of what the user named; "-" is standard input. A pipe behind a
// descriptor (/dev/stdin, the shell's <(...)) keeps its name, which leads to the file from now on. A pipe in a folder
// (mkfifo) gets another name, and a note says which. All else stays as it is. To be called once, when the bytes are
// wanted. Throws Error (kFailure) if there is no room for them in TMPDIR.
[[nodiscard]] std::string reopenable(const std::string& source, const Console& console);

// For a command that keeps the name of its data: throws Error (kUsage) if that is standard input, a descriptor or a
// pipe, which mean something else to the next process.
void require_lasting(const std::string& source);

}  // namespace agentnet
