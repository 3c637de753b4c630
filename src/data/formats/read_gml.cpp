// GML, the Graph Modelling Language, as networkx, igraph and Gephi write it: keys and values, where a value is a
// number, a text in quotes or a list of keys and values in brackets.
//
//   graph [ directed 0  y 1
//     node [ id 0  label "a"  charge 0.5 ]
//     edge [ source 0  target 1  weight 2 ] ]
//
// Every `graph` is a graph. Attributes of nodes and edges are features, those of a graph targets or kept columns. Lists
// inside of nodes and edges (graphics) are left out, and named.
#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/attribute_graphs.h"
#include "data/formats/network_readers.h"
#include "data/io/lines.h"
#include "data/io/utf16.h"
#include "data/tables/columns.h"

namespace agentnet {
namespace {

constexpr int kDeepest = 64;

struct Token {
  enum class Kind { kKey, kNumber, kText, kOpen, kClose, kEnd } kind = Kind::kEnd;
  std::string text;
  const char* at = nullptr;
};

// Names, numbers, texts and brackets, one after the other.
class GmlTokens {
 public:
  GmlTokens(std::string_view text, std::string place) : text_(text), place_(std::move(place)) {}

  Token next() {
    skip_space();
    Token token;
    token.at = text_.data() + at_;
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (c == '[' || c == ']') {
      ++at_;
      token.kind = c == '[' ? Token::Kind::kOpen : Token::Kind::kClose;
    } else if (c == '"') {
      token.kind = Token::Kind::kText;
      token.text = quoted(token.at);
    } else {
      const std::size_t end = std::min(text_.find_first_of(" \t\r\n[]\"#", at_), text_.size());
      token.text = std::string(text_.substr(at_, end - at_));
      if (end == at_)
        fail(token.at, fmt::format("{} is not expected here", in_quotes(std::string(1, c))), "leave it out");
      at_ = end;
      const bool number = to_number(token.text) || is_infinite(token.text) || is_blank(token.text);
      token.kind = number ? Token::Kind::kNumber : Token::Kind::kKey;
      constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
      if (!number && token.text.find_first_not_of(kLetters) != std::string::npos) {
        fail(token.at, fmt::format("{} is neither a key nor a number", in_quotes(token.text)),
             "put quotes around a text");
      }
    }
    return token;
  }

  [[nodiscard]] std::string where(const char* at) const {
    const std::string_view before = text_.substr(0, static_cast<std::size_t>(at - text_.data()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t begin = before.rfind('\n');
    const std::size_t column = begin == std::string_view::npos ? before.size() : before.size() - begin - 1;
    return fmt::format("{}:{}:{}", place_, line, column + 1);
  }
  [[noreturn]] void fail(const char* at, const std::string& message, const std::string& hint) const {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", where(at), message), hint);
  }

 private:
  void skip_space() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (at_ == text_.size() || text_[at_] != '#') return;
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }

  std::string quoted(const char* opened) {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) fail(opened, "this text has no closing quote", "close the quotes");
    const std::string_view raw = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (valid_utf8_prefix(raw) != raw.size()) fail(opened, "this text is not UTF-8", "save the file as UTF-8");
    return decoded(raw);
  }

  // &quot; and &amp; stand for what would end a text; other references stay as they are.
  static std::string decoded(std::string_view raw) {
    std::string text;
    for (std::size_t i = 0; i < raw.size();) {
      const std::string_view rest = raw.substr(i);
      if (rest.starts_with("&quot;")) {
        text.push_back('"');
        i += 6;
      } else if (rest.starts_with("&amp;")) {
        text.push_back('&');
        i += 5;
      } else {
        text.push_back(raw[i++]);
      }
    }
    return text;
  }

  std::string_view text_;
  std::string place_;
  std::size_t at_ = 0;
};

class GmlReader {
 public:
  GmlReader(const Input& input, const DataOptions& options)
      : source_(input.name()),
        place_(input.place(input.only_member())),
        text_(read_all(*as_utf8(input.stream(), place_), place_)),
        tokens_(text_, place_),
        graphs_(options, [this](const char* at) { return tokens_.where(at); }) {
    graphs_.set_name_attribute("label");
  }

  Dataset read() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.replace(0, 3, "   ");
    for (Token key = tokens_.next(); key.kind != Token::Kind::kEnd; key = tokens_.next()) {
      require_key(key);
      const Token value = tokens_.next();
      if (key.text == "graph") {
        require_list(value, key);
        read_graph(key.at);
      } else {
        skip(value);
      }
    }
    return graphs_.finish(source_, "gml");
  }

 private:
  using Kind = Token::Kind;

