// A small, strict reader of XML 1.0: elements, attributes, text, comments, CDATA, the five named entities and character
// references. UTF-8 only. A document type with declarations of its own is refused: entities that expand into
// one another are how a short file fills a memory.
//
//   XmlReader xml(text, "file.graphml");
//   while (xml.next() != XmlReader::Event::kDone) ...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace agentnet {

class XmlReader {
 public:
  enum class Event {
    kStart,  // name(), attributes()
    kEnd,    // name(); <a/> is a start and an end
    kText,   // text(): a piece of what stands between tags, decoded
    kDone,   // after the end of the outermost element
  };
  struct Attribute {
    std::string_view name;
    std::string value;  // decoded
    const char* at;     // where the value stands
  };

  // `text` must outlive the reader; `place` is the file's name in messages. Throws Error (kData) if the text is
  // not UTF-8, or has control characters.
  XmlReader(std::string_view text, std::string place);

  // Throws Error (kData) with file:line:column where the text is not well-formed.
  Event next();

  // Without a namespace prefix: "graph" for <g:graph>.
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] const std::vector<Attribute>& attributes() const { return attributes_; }
  [[nodiscard]] const Attribute* attribute(std::string_view name) const;  // null if there is none
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const char* at() const { return event_at_; }  // where the last event begins

  // After kStart, or after a child was left behind: false at the end of the element. Text between children throws.
  [[nodiscard]] bool next_child();
  // After kStart: the text of the element up to its end. A child element throws.
  [[nodiscard]] std::string element_text();
  // After kStart: leaves the element and all in it behind.
  void skip_element();

  [[nodiscard]] std::string where(const char* at) const;  // "file:line:column"
  [[noreturn]] void fail(const char* at, const std::string& message, const std::string& hint = {}) const;

 private:
  [[nodiscard]] bool looking_at(std::string_view what) const { return rest().starts_with(what); }
  [[nodiscard]] std::string_view rest() const { return text_all_.substr(at_); }
  [[nodiscard]] const char* here() const { return text_all_.data() + at_; }
  void skip_space();
  void skip_past(std::string_view what, const char* whose);
  [[nodiscard]] std::string_view read_name(const char* what);
  void read_attributes();
  [[nodiscard]] bool is_new_attribute(std::string_view name);
  void append_reference(std::string& out);
  void read_declaration();
  void skip_doctype();
  void skip_comment();
  [[nodiscard]] bool skip_markup();
  Event read_start();
  Event read_end();
  Event read_text();
  void set_name(std::string_view qualified);

  std::string_view text_all_;
  std::string place_;
  std::size_t at_ = 0;
  const char* event_at_ = nullptr;
  std::vector<std::string_view> open_;  // elements, with their prefixes
  bool end_is_due_ = false;             // after <a/>
  bool begun_ = false;                  // the outermost element
  std::string_view name_;
  std::vector<Attribute> attributes_;
  std::unordered_set<std::string_view> many_names_;  // of the attributes, where they are many
  std::string text_;
};

}  // namespace agentnet
