#include "data/syntax/xml.h"

#include <gtest/gtest.h>

#include <string>

#include "agentnet/error.h"

namespace agentnet {
namespace {

using Event = XmlReader::Event;

// Everything a document says, in one line: <a x=1>, "text", </a>.
std::string told(const std::string& text) {
  std::string out;
  XmlReader xml(text, "file");
  for (;;) {
    switch (xml.next()) {
      case Event::kStart:
        out += "<" + std::string(xml.name());
        for (const auto& attribute : xml.attributes()) out += " " + std::string(attribute.name) + "=" + attribute.value;
        out += ">";
        break;
      case Event::kEnd:
        out += "</" + std::string(xml.name()) + ">";
        break;
      case Event::kText:
        out += xml.text();
        break;
      case Event::kDone:
        return out;
    }
  }
}

std::string error(const std::string& text) {
  try {
    return "accepted: " + told(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return error.what();
  }
}

TEST(Xml, TellsElementsAttributesAndText) {
  EXPECT_EQ(told("<a><b x='1' y = \"2\"/>text<c>more</c></a>"), "<a><b x=1 y=2></b>text<c>more</c></a>");
}

TEST(Xml, DecodesReferencesAndKeepsCdataAsItIs) {
  EXPECT_EQ(told("<a x='&lt;&amp;&gt;&quot;&apos;'>&#65;&#x42;&#xe9;&#x20AC;&#x1F600;</a>"),
            "<a x=<&>\"'>AB\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80</a>");
  EXPECT_EQ(told("<a>x<![CDATA[<b>&amp;]]]]>y</a>"), "<a>x<b>&amp;]]y</a>");
}

TEST(Xml, LeavesOutCommentsInstructionsAndAPlainDocumentType) {
  EXPECT_EQ(told("<?xml version='1.0' encoding='utf-8'?><!-- c -->\n<!DOCTYPE a SYSTEM \"a.dtd\"><?p?>\n"
                 "<a>1<!-- <b> -->2<?p q?>3</a>\n<!-- end -->\n"),
            "<a>123</a>");
}

TEST(Xml, NamespacePrefixesAreLeftOut) { EXPECT_EQ(told("<g:a xmlns:g='u'></g:a>"), "<a xmlns:g=u></a>"); }

TEST(Xml, LinesEndInOneCharacterAndAByteOrderMarkIsAccepted) {
  EXPECT_EQ(told("\xEF\xBB\xBF<a>\r\nx\r\n</a>\r\n"), "<a>\nx\n</a>");
}

TEST(Xml, WhatIsNotWellFormedIsNamedWithItsPlace) {
  EXPECT_EQ(error(""), "file:1:1: there is no element");
  EXPECT_EQ(error("text"), "file:1:1: here should be an element");
  EXPECT_EQ(error("<a>\n <b></a>"), "file:2:5: 'a' ends here, but 'b' is open");
  EXPECT_EQ(error("</a>"), "file:1:1: 'a' ends here, but did not begin");
  EXPECT_EQ(error("<a>\n"), "file:2:1: the text ends, but 'a' is open");
  EXPECT_EQ(error("<a/><b/>"), "file:1:5: the text goes on after the end of its outermost element");
  EXPECT_EQ(error("<a/>x"), "file:1:5: the text goes on after the end of its outermost element");
  EXPECT_EQ(error("<a x='1' x='2'/>"), "file:1:10: the attribute 'x' is there twice");
  EXPECT_EQ(error("<a x='1'y='2'/>"), "file:1:9: here should be a space or the end of the tag");
  EXPECT_EQ(error("<a x/>"), "file:1:5: here should be = and the value of 'x'");
  EXPECT_EQ(error("<a x=1/>"), "file:1:6: here should be the value of 'x', in quotes");
  EXPECT_EQ(error("<a x='1/>"), "file:1:7: the value has no closing quote");
  EXPECT_EQ(error("<a x='<'/>"), "file:1:7: a value cannot hold <");
  EXPECT_EQ(error("<a 1='2'/>"), "file:1:4: here should be the name of an attribute");
  EXPECT_EQ(error("<1/>"), "file:1:2: here should be the name of an element");
  EXPECT_EQ(error("<a"), "file:1:1: the tag has no end");
  EXPECT_EQ(error("<a/ >"), "file:1:4: here should be >");
  EXPECT_EQ(error("<a></a x>"), "file:1:8: here should be >");
  EXPECT_EQ(error("<a><!-- x</a>"), "file:1:4: the comment has no end");
  EXPECT_EQ(error("<a><!-- x -- y --></a>"), "file:1:11: a comment cannot hold --");
  EXPECT_EQ(error("<a><![CDATA[x</a>"), "file:1:4: the CDATA section has no end");
  EXPECT_EQ(error("<a><?x</a>"), "file:1:4: the processing instruction has no end");
  EXPECT_EQ(error("<a><!x></a>"), "file:1:5: here should be the name of an element");
}

TEST(Xml, ReferencesMustBeKnownCharacters) {
  EXPECT_EQ(error("<a>1 & 2</a>"), "file:1:6: an & begins no reference");
  EXPECT_EQ(error("<a>&nbsp;</a>"), "file:1:4: the entity 'nbsp' is not known");
  EXPECT_EQ(error("<a>&#0;</a>"), "file:1:4: '&#0;' is no character");
  EXPECT_EQ(error("<a>&#xD800;</a>"), "file:1:4: '&#xD800;' is no character");
  EXPECT_EQ(error("<a>&#x110000;</a>"), "file:1:4: '&#x110000;' is no character");
  EXPECT_EQ(error("<a>&#;</a>"), "file:1:4: '&#;' is no character");
}

TEST(Xml, TextMustBeUtf8WithoutControlCharacters) {
  EXPECT_EQ(error("<a>\n\xE9</a>"), "file:2:1: the text is not UTF-8");
  EXPECT_EQ(error(std::string("<a>\0</a>", 8)), "file:1:4: XML has no control characters");
  EXPECT_EQ(error("<?xml version='1.0' encoding='ISO-8859-1'?><a/>"),
            "file:1:31: the encoding 'ISO-8859-1' is not read");
}

TEST(Xml, EntitiesOfItsOwnAreRefusedBeforeTheyAreExpanded) {
  EXPECT_EQ(error("<!DOCTYPE a [<!ENTITY b \"bbb\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>"),
            "file:1:13: a document type with declarations of its own is not read");
}

TEST(Xml, DeepNestingIsRefused) {
  std::string text;
  for (int i = 0; i < 101; ++i) text += "<a>";
  EXPECT_EQ(error(text), "file:1:301: elements are nested more than 100 deep");
}

}  // namespace
}  // namespace agentnet
