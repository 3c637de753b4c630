// Splits out of files, and the values that they consist of.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/io/input.h"
#include "data/io/lines.h"
#include "data/splits/splits.h"
#include "data/tables/split_builder.h"

namespace agentnet {

namespace {

constexpr std::string_view kParts[] = {"train", "valid", "test"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

SplitFailure fail_in_line(const Lines& lines) {
  return [&lines](const std::string& message, const std::string& hint) { lines.fail_line(message, hint); };
}

// One value per graph.
std::vector<Split> read_column(const Input& input, const std::string& member, std::uint64_t graphs) {
  Lines lines(input, member);
  SplitColumn column;
  std::uint64_t count = 0;
  while (lines.next_nonempty()) {
    if (count++ == graphs) {
      lines.fail_line(fmt::format("there are more lines than the {} graphs of the set", graphs),
                      "the file has one line per graph: is it for another set?");
    }
    Fields fields(lines);
    const std::string_view value = fields.text("fold");
    fields.expect_end("fold");
    column.add(value, fail_in_line(lines));
  }
  const SplitFailure fail = [&](const std::string& message, const std::string& hint) {
    lines.fail_at_end(message, hint);
  };
  if (count < graphs) {
    fail(fmt::format("{} lines, but the set has {} graphs", count, graphs),
         "the file has one line per graph: is it for another set?");
  }
  return column.finish(fail);
}

// One number of a graph per line.
void read_numbers(const Input& input, const std::string& member, SplitPart part, SplitNumbers& numbers) {
  Lines lines(input, member);
  while (lines.next_nonempty()) {
    Fields fields(lines);
    const std::uint64_t graph = fields.count("number of a graph");
    fields.expect_end("number of a graph");
    numbers.add(part, graph, fail_in_line(lines));
  }
}

// The N of a member FOLDER/train_idx-N.txt or test_idx-N.txt.
std::optional<std::uint64_t> fold_number(std::string_view member, std::string_view part) {
  member.remove_prefix(member.rfind('/') + 1);  // npos + 1 is 0
  const std::string start = fmt::format("{}_idx-", part);
  if (!member.starts_with(start) || !member.ends_with(".txt")) return std::nullopt;
  member.remove_prefix(start.size());
  member.remove_suffix(4);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(member.data(), member.data() + member.size(), number);
  if (error != std::errc() || end != member.data() + member.size()) return std::nullopt;
  return number;
}

bool is_fold_list(const std::string& member) {
  return fold_number(member, split_part_name(SplitPart::kTrain)) ||
         fold_number(member, split_part_name(SplitPart::kTest));
}

// Empty if there are no files of that kind.
std::vector<Split> read_fold_lists(const Input& packed, std::uint64_t graphs) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const Input input = packed.unpacked(is_fold_list, kMostBytes);
  std::map<std::uint64_t, std::map<SplitPart, std::string>> folds;
  for (const std::string& member : input.members()) {
    for (const SplitPart part : {SplitPart::kTrain, SplitPart::kTest}) {
      const auto number = fold_number(member, split_part_name(part));
      if (!number) continue;
      // An archive may hold a list plain and compressed, which is one member by its name.
      if (const auto& [entry, is_new] = folds[*number].emplace(part, member); !is_new && entry->second != member) {
        throw Error(ErrorKind::kData,
                    fmt::format("{}: two files list the same part as {}", input.name(), in_quotes(member)),
                    "name a folder with one set of folds");
      }
    }
  }
  std::vector<Split> splits;
  SplitNumbers numbers(graphs);
  for (const auto& [number, parts] : folds) {
    for (const SplitPart part : {SplitPart::kTrain, SplitPart::kTest}) {
      if (!parts.contains(part)) {
        throw Error(ErrorKind::kData,
                    fmt::format("{}: there is no {}_idx-{}.txt", input.name(), split_part_name(part), number),
                    "every fold has a list of graphs to train on and one to test on");
      }
      read_numbers(input, parts.at(part), part, numbers);
    }
    splits.push_back(numbers.take());
  }
  return splits;
}

std::vector<Split> read_part_lists(const Input& input, std::uint64_t graphs) {
  SplitNumbers numbers(graphs);
  bool found[3] = {};
  for (const SplitPart part : {SplitPart::kTrain, SplitPart::kValid, SplitPart::kTest}) {
    const auto member = input.member_ending_in(fmt::format("{}.csv", split_part_name(part)));
    if (!member) continue;
    found[static_cast<int>(part)] = true;
    read_numbers(input, *member, part, numbers);
  }
  if (!found[0] || !(found[1] || found[2])) {
    throw Error(ErrorKind::kData, fmt::format("{}: no split is in here", input.name()),
                "expected train.csv, valid.csv and test.csv, or train_idx-N.txt and test_idx-N.txt");
  }
  return {numbers.take()};
}

// Walks over text and tells how far it got, which the JSON parser keeps to itself.
struct CountingIterator {
  // NOLINTBEGIN(readability-identifier-naming): names of the standard library
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  const char* at;
  const char** furthest;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    *furthest = std::max(*furthest, at);
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
};

class JsonSplits : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonSplits(std::string place, const std::string& text, std::uint64_t graphs)
      : place_(std::move(place)), text_(text), at_(text.data()), numbers_(graphs) {}

