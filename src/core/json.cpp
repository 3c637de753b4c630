#include "core/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "core/text.h"

namespace agentnet {
namespace {

constexpr const char* kHint = "the text is damaged, or it was not written by agentnet: make or copy it again";

// Walks over text and tells how far it got, which the parser keeps to itself.
struct Cursor {
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
  Cursor& operator++() {
    ++at;
    *furthest = std::max(*furthest, at);
    return *this;
  }
  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at == other.at; }
};

class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(std::string_view text, const std::string& where, ErrorKind kind, std::size_t depth)
      : text_(text), where_(where), kind_(kind), depth_(depth), at_(text.data()) {}

  Json parse() {
    const char* end = text_.data() + text_.size();
    Json::sax_parse(Cursor{text_.data(), &at_}, Cursor{end, &at_}, this);
    return std::move(root_);
  }

  bool start_object(std::size_t) override {
    open(Json::object());
    keys_.emplace_back();
    return true;
  }
  bool end_object() override {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second) fail(fmt::format("{} is given twice", in_quotes(name)));
    member_ = &open_.back()->get_ref<Json::object_t&>().emplace_back(std::move(name), nullptr).second;
    return true;
  }
  bool start_array(std::size_t) override {
    open(Json::array());
    return true;
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(Json::binary_t&) override { fail("this is not a value of JSON"); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    constexpr std::size_t kShown = 16;
    const std::size_t read = static_cast<std::size_t>(at_ - text_.data());
    const std::size_t start = read > kShown ? read - kShown : 0;
    fail(read == 0 ? "the text is empty"
                   : fmt::format("not valid JSON at {}", in_quotes(text_.substr(start, read - start))));
  }

 private:
  Json& add(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_object()) return *member_ = std::move(value);
    return open_.back()->get_ref<Json::array_t&>().emplace_back(std::move(value));
  }
  bool put(Json value) {
    add(std::move(value));
    return true;
  }
  // While a child is open, nothing is added to what it lies in: the pointers stay good.
  void open(Json container) {
    if (open_.size() == depth_) fail(fmt::format("lists and objects are nested more than {} deep", depth_));
    open_.push_back(&add(std::move(container)));
  }
  [[noreturn]] void fail(const std::string& what) const {
    const auto read = static_cast<std::size_t>(at_ - text_.data());
    throw Error(kind_, fmt::format("{}: byte {}: {}", where_, read == 0 ? 0 : read - 1, what), kHint);
  }

  std::string_view text_;
  const std::string& where_;
  ErrorKind kind_;
  std::size_t depth_;
  const char* at_;
  Json root_;
  std::vector<Json*> open_;
  std::vector<std::set<std::string>> keys_;  // of the open objects
  Json* member_ = nullptr;                   // of the innermost object, whose value comes next
};

}  // namespace

Json parse_json(std::string_view text, const std::string& where, ErrorKind kind, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw Error(kind, fmt::format("{}: {} bytes of JSON, the most is {}", where, text.size(), limits.bytes), kHint);
  }
  // The parser would take a zero byte for the end of its input and skip what follows.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw Error(kind, fmt::format("{}: byte {}: a zero byte", where, zero), kHint);
  }
  return TreeBuilder(text, where, kind, limits.depth).parse();
}

std::optional<Json> parse_json_if_valid(std::string_view text, const JsonLimits& limits) {
  try {
    return parse_json(text, "text", ErrorKind::kData, limits);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string shown(const Json& value) {
  constexpr std::size_t kMost = 80;
  // A long list is not written out only to be cut: a few of its entries fill the line.
  if (value.is_structured() && value.size() > kMost) return fmt::format("{} of {}", value.type_name(), value.size());
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
  if (text.size() > kMost) {
    text.resize(valid_utf8_prefix(std::string_view(text).substr(0, kMost)));
    text += "...";
  }
  return printable(text);
}

}  // namespace agentnet