  void require_key(const Token& key) const {
    if (key.kind == Kind::kEnd) tokens_.fail(key.at, "the file ends before a list does", "is the file cut short?");
    if (key.kind != Kind::kKey) tokens_.fail(key.at, "a key should be here", "GML is keys, each with its value");
  }
  void require_list(const Token& value, const Token& key) const {
    if (value.kind != Kind::kOpen) {
      tokens_.fail(value.at, fmt::format("{} should be a list in brackets", in_quotes(key.text)), "write [ ... ]");
    }
  }
  void require_value(const Token& value) const {
    if (value.kind == Kind::kEnd) tokens_.fail(value.at, "the file ends before a list does", "is the file cut short?");
    if (value.kind == Kind::kClose) tokens_.fail(value.at, "the key before this bracket has no value", "give it one");
    if (value.kind == Kind::kKey) {
      tokens_.fail(value.at, fmt::format("{} is neither a number nor in quotes", in_quotes(value.text)),
                   "put quotes around a text");
    }
  }

  // Any value, lists with all that is in them.
  void skip(const Token& value) {
    require_value(value);
    if (value.kind != Kind::kOpen) return;
    for (int depth = 1; depth > 0;) {
      const Token token = tokens_.next();
      if (token.kind == Kind::kEnd)
        tokens_.fail(token.at, "the file ends before a list does", "is the file cut short?");
      if (token.kind == Kind::kOpen && ++depth > kDeepest) {
        tokens_.fail(token.at, fmt::format("lists are nested more than {} deep", kDeepest), "is the file damaged?");
      }
      if (token.kind == Kind::kClose) --depth;
    }
  }

  void read_graph(const char* at) {
    graphs_.begin_graph(at, false);
    for (Token key = tokens_.next(); key.kind != Kind::kClose; key = tokens_.next()) {
      require_key(key);
      const Token value = tokens_.next();
      if (key.text == "node") {
        require_list(value, key);
        read_node(key.at);
      } else if (key.text == "edge") {
        require_list(value, key);
        read_edge(key.at);
      } else if (value.kind == Kind::kOpen) {
        graphs_.left_out("graph " + key.text);
        skip(value);
      } else {
        require_value(value);
        if (key.text == "directed") {
          graphs_.set_directed(value.text == "1");
        } else if (key.text == "name" || key.text == "id") {
          graphs_.name_graph(value.text);
        } else if (key.text != "multigraph" && key.text != "comment" && key.text != "Creator") {
          graphs_.graph_value(key.text, value.text, value.at);
        }
      }
    }
    graphs_.end_graph();
  }

  struct Pair {
    std::string key;
    Token value;
  };

  // The keys and values of a node or edge, up to its bracket; lists among them are left out.
  std::vector<Pair> pairs(const char* owner) {
    std::vector<Pair> found;
    for (Token key = tokens_.next(); key.kind != Kind::kClose; key = tokens_.next()) {
      require_key(key);
      Token value = tokens_.next();
      if (value.kind == Kind::kOpen) {
        graphs_.left_out(fmt::format("{} {}", owner, key.text));
        skip(value);
      } else {
        require_value(value);
        found.push_back({std::move(key.text), std::move(value)});
      }
    }
    return found;
  }

  const Token& required(const std::vector<Pair>& found, const char* key, const char* owner, const char* at) const {
    for (const Pair& pair : found) {
      if (pair.key == key) return pair.value;
    }
    tokens_.fail(at, fmt::format("the {} has no {}", owner, key), "every one needs it");
  }

  void add_attributes(const std::vector<Pair>& found, std::initializer_list<std::string_view> others) {
    for (const Pair& pair : found) {
      if (std::find(others.begin(), others.end(), pair.key) != others.end()) continue;
      graphs_.attribute(
          pair.key, pair.value.text,
          pair.value.kind == Kind::kText ? AttributeGraphs::Spelled::kText : AttributeGraphs::Spelled::kPlain,
          pair.value.at);
    }
  }

  void read_node(const char* at) {
    const std::vector<Pair> found = pairs("node");
    const Token& id = required(found, "id", "node", at);
    graphs_.begin_node(id.text, id.at);
    add_attributes(found, {"id"});
  }

  void read_edge(const char* at) {
    const std::vector<Pair> found = pairs("edge");
    const Token &source = required(found, "source", "edge", at), &target = required(found, "target", "edge", at);
    graphs_.begin_edge(source.text, target.text, source.at, target.at);
    add_attributes(found, {"source", "target", "key", "id"});
  }

  std::string source_, place_, text_;
  GmlTokens tokens_;
  AttributeGraphs graphs_;
};

}  // namespace

Dataset read_gml(const Input& input, const DataOptions& options) { return GmlReader(input, options).read(); }

}  // namespace agentnet
