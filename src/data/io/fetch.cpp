#include "data/io/fetch.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include "agentnet/error.h"
#include "core/files/atomic_file.h"
#include "core/files/checksum.h"
#include "core/files/mapped_file.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/io/input.h"

namespace agentnet {

namespace {

constexpr std::string_view kTuSite = "https://www.chrsmrrs.com/graphkerneldatasets/";
constexpr std::string_view kOgbSite = "https://snap.stanford.edu/ogb/data/graphproppred/";

struct OgbSet {
  std::string_view name, file;
};

// As OGB's own list of addresses has them.
constexpr OgbSet kOgbSets[] = {
    {"ogbg-molhiv", "csv_mol_download/hiv.zip"},           {"ogbg-molpcba", "csv_mol_download/pcba.zip"},
    {"ogbg-molbace", "csv_mol_download/bace.zip"},         {"ogbg-molbbbp", "csv_mol_download/bbbp.zip"},
    {"ogbg-molclintox", "csv_mol_download/clintox.zip"},   {"ogbg-molmuv", "csv_mol_download/muv.zip"},
    {"ogbg-molsider", "csv_mol_download/sider.zip"},       {"ogbg-moltox21", "csv_mol_download/tox21.zip"},
    {"ogbg-moltoxcast", "csv_mol_download/toxcast.zip"},   {"ogbg-molesol", "csv_mol_download/esol.zip"},
    {"ogbg-molfreesolv", "csv_mol_download/freesolv.zip"}, {"ogbg-mollipo", "csv_mol_download/lipophilicity.zip"},
    {"ogbg-molchembl", "csv_mol_download/chembl.zip"},     {"ogbg-ppa", "ogbg_ppi_medium.zip"},
};

constexpr std::string_view kTuSets[] = {
    "MUTAG",
    "PROTEINS",
    "DD",
    "NCI1",
    "NCI109",
    "ENZYMES",
    "PTC_FM",
    "PTC_FR",
    "PTC_MM",
    "PTC_MR",
    "AIDS",
    "BZR",
    "COX2",
    "DHFR",
    "Mutagenicity",
    "FRANKENSTEIN",
    "COLLAB",
    "IMDB-BINARY",
    "IMDB-MULTI",
    "REDDIT-BINARY",
    "REDDIT-MULTI-5K",
    "REDDIT-MULTI-12K",
    "TWITCH_EGOS",
    "MSRC_9",
    "MSRC_21",
    "Letter-high",
    "Letter-low",
    "Letter-med",
    "Fingerprint",
    "SYNTHETICnew",
    "Synthie",
    "github_stargazers",
    "deezer_ego_nets",
    "reddit_threads",
    "KKI",
    "OHSU",
    "QM9",
    "ZINC_full",
    "alchemy_full",
};

void check_name(std::string_view name) {
  const bool fine = !name.empty() && name.size() <= 100 && name.front() != '.' && name.front() != '-' &&
                    std::ranges::all_of(name, [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                             c == '_' || c == '.';
                    });
  if (fine) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} is not the name of a set", in_quotes(name)),
              "names look like MUTAG or ogbg-molhiv");
}

Error no_such_set(std::string_view name, const std::string& url) {
  const auto meant = closest_match(name, known_sets());
  return {ErrorKind::kUsage, fmt::format("there is no set {}: the server has no {}", in_quotes(name), url),
          meant && *meant != name ? fmt::format("did you mean {}?", *meant)
                                  : "names of the TU collection are case-sensitive, as in MUTAG and Mutagenicity"};
}

// "" or what tells that the file is packed in another way than .zip.
std::string_view ending_of(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  for (const std::string_view ending : {".tar.gz", ".tgz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tar"}) {
    if (url.ends_with(ending)) return ending;
  }
  return ".zip";
}

std::string address(std::string_view name, const std::string& from, bool insecure) {
  check_name(name);
  if (from.empty()) return official_address(name);
  const bool plain = from.starts_with("http://");
  if (!plain && !from.starts_with("https://")) {
    throw Error(ErrorKind::kUsage, fmt::format("{} is no address to download from", in_quotes(from)),
                "an address starts with https://");
  }
  if (plain && !insecure) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is plain http: anybody on the way could change what arrives", in_quotes(from)),
                "name an address with https://, or take the risk with --insecure, best with a --checksum");
  }
  if (!from.ends_with('/')) return from;
  const std::string official = official_address(name);
  return from + official.substr(official.rfind('/') + 1);
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

void check_checksum_text(const std::string& checksum) {
  const bool fine = checksum.empty() || (checksum.size() == 32 && std::ranges::all_of(lower(checksum), [](char c) {
                                           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                                         }));
  if (fine) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} is no checksum", in_quotes(checksum)),
              "expected the 32 hexadecimal digits of XXH3-128, as xxhsum -H2 prints them");
}

std::string checksum_of(const std::filesystem::path& file) { return xxh3_128_hex(MappedFile::open(file).bytes()); }

std::filesystem::path with_ending(std::filesystem::path path, const char* ending) { return path += ending; }

// Reads the whole archive, which checks the checksums within. A damaged one throws Error (kData).
void read_through(const std::filesystem::path& file) {
  const Input input = Input::open(file);
  if (!input.is_folder() || input.members().empty()) {
    throw Error(ErrorKind::kData, fmt::format("{}: this is no archive", file.string()), "");
  }
  std::vector<char> buffer(std::size_t{1} << 18);
  input.for_each([&](const std::string& /*member*/, ByteStream& stream) {
    while (stream.read(buffer.data(), buffer.size()) > 0) continue;
  });
}

