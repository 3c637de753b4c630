#include "data/syntax/xml.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr std::size_t kDeepest = 100;
constexpr std::size_t kFewAttributes = 8;  // that are looked through one by one

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Letters beyond ASCII are all let through: what matters here is where a name ends.
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

bool is_character(std::uint32_t code) {
  return code == 0x9 || code == 0xA || code == 0xD || (code >= 0x20 && code <= 0xD7FF) ||
         (code >= 0xE000 && code <= 0xFFFD) || (code >= 0x10000 && code <= 0x10FFFF);
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

XmlReader::XmlReader(std::string_view text, std::string place) : text_all_(text), place_(std::move(place)) {
  if (looking_at("\xEF\xBB\xBF")) text_all_.remove_prefix(3);
  event_at_ = here();
  const std::size_t valid = valid_utf8_prefix(text_all_);
  if (valid != text_all_.size()) fail(text_all_.data() + valid, "the text is not UTF-8", "convert the file to UTF-8");
  const auto control = std::find_if(text_all_.begin(), text_all_.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x20 && !is_space(c); });
  if (control != text_all_.end()) {
    fail(text_all_.data() + (control - text_all_.begin()), "XML has no control characters", "remove it");
  }
  if (looking_at("<?xml") && text_all_.size() > 5 && is_space(text_all_[5])) read_declaration();
}