  std::vector<Split> parse() {
    const char* end = text_.data() + text_.size();
    nlohmann::json::sax_parse(CountingIterator{text_.data(), &at_}, CountingIterator{end, &at_}, this);
    if (splits_.empty()) fail("there is no split in here", kShape);
    return std::move(splits_);
  }

  bool start_object(std::size_t) override {
    if (in_split_) unexpected("an object");
    in_split_ = true;
    return true;
  }
  bool end_object() override {
    in_split_ = false;
    splits_.push_back(numbers_.take());
    return true;
  }
  bool key(string_t& word) override {
    part_ = split_part(word);
    if (!part_) fail(fmt::format("there is no part {}", in_quotes(word)), kShape);
    return true;
  }
  bool start_array(std::size_t) override {
    if (in_part_ || (in_list_ && !in_split_)) unexpected("a list");
    (in_split_ ? in_part_ : in_list_) = true;
    return true;
  }
  bool end_array() override {
    (in_part_ ? in_part_ : in_list_) = false;
    return true;
  }
  bool number_unsigned(number_unsigned_t graph) override {
    if (!in_part_) unexpected("a number");
    numbers_.add(*part_, graph, [this](const std::string& message, const std::string& hint) { fail(message, hint); });
    return true;
  }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return unexpected("a fraction"); }
  bool string(string_t&) override { return unexpected("a text"); }
  bool boolean(bool) override { return unexpected("true or false"); }
  bool null() override { return unexpected("null"); }
  bool binary(binary_t&) override { return unexpected("binary data"); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    fail("this is no JSON", kShape, false);
  }

 private:
  static constexpr const char* kShape =
      R"(expected {"train": [...], "valid": [...], "test": [...]}, or a list of these)";

  bool unexpected(const char* what) { fail(fmt::format("{} does not belong here", what), kShape); }

  // Names the place where the token begins that was read last, or of the last character itself. After a number, one
  // more character has been read.
  [[noreturn]] void fail(const std::string& message, const std::string& hint, bool at_token = true) const {
    const std::string_view read(text_.data(), static_cast<std::size_t>(at_ - text_.data()));
    constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    constexpr std::string_view kAfterNumber = ",]} \t\r\n";
    std::size_t last = read.empty() ? 0 : read.size() - 1;
    if (at_token && last > 0 && kAfterNumber.find(read[last]) != kAfterNumber.npos) --last;
    std::size_t first = last;
    if (at_token && last > 0 && read[last] == '"') {
      first = std::min(last, read.rfind('"', last - 1));
    } else {
      while (at_token && first > 0 && kWord.find(read[first]) != kWord.npos &&
             kWord.find(read[first - 1]) != kWord.npos)
        --first;
    }
    const std::string_view before = read.substr(0, first);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t column = first - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    throw Error(ErrorKind::kData, fmt::format("{}:{}:{}: {}", place_, line, column, message), hint);
  }

  std::string place_;
  const std::string& text_;
  const char* at_;
  SplitNumbers numbers_;
  std::vector<Split> splits_;
  std::optional<SplitPart> part_;
  bool in_list_ = false, in_split_ = false, in_part_ = false;
};

}  // namespace

std::string_view split_part_name(SplitPart part) { return kParts[static_cast<int>(part)]; }

std::optional<SplitPart> split_part(std::string_view word) {
  const std::string name = lower(word);
  if (name == "train" || name == "training") return SplitPart::kTrain;
  if (name == "valid" || name == "val" || name == "validation") return SplitPart::kValid;
  if (name == "test") return SplitPart::kTest;
  return std::nullopt;
}

std::vector<std::size_t>& part_of(Split& split, SplitPart part) {
  return part == SplitPart::kTrain ? split.train : part == SplitPart::kValid ? split.valid : split.test;
}