void record(const std::filesystem::path& file, const std::string& checksum) {
  AtomicFile out(with_ending(file, ".sum"));
  const std::string line = fmt::format("{}  {}\n", checksum, file.filename().string());
  out.write(line.data(), line.size());
  out.commit();
}

// Of an earlier fetch; empty if there is none.
std::string recorded(const std::filesystem::path& file) {
  std::ifstream in(with_ending(file, ".sum"));
  std::string checksum;
  in >> checksum;
  return checksum;
}

// The file that is there, if it is what it was.
void check_present(FetchResult& result, const FetchOptions& options) {
  result.checksum = checksum_of(result.file);
  result.bytes = std::filesystem::file_size(result.file);
  const std::string before = recorded(result.file);
  const std::string expected = options.checksum.empty() ? before : lower(options.checksum);
  if (!expected.empty() && expected != result.checksum) {
    throw Error(ErrorKind::kFailure,
                fmt::format("{} has the checksum {}, expected {}", result.file.string(), result.checksum, expected),
                "remove it to download it again");
  }
  if (!before.empty()) return;
  try {
    read_through(result.file);
  } catch (const Error& error) {
    throw Error(ErrorKind::kFailure, error.what(), "remove it to download it again");
  }
  record(result.file, result.checksum);
  result.trusted = options.checksum.empty();
}

// Why the file that has arrived cannot be used; empty if it can.
std::string fault_of(const std::filesystem::path& part, FetchResult& result, const std::string& expected) {
  if (result.bytes == 0) return "it is empty";
  result.checksum = checksum_of(part);
  if (!expected.empty() && expected != result.checksum) {
    return fmt::format("it has the checksum {}, expected {}", result.checksum, expected);
  }
  try {
    read_through(part);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    return error.what();
  }
  return {};
}

void download_to(const std::filesystem::path& part, std::string_view name, FetchResult& result,
                 const FetchOptions& options, const DownloadEvents& events) {
  const auto got = download(result.url, part, options.download, events);
  if (!got) throw no_such_set(name, result.url);
  result.bytes = got->bytes;
  result.resumed_from = got->resumed_from;
}

}  // namespace

std::vector<std::string> known_sets() {
  std::vector<std::string> names;
  for (const OgbSet& set : kOgbSets) names.emplace_back(set.name);
  for (const std::string_view name : kTuSets) names.emplace_back(name);
  return names;
}

std::string official_address(std::string_view name) {
  check_name(name);
  const auto ogb = std::ranges::find(kOgbSets, name, &OgbSet::name);
  if (ogb != std::end(kOgbSets)) return fmt::format("{}{}", kOgbSite, ogb->file);
  if (name.starts_with("ogb")) {  // has a list of its own, unlike the TU collection
    const auto meant = closest_match(name, known_sets());
    throw Error(ErrorKind::kUsage, fmt::format("no address is known for the OGB set {}", in_quotes(name)),
                meant ? fmt::format("did you mean {}?", *meant) : "name its address as well");
  }
  return fmt::format("{}{}.zip", kTuSite, name);
}

FetchResult fetch(std::string_view name, const FetchOptions& options, const DownloadEvents& events) {
  check_checksum_text(options.checksum);
  FetchResult result;
  result.url = address(name, options.from, options.download.insecure);
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (!std::filesystem::is_directory(options.folder)) {
    throw Error(ErrorKind::kFailure, fmt::format("cannot make the folder {}", options.folder.string()),
                "name another folder");
  }
  result.file = options.folder / fmt::format("{}{}", name, ending_of(result.url));
  if (std::filesystem::exists(result.file)) {
    check_present(result, options);
    return result;
  }

  const std::filesystem::path part = with_ending(result.file, ".part");
  const std::string before = recorded(result.file);  // of a file that is gone
  const std::string expected = options.checksum.empty() ? before : lower(options.checksum);
  download_to(part, name, result, options, events);
  std::string fault = fault_of(part, result, expected);
  if (!fault.empty() && result.resumed_from > 0) {
    // The beginning may be of another version of the file.
    if (events.note) events.note(fmt::format("{}; starting again", fault));
    std::filesystem::remove(part);
    download_to(part, name, result, options, events);
    fault = fault_of(part, result, expected);
  }
  if (!fault.empty()) {
    std::filesystem::remove(part);
    const bool changed = options.checksum.empty() && !before.empty() && result.checksum != before;
    throw Error(ErrorKind::kFailure, fmt::format("{} did not give a usable file: {}", result.url, fault),
                changed ? fmt::format("it is not what was there at the first download; remove {} if a new version is "
                                      "what you expect",
                                      with_ending(result.file, ".sum").string())
                        : "check the address; the same command starts again");
  }
  std::filesystem::rename(part, result.file, error);
  if (error) {
    throw Error(ErrorKind::kFailure, fmt::format("cannot rename {}: {}", part.string(), error.message()),
                "may you write there?");
  }
  record(result.file, result.checksum);  // makes the new name durable, too
  result.trusted = expected.empty();
  result.downloaded = true;
  return result;
}

}  // namespace agentnet