std::string XmlReader::where(const char* at) const {
  const std::string_view before(text_all_.data(), static_cast<std::size_t>(at - text_all_.data()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = line_end == std::string_view::npos ? before.size() + 1 : before.size() - line_end;
  return fmt::format("{}:{}:{}", place_, line, column);
}

void XmlReader::fail(const char* at, const std::string& message, const std::string& hint) const {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", where(at), message),
              hint.empty() ? "correct the file there" : hint);
}

const XmlReader::Attribute* XmlReader::attribute(std::string_view name) const {
  const auto found =
      std::find_if(attributes_.begin(), attributes_.end(), [&](const Attribute& a) { return a.name == name; });
  return found == attributes_.end() ? nullptr : &*found;
}

void XmlReader::skip_space() {
  while (at_ < text_all_.size() && is_space(text_all_[at_])) ++at_;
}

void XmlReader::skip_past(std::string_view what, const char* whose) {
  const std::size_t found = text_all_.find(what, at_);
  if (found == std::string_view::npos) fail(event_at_, fmt::format("the {} has no end", whose), "is the file cut off?");
  at_ = found + what.size();
}

std::string_view XmlReader::read_name(const char* what) {
  const std::size_t first = at_;
  if (at_ < text_all_.size() && starts_name(text_all_[at_])) {
    while (at_ < text_all_.size() && continues_name(text_all_[at_])) ++at_;
  }
  if (at_ == first) fail(here(), fmt::format("here should be {}", what));
  return text_all_.substr(first, at_ - first);
}

// At '&'.
void XmlReader::append_reference(std::string& out) {
  constexpr std::size_t kLongest = 12;
  const char* begin = here();
  const std::string_view text = rest().substr(1, kLongest);
  const std::size_t length = text.find(';');
  if (length == std::string_view::npos) fail(begin, "an & begins no reference", "write &amp; for the character &");
  const std::string_view name = text.substr(0, length);
  at_ += length + 2;
  for (const auto& [known, character] :
       {std::pair(std::string_view("amp"), '&'), {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}) {
    if (name == known) {
      out.push_back(character);
      return;
    }
  }
  if (!name.starts_with('#')) {
    fail(begin, fmt::format("the entity {} is not known", in_quotes(name)), "only amp, lt, gt, quot and apos are");
  }
  const bool hexadecimal = name.starts_with("#x");
  const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || !is_character(code)) {
    fail(begin, fmt::format("{} is no character", in_quotes("&" + std::string(name) + ";")));
  }
  append_utf8(out, code);
}

bool XmlReader::is_new_attribute(std::string_view name) {
  if (attributes_.size() < kFewAttributes) return attribute(name) == nullptr;
  if (attributes_.size() == kFewAttributes) {
    many_names_.clear();
    for (const Attribute& before : attributes_) many_names_.insert(before.name);
  }
  return many_names_.insert(name).second;
}

void XmlReader::read_attributes() {
  attributes_.clear();
  for (;;) {
    const std::size_t before = at_;
    skip_space();
    if (at_ == text_all_.size()) fail(event_at_, "the tag has no end", "is the file cut off?");
    if (std::string_view("/>?").find(text_all_[at_]) != std::string_view::npos) return;
    if (at_ == before) fail(here(), "here should be a space or the end of the tag");
    const char* name_at = here();
    const std::string_view name = read_name("the name of an attribute");
    if (!is_new_attribute(name)) fail(name_at, fmt::format("the attribute {} is there twice", in_quotes(name)));
    skip_space();
    if (!looking_at("=")) fail(here(), fmt::format("here should be = and the value of {}", in_quotes(name)));
    ++at_;
    skip_space();
    const char quote = looking_at("'") ? '\'' : '"';
    if (!looking_at({&quote, 1}))
      fail(here(), fmt::format("here should be the value of {}, in quotes", in_quotes(name)));
    ++at_;
    Attribute attribute{name, {}, here()};
    for (;;) {
      if (at_ == text_all_.size()) fail(attribute.at, "the value has no closing quote", "is the file cut off?");
      const char c = text_all_[at_];
      if (c == quote) break;
      if (c == '<') fail(here(), "a value cannot hold <", "write &lt;");
      if (c == '&') {
        append_reference(attribute.value);
      } else {
        attribute.value.push_back(is_space(c) ? ' ' : c);
        ++at_;
      }
    }
    ++at_;
    attributes_.push_back(std::move(attribute));
  }
}

// <?xml version="1.0" encoding="UTF-8"?>
void XmlReader::read_declaration() {
  at_ = std::string_view("<?xml").size();
  read_attributes();
  if (!looking_at("?>")) fail(here(), "here should be ?>");
  at_ += 2;
  const Attribute* encoding = attribute("encoding");
  if (encoding == nullptr) return;
  const std::string name = upper_case(encoding->value);
  if (name != "UTF-8" && name != "UTF8" && name != "US-ASCII" && name != "ASCII") {
    fail(encoding->at, fmt::format("the encoding {} is not read", in_quotes(encoding->value)),
         "convert the file to UTF-8");
  }
}

void XmlReader::skip_doctype() {
  const std::string_view type = rest().substr(0, rest().find('>'));
  if (const std::size_t declarations = type.find('['); declarations != std::string_view::npos) {
    fail(here() + declarations, "a document type with declarations of its own is not read", "remove the document type");
  }
  skip_past(">", "document type");
}

void XmlReader::skip_comment() {
  at_ += std::string_view("<!--").size();
  skip_past("--", "comment");
  if (!looking_at(">")) fail(here() - 2, "a comment cannot hold --", "remove the comment");
  ++at_;
}

// Comments, processing instructions and the document type; false if there is none here.
bool XmlReader::skip_markup() {
  event_at_ = here();
  if (looking_at("<!--")) {
    skip_comment();
  } else if (looking_at("<?")) {
    skip_past("?>", "processing instruction");
  } else if (looking_at("<!DOCTYPE") && open_.empty() && !begun_) {
    skip_doctype();
  } else {
    return false;
  }
  return true;
}

void XmlReader::set_name(std::string_view qualified) {
  const std::size_t colon = qualified.rfind(':');
  name_ = colon == std::string_view::npos ? qualified : qualified.substr(colon + 1);
}

XmlReader::Event XmlReader::read_start() {
  ++at_;
  const std::string_view name = read_name("the name of an element");
  read_attributes();
  if (open_.size() == kDeepest) {
    fail(event_at_, fmt::format("elements are nested more than {} deep", kDeepest), "is it the right file?");
  }
  open_.push_back(name);
  set_name(name);
  end_is_due_ = looking_at("/");
  if (end_is_due_) ++at_;
  if (!looking_at(">")) fail(here(), "here should be >");
  ++at_;
  return Event::kStart;
}

XmlReader::Event XmlReader::read_end() {
  at_ += 2;
  const std::string_view name = read_name("the name of an element");
  if (open_.empty() || name != open_.back()) {
    fail(event_at_, open_.empty()
                        ? fmt::format("{} ends here, but did not begin", in_quotes(name))
                        : fmt::format("{} ends here, but {} is open", in_quotes(name), in_quotes(open_.back())));
  }
  skip_space();
  if (!looking_at(">")) fail(here(), "here should be >");
  ++at_;
  set_name(name);
  open_.pop_back();
  return Event::kEnd;
}

XmlReader::Event XmlReader::read_text() {
  text_.clear();
  constexpr std::string_view kData = "<![CDATA[";
  if (looking_at(kData)) {
    at_ += kData.size();
    const std::size_t first = at_;
    skip_past("]]>", "CDATA section");
    text_ = text_all_.substr(first, at_ - first - 3);
    return Event::kText;
  }
  while (at_ < text_all_.size() && text_all_[at_] != '<') {
    if (text_all_[at_] == '&') {
      append_reference(text_);
      continue;
    }
    const std::size_t end = std::min(text_all_.find_first_of("<&", at_), text_all_.size());
    for (; at_ < end; ++at_) {  // a line ends in \n, however the file says it
      if (!looking_at("\r\n")) text_.push_back(text_all_[at_]);
    }
  }
  return Event::kText;
}

XmlReader::Event XmlReader::next() {
  if (end_is_due_) {
    end_is_due_ = false;
    set_name(open_.back());
    open_.pop_back();
    return Event::kEnd;
  }
  while (skip_markup()) {
  }
  if (open_.empty()) {  // before or after the outermost element
    do {
      skip_space();
    } while (skip_markup());
    if (at_ == text_all_.size()) {
      if (!begun_) fail(event_at_, "there is no element", "is it an XML file?");
      return Event::kDone;
    }
    if (begun_ || !looking_at("<") || looking_at("<![")) {
      fail(event_at_, begun_ ? "the text goes on after the end of its outermost element" : "here should be an element",
           "is it an XML file?");
    }
    if (looking_at("</")) return read_end();  // which says that nothing is open
    begun_ = true;
    return read_start();
  }
  if (at_ == text_all_.size()) {
    fail(here(), fmt::format("the text ends, but {} is open", in_quotes(open_.back())), "is the file cut off?");
  }
  if (looking_at("</")) return read_end();
  if (looking_at("<") && !looking_at("<![CDATA[")) return read_start();
  return read_text();
}

bool XmlReader::next_child() {
  for (;;) {
    const Event event = next();
    if (event != Event::kText) return event == Event::kStart;
    if (!std::all_of(text_.begin(), text_.end(), is_space)) {
      fail(event_at_, fmt::format("here should be an element, not the text {}", in_quotes(text_)));
    }
  }
}

std::string XmlReader::element_text() {
  std::string all;
  for (;;) {
    const Event event = next();
    if (event == Event::kEnd) break;
    if (event == Event::kStart)
      fail(event_at_, fmt::format("here should be text, not an element {}", in_quotes(name_)));
    all += text_;
  }
  return all;
}

void XmlReader::skip_element() {
  for (std::size_t depth = 1; depth > 0;) {
    const Event event = next();
    if (event == Event::kStart) ++depth;
    if (event == Event::kEnd) --depth;
  }
}

}  // namespace agentnet