void require_few_folds(std::size_t folds, std::size_t graphs, const SplitFailure& fail) {
  constexpr std::size_t kMost = std::size_t{1} << 27;  // numbers of graphs, 1 GiB
  if (folds <= kMost / std::max<std::size_t>(1, graphs)) return;
  fail(fmt::format("{} folds of {} graphs are lists of more than {} numbers", folds, graphs, kMost),
       "make fewer folds");
}

bool is_split_column(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return text == "split" || text == "set" || text == "fold";
}

void note_split_columns(const std::vector<std::string>& header, const DataOptions& options,
                        std::vector<std::string>& notes) {
  for (const std::string& name : header) {
    if (!is_split_column(name) || std::find(options.keep.begin(), options.keep.end(), name) != options.keep.end()) {
      continue;
    }
    if (std::find(options.targets.begin(), options.targets.end(), name) != options.targets.end()) continue;
    notes.push_back(fmt::format("column {} may say which graphs to train on: --split column:{} uses it",
                                in_quotes(name), printable(name)));
  }
}

void SplitColumn::add(std::string_view value, const SplitFailure& fail) {
  const std::size_t graph = graphs_++;
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  if (value.empty()) return;
  constexpr const char* kExpected = "a value is train, valid or test, or in all rows the number of a fold";
  const auto mixed = [&] {
    fail(fmt::format("{} stands among values of the other kind", in_quotes(value)), kExpected);
  };
  if (const auto part = split_part(value)) {
    if (!folds_.empty()) mixed();
    has_parts_ = true;
    part_of(parts_, *part).push_back(graph);
    return;
  }
  std::uint64_t fold = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), fold);
  if (error != std::errc() || end != value.data() + value.size()) {
    fail(fmt::format("{} is neither a part nor a fold", in_quotes(value)), kExpected);
  }
  if (has_parts_) mixed();
  folds_[fold].push_back(graph);
}

std::vector<Split> SplitColumn::finish(const SplitFailure& fail) const {
  if (has_parts_) {
    if (parts_.train.empty()) fail("no graph is in train", "a split needs graphs to train on");
    return {parts_};
  }
  if (folds_.size() < 2) {
    fail(fmt::format("{}, but a split needs two", folds_.empty() ? "there is no fold" : "there is only one fold"),
         "number the folds from 0, and give every graph the fold it is tested in");
  }
  require_few_folds(folds_.size(), graphs_, fail);
  std::vector<Split> splits;
  for (const auto& [fold, graphs] : folds_) {
    Split split;
    split.test = graphs;
    for (const auto& [other, others] : folds_) {
      if (other != fold) split.train.insert(split.train.end(), others.begin(), others.end());
    }
    std::ranges::sort(split.train);
    splits.push_back(std::move(split));
  }
  return splits;
}

void SplitNumbers::add(SplitPart part, std::uint64_t graph, const SplitFailure& fail) {
  if (graph >= part_of_.size()) {
    fail(fmt::format("there is no graph {}, the set has {}", graph, part_of_.size()),
         "graphs are counted from 0: is this split for another set?");
  }
  if (const auto before = part_of_[graph]) {
    fail(fmt::format("graph {} is in {} already", graph, split_part_name(*before)),
         "a graph is in one part of a split at most, and once");
  }
  part_of_[graph] = part;
  part_of(split_, part).push_back(graph);
}

Split SplitNumbers::take() {
  // Not all of part_of_: a file may list many small splits of a large set.
  for (const auto* part : {&split_.train, &split_.valid, &split_.test}) {
    for (const std::size_t graph : *part) part_of_[graph].reset();
  }
  return std::exchange(split_, {});
}

std::vector<Split> read_split_file(const std::filesystem::path& path, std::uint64_t graphs) {
  const Input input = Input::open(path);
  if (input.is_folder()) {
    std::vector<Split> folds = read_fold_lists(input, graphs);
    return folds.empty() ? read_part_lists(input, graphs) : folds;
  }
  const std::string& member = input.members().front();
  const auto stream = input.stream(member);
  char first = 0;
  constexpr std::string_view kBlank = " \t\r\n\xEF\xBB\xBF";  // white space, and a byte-order mark
  while (stream->read(&first, 1) == 1 && kBlank.find(first) != kBlank.npos) continue;
  if (first != '{' && first != '[') return read_column(input, member, graphs);
  constexpr std::size_t kMaxJson = std::size_t{1} << 30;
  const std::string text = read_all(*input.stream(member), input.place(member), kMaxJson);
  return JsonSplits(input.place(member), text, graphs).parse();
}

}  // namespace agentnet
