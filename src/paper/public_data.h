// Where public sets are on this machine, and what it takes to read them as one set.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace agentnet {

// The source of a public set for read_data(), looked for under the names it usually has:
//
//   FOLDER/NAME.zip (agentnet fetch), FOLDER/NAME.txt[.xz, .gz], FOLDER/NAME/NAME.txt[...], FOLDER/NAME/ and so on
//   ZINC   zinc_{train,val,test}.jsonl[.gz, .xz] in FOLDER, FOLDER/ZINC ...
//   QM9    qm9*.jsonl[.gz, .xz] in FOLDER, FOLDER/QM9 ...
//
// ZINC's three files become one with a key "split", and QM9's list of properties one key each: `made`, a folder, gets
// the new file, unless it is there already. Throws Error: kUsage, saying where it was looked for and how to get it, if
// the set is not there; kData for a file that is not what its name says; kFailure.
[[nodiscard]] std::string find_public_set(const std::string& name, const std::filesystem::path& folder,
                                          const std::filesystem::path& made);

// The same for sets that are read as they are; nothing for ZINC and QM9, and for what is not there.
[[nodiscard]] std::optional<std::string> public_set_as_it_is(const std::string& name,
                                                             const std::filesystem::path& folder);

}  // namespace agentnet
